"""The environment class: one hash of what results depend on."""

import json
import platform
from importlib.metadata import version
from pathlib import Path

import pytest
from faultloom.datasets.corpus.schema import SCHEMAS
from faultloom.datasets.corpus.staging import to_table
from faultloom.datasets.program import content_hash
from faultloom.generator import environment as module
from faultloom.generator.environment import environment


def test_the_row_fits_the_table_and_has_every_column() -> None:
    row = environment()
    assert set(row) == set(SCHEMAS["environments"].names)
    assert to_table("environments", [row]).to_pylist() == [row]


def test_it_says_what_is_installed() -> None:
    row = environment()
    names = ("tensorflow", "keras", "numpy", "ray", "faultloom")
    assert {name: row[name] for name in names} == {name: version(name) for name in names}
    assert row["python"] == platform.python_version()
    assert row["threads"] == 1
    assert row["cpu"]
    assert row["instruction_set"]


def test_the_id_is_a_hash_of_the_other_columns() -> None:
    row = environment()
    assert row.pop("environment_id") == content_hash(row)
    assert environment() == environment()


def test_a_flag_that_changes_results_makes_another_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_ENABLE_ONEDNN_OPTS", raising=False)
    default = environment()
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "1")
    assert environment() == default
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    assert environment()["environment_id"] != default["environment_id"]
    assert json.loads(environment()["flags"]) == {"TF_ENABLE_ONEDNN_OPTS": "0"}


def test_a_machine_without_cpuinfo_has_its_architecture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "Path", lambda name: tmp_path / "none")
    row = environment()
    assert (row["cpu"], row["instruction_set"]) == (platform.machine(), platform.machine())


def test_the_widest_instruction_set_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("model name\t: Some Processor\nflags\t\t: sse4_2 avx avx2\n")
    monkeypatch.setattr(module, "Path", lambda name: cpuinfo)
    assert (environment()["cpu"], environment()["instruction_set"]) == ("Some Processor", "avx2")
