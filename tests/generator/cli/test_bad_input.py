"""Bad input ends in one clear line and the right exit code, and costs no finished work."""

import errno
import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus import reader, staging, writer

pytestmark = pytest.mark.tf

Faultloom = Callable[..., tuple[int, str, str]]
SMALL = (
    *("--workers", 0, "--operators", "HNE", "--limit", 1, "--sham-mutants", 0),
    *("--clean-replicates", 2, "--faulty-replicates", 2, "--keep-models", 1),
    *("--criterion", "welch"),
)
BUILD = """
import keras, numpy as np
x, y = np.zeros((20, 4)), np.zeros((20, 1))
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
"""
COMPILE = 'model.compile("sgd", "mse")\n'
SUBCLASS = """
class Own(keras.Model):
    def call(self, x):
        return x
model = Own()
"""


def refused(answer: tuple[int, str, str], code: int, *said: str) -> None:
    found, out, err = answer
    lines = [line for line in err.splitlines() if not line.startswith("trainings: ")]
    assert (found, out) == (code, ""), err
    assert len(lines) == 1, err
    assert lines[0].startswith("faultloom: ")
    for words in said:
        assert words in lines[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BUILD + "raise KeyError('no such column')", "no such column"),
        (BUILD + COMPILE, "fit"),
        (BUILD + COMPILE + "model.fit(x, y)\nmodel.fit(x, y)", "fit"),
        (BUILD + SUBCLASS + COMPILE + "model.fit(x, y)", "Own"),
        ("this is no Python", "SyntaxError"),
    ],
    ids=["raises", "never fits", "fits twice", "cannot be serialised", "no python"],
)
def test_a_script_that_cannot_be_captured(
    faultloom: Faultloom, tmp_path: Path, text: str, said: str
) -> None:
    script = tmp_path / "bad.py"
    script.write_text(text)
    answer = faultloom("generate", script, *SMALL, "--out", tmp_path / "corpus")
    refused(answer, 2, "bad.py", said)


def test_a_clean_program_that_does_not_train(
    faultloom: Faultloom, tiny_script: Path, tmp_path: Path
) -> None:
    script = tmp_path / "wrong.py"
    wrong = tiny_script.read_text().replace('"sparse_categorical_', '"categorical_')
    script.write_text(wrong)
    answer = faultloom("generate", script, *SMALL, "--out", tmp_path / "corpus")
    refused(answer, 2, "wrong", "clean program that trains")


@pytest.mark.parametrize("command", ["generate", "plan"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("digits-mpl",), ("digits-mpl", "did you mean digits-mlp")),
        (("none.py",), ("none.py", "no such file")),
        ((), ("subjects: expected", "received nothing")),
        (("digits-mlp", "digits-mlp"), ("digits-mlp", "2 times")),
        (("digits-mlp", "--operators", "HLRR"), ("HLRR", "HLR")),
        (("digits-mlp", "--operators", "SHAM"), ("sham_mutants",)),
        (("digits-mlp", "--criterion", "glm"), ("glm", "welch")),
        (("digits-mlp", "--faulty-replicates", 1), ("faulty_replicates", "at least 2")),
        (("digits-mlp", "--limit", 0), ("limit", "at least 1")),
        (("digits-mlp", "--config", "none.toml"), ("none.toml", "No such file")),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_arguments_that_cannot_be_used_leave_nothing_behind(
    faultloom: Faultloom, tmp_path: Path, command: str, options: tuple[Any, ...], said: Any
) -> None:
    out = tmp_path / "corpus"
    refused(faultloom(command, *options, "--out", out), 2, *said)
    assert not out.exists()


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("faulty_replicate = 3", ("unknown key 'faulty_replicate'", "faulty_replicates")),
        ('seed = "one"', ("seed", "a whole number", "'one'")),
        ('operators = "HLR"', ("operators", "'HLR'")),
        ("seed = = 1", ("TOML", "line 2")),
        ('budget_s = "soon"', ("budget_s", "'soon'")),
    ],
)
def test_a_file_that_cannot_be_used(
    faultloom: Faultloom, tmp_path: Path, toml: str, said: tuple[str, ...]
) -> None:
    config = tmp_path / "campaign.toml"
    config.write_text(f'subjects = ["digits-mlp"]\n{toml}\n')
    out = tmp_path / "corpus"
    refused(faultloom("generate", "--config", config, "--out", out), 2, "campaign.toml", *said)
    assert not out.exists()


def test_a_budget_that_is_no_duration(faultloom: Faultloom, tmp_path: Path) -> None:
    answer = faultloom("generate", "digits-mlp", "--budget", "2 hours", "--out", tmp_path / "c")
    refused(answer, 2, "budget_s", "'2 hours'")


@pytest.mark.parametrize("kind", ["file", "other folder", "file above"])
def test_an_output_that_is_no_corpus(
    faultloom: Faultloom, tiny: Path, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / "place"
    if kind == "other folder":
        out.mkdir()
        (out / "thesis.tex").write_text("x")
    else:
        out.write_text("x")
    place = out / "corpus" if kind == "file above" else out
    code, _, err = faultloom("generate", tiny, *SMALL, "--out", place)
    assert code in (2, 3)
    refused((2, "", err), 2, str(out))
    assert out.is_file() or [path.name for path in out.iterdir()] == ["thesis.tex"]


@pytest.fixture
def begun(faultloom: Faultloom, tiny: Path, tmp_path: Path) -> Path:
    """A corpus with its settings and its subject, and no unit yet."""
    root = tmp_path / "corpus"
    code, _, err = faultloom("generate", tiny, *SMALL, "--out", root, "--budget", "0.000001s")
    assert code == 0, err
    return root


def test_another_schema_version(faultloom: Faultloom, tiny: Path, begun: Path) -> None:
    record = json.loads((begun / "corpus.json").read_text())
    (begun / "corpus.json").write_text(json.dumps(record | {"schema_version": "0"}))
    said = ("schema version", "expected '1', received '0'")
    refused(faultloom("generate", tiny, *SMALL, "--out", begun), 2, *said)
    refused(faultloom("status", begun), 2, *said)
    refused(faultloom("evaluate", begun), 2, *said)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--seed", 1), "seed: this corpus was made with 0; received 1"),
        (("--limit", 2), "limit: this corpus was made with 1; received 2"),
        (("--criterion", "deepcrime"), "criterion"),
        (("--operators", "HNE,ARM"), "operators"),
    ],
)
def test_resuming_with_another_setting(
    faultloom: Faultloom, tiny: Path, begun: Path, option: tuple[Any, ...], said: str
) -> None:
    answer = faultloom("generate", tiny, *SMALL, *option, "--out", begun)
    refused(answer, 2, said, "name another folder")


def test_a_script_that_changed_since(
    faultloom: Faultloom, tiny_script: Path, tmp_path: Path
) -> None:
    script, root = tmp_path / "tiny.py", tmp_path / "corpus"
    script.write_text(tiny_script.read_text())
    arguments = ("generate", script, *SMALL, "--out", root)
    assert faultloom(*arguments, "--budget", "0.000001s")[0] == 0
    for text in (b"# another\n" + script.read_bytes(), b"\xff"):
        script.write_bytes(text)
        refused(faultloom(*arguments), 2, "subject tiny", "restore it to resume")
    script.unlink()
    refused(faultloom(*arguments), 2, "no such file")
    script.write_text(tiny_script.read_text())
    assert faultloom(*arguments)[0] == 0
    assert len(reader.rows(root, "runs")) == 4


def test_arrays_that_were_damaged(faultloom: Faultloom, tiny: Path, begun: Path) -> None:
    array = next((begun / "subjects" / "tiny" / "arrays").iterdir())
    array.write_bytes(array.read_bytes()[:-8])
    refused(faultloom("generate", tiny, *SMALL, "--out", begun), 2, array.name)


def test_a_disk_that_fills_between_two_units(
    faultloom: Faultloom, tiny: Path, begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.fsync, iter(range(1000))

    def full(descriptor: int) -> None:
        if next(calls) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    arguments = ("generate", tiny, *SMALL, "--out", begun)
    with monkeypatch.context() as patch:
        patch.setattr(writer.os, "fsync", full)
        refused(faultloom(*arguments), 3, "the disk is full", "run the same command again")
    finished = {path: path.read_bytes() for path in staging.folder(begun).iterdir()}
    assert len(finished) == 2
    assert faultloom(*arguments)[0] == 0
    assert {path: path.read_bytes() for path in finished} == finished
    assert len(reader.rows(begun, "runs")) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "said"), [(100, "corpus.json"), (16 << 10, "subjects/tiny"), (100 << 10, "staging")]
)
def test_a_file_system_that_takes_no_larger_files(
    command_line: Any, faultloom: Faultloom, tiny: Path, tmp_path: Path, limit: int, said: str
) -> None:
    root = tmp_path / "corpus"
    arguments = ("generate", tiny, *SMALL, "--out", root)
    arguments = (*arguments, "--keep-models", 12, "--clean-replicates", 12)
    done = command_line(
        *arguments,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    answer = (done.returncode, done.stdout, done.stderr)
    refused(answer, 3, "cannot write", said, "run the same command again to resume")
    assert faultloom(*arguments)[0] == 0
    assert len(reader.rows(root, "runs")) == 14
