"""``plan``: what a campaign would do, and nothing on disk afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.tf
Faultloom = Callable[..., tuple[int, str, str]]


def planned(faultloom: Faultloom, *arguments: object) -> list[dict[str, Any]]:
    code, out, _ = faultloom("plan", *arguments, "--json")
    assert code == 0
    rows: list[dict[str, Any]] = json.loads(out)
    return rows


def test_it_counts_mutants_and_trainings(faultloom: Faultloom, tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    options = (
        "--criterion",
        "welch",
        "--operators",
        "ARM,HNE",
        "--clean-replicates",
        7,
        "--faulty-replicates",
        4,
    )
    rows = planned(faultloom, tiny, "--out", out, *options, "--sham-mutants", 2)
    assert rows == [
        {"subject": "tiny", "operator": "ARM", "mutants": 3, "equivalent": 0, "trainings": 12},
        {"subject": "tiny", "operator": "HNE", "mutants": 3, "equivalent": 0, "trainings": 12},
        {"subject": "tiny", "operator": "SHAM", "mutants": 2, "equivalent": 0, "trainings": 8},
        {"subject": "tiny", "operator": "(clean)", "mutants": 0, "equivalent": 0, "trainings": 7},
    ]
    assert not out.exists()
    assert list(tmp_path.iterdir()) == []


def test_it_agrees_with_what_was_generated(
    faultloom: Faultloom, corpus: Path, campaign_options: tuple[object, ...]
) -> None:
    before = sorted(corpus.rglob("*"))
    options = [option for option in campaign_options if option not in ("--workers", 0)]
    rows = planned(faultloom, *options, "--out", corpus)
    assert sorted(corpus.rglob("*")) == before
    code, out, _ = faultloom("status", corpus, "--json")
    assert code == 0
    held = {row["operator"]: row["mutants"] for row in json.loads(out)}
    assert {row["operator"]: row["mutants"] for row in rows} == held


def test_settings_come_from_a_file_and_options_win(
    faultloom: Faultloom, tiny: Path, tmp_path: Path
) -> None:
    config = tmp_path / "campaign.toml"
    config.write_text(
        f'subjects = ["{tiny}"]\noperators = ["HNE"]\ncriterion = "welch"\n'
        "faulty_replicates = 2\nsham_mutants = 0\n"
    )
    options = ("--config", config, "--out", tmp_path / "corpus")
    (hne, _) = planned(faultloom, *options)
    assert (hne["operator"], hne["trainings"]) == ("HNE", 6)
    (hne, _) = planned(faultloom, *options, "--faulty-replicates", 5)
    assert hne["trainings"] == 15


def test_a_table_for_people_has_the_totals(
    faultloom: Faultloom, tiny: Path, tmp_path: Path
) -> None:
    options = (
        "--criterion",
        "welch",
        "--operators",
        "HNE",
        "--faulty-replicates",
        2,
        "--clean-replicates",
        2,
    )
    code, out, _ = faultloom("plan", tiny, "--out", tmp_path / "corpus", *options)
    assert code == 0
    assert "6 mutants, 14 trainings" in out


def test_with_looks_the_trainings_are_a_bound(
    faultloom: Faultloom, tiny: Path, tmp_path: Path
) -> None:
    options = ("--operators", "HNE", "--clean-replicates", 40, "--sham-mutants", 0)
    code, out, _ = faultloom("plan", tiny, "--out", tmp_path / "corpus", *options)
    assert code == 0
    assert "3 mutants, at most 100 trainings" in out
