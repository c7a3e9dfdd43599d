"""A campaign's configuration: defaults, files, options over them, one line for errors."""

import json
from pathlib import Path

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.config import CampaignConfig, load_config
from faultloom.generator.killing import CRITERIA, criterion
from pydantic import ValidationError


def write(folder: Path, text: str) -> Path:
    path = folder / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path | None, **overrides: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(path, **overrides)
    message = str(caught.value)
    assert "\n" not in message
    assert "expected" in message
    assert "received" in message
    return message


def test_defaults() -> None:
    config = load_config(None, subjects=["digits"])
    assert config == CampaignConfig(subjects=("digits",))
    assert (config.operators, config.criterion, config.budget_s) == ("all", "sequential", None)
    assert (config.clean_replicates, config.faulty_replicates, config.keep_models) == (40, 20, 3)


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_the_default_numbers_of_runs_are_those_of_every_criterion(name: str) -> None:
    config = load_config(None, subjects=("a",), criterion=name)
    rule = criterion(name)
    assert (config.clean_replicates, config.faulty_replicates) == (rule.n_clean, rule.n_faulty)


def test_the_criterion_decides_how_many_runs_there_are_by_default() -> None:
    config = load_config(None, subjects=("a",), criterion="deepcrime")
    assert (config.clean_replicates, config.faulty_replicates) == (20, 20)
    fewer = load_config(None, subjects=("a",), criterion="deepcrime", faulty_replicates=5)
    assert (fewer.clean_replicates, fewer.faulty_replicates) == (20, 5)


def test_options_win_over_the_file_unless_they_are_none(tmp_path: Path) -> None:
    path = write(tmp_path, 'subjects = ["a", "b"]\nseed = 5\nbudget_s = "2h"\ndeadline_s = 60\n')
    config = load_config(path, seed=7, subjects=None, operators=("HLR",))
    assert config.subjects == ("a", "b")
    assert (config.seed, config.budget_s, config.deadline_s) == (7, 7200.0, 60.0)
    assert config.operators == ("HLR",)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2h", 7200.0), ("30m", 1800.0), ("90s", 90.0), ("1h30m", 5400.0), (15, 15.0)],
)
def test_durations(text: object, seconds: float) -> None:
    assert load_config(None, subjects=("a",), budget_s=text).budget_s == seconds


def test_resolved_is_json_and_reads_back() -> None:
    config = load_config(None, subjects=("a",), operators=["HLR", "ACH"], budget_s="90s")
    resolved = json.loads(json.dumps(config.resolved()))
    assert resolved["operators"] == ["HLR", "ACH"]
    assert load_config(None, **resolved) == config


def test_frozen() -> None:
    with pytest.raises(ValidationError):
        load_config(None, subjects=("a",)).seed = 3  # type: ignore[misc]


def test_unknown_key_has_a_suggestion(tmp_path: Path) -> None:
    message = refused(write(tmp_path, 'subjects = ["a"]\nfaulty_replicate = 3\n'))
    assert "campaign.toml" in message
    assert "did you mean 'faulty_replicates'?" in message
    assert "remove it" in refused(None, subjects=("a",), zzz=1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("subjects", "digits"),
        ("subjects", []),
        ("subjects", [1]),
        ("operators", "HLR"),
        ("operators", []),
        ("criterion", 3),
        ("clean_replicates", "20"),
        ("clean_replicates", 1),
        ("faulty_replicates", True),
        ("keep_models", -1),
        ("seed", 1.5),
        ("limit", 0),
        ("budget_s", "soon"),
        ("budget_s", ""),
        ("budget_s", "0s"),
        ("budget_s", True),
        ("deadline_s", float("inf")),
        ("workers", -1),
        ("address", ""),
    ],
)
def test_wrong_values(key: str, value: object) -> None:
    message = refused(None, **({"subjects": ["a"]} | {key: value}))
    assert message.startswith(f"options: {key}: expected ")
    assert repr(value) in message


def test_missing_subjects() -> None:
    assert "subjects" in refused(None)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none.toml")
    assert "directory" in refused(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes(b"subjects = ['\xe4']\n")
    assert "UTF-8" in refused(path)


def test_bad_toml(tmp_path: Path) -> None:
    assert "line 2" in refused(write(tmp_path, "seed = 1\nseed = = 2\n"))


def test_several_mistakes_are_counted() -> None:
    assert "(and 1 more to correct)" in refused(None, subjects=("a",), seed=-1, limit=0)
