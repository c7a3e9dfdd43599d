"""From stored diagnoses to scores."""

import json
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus import reader
from faultloom.datasets.corpus.writer import StagingWriter
from faultloom.localizers import exams, scoring, summaries
from faultloom.localizers.registry import LOCALIZERS


def names(scored: list[scoring.Answers]) -> list[str]:
    return [answers.localizer for answers in scored]


def test_another_version_of_a_localizer_is_asked_again(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "last-layer", {None: 2, "m-first": 2, "m-last": 2}, version="0")
    assert len(list(exams.payloads(root, exams.exams(root), ["last-layer"], frozenset()))) == 3
    assert names(scoring.score(root, ["last-layer"])) == ["depth-prior", "oracle-prior"]


def test_scores_are_right_and_failures_miss(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "last-layer", {"m-first": 2, "m-last": 2})
    small_corpus.answer(root, "first-layer", {"m-first": 0, "m-last": None})
    cases = scoring.score(root, ["last-layer", "first-layer"])
    assert names(cases) == ["last-layer", "first-layer", "depth-prior", "oracle-prior"]
    rows = {(row["localizer"], row["mutant_id"]): row for row in scoring.score_rows(cases)}
    assert rows["last-layer", "m-last"]["hit_1"] == 1.0
    assert rows["last-layer", "m-first"]["hit_1"] == 0.0
    assert rows["first-layer", "m-first"]["hit_1"] == rows["first-layer", "m-first"]["all_1"] == 1
    assert rows["first-layer", "m-last"]["hit_1"] == 0.0
    assert rows["last-layer", "m-last"]["rank_expected"] == 1.0
    assert rows["last-layer", "m-last"]["operator"] == "ARM"
    summary = {row["localizer"]: row for row in summaries.summary_rows(cases, seed=0)}
    assert summary["first-layer"]["no_answer"] == 2
    assert summary["first-layer"]["hit@1"]["value"] == 0.5
    assert summary["last-layer"]["gain"]["value"] == pytest.approx((0.5 - 1 / 3) / (1 - 1 / 3))
    assert summary["last-layer"]["hit@3"]["value"] is None
    json.dumps(list(summary.values()), allow_nan=False)
    assert summaries.summary_rows(cases, seed=0) == list(summary.values())


def test_guider_is_scored_under_both_rules_for_ties(small_corpus: Any, root: Path) -> None:
    version = LOCALIZERS.create("guider").version
    small_corpus.answer(root, "guider", {"m-first": 0, "m-last": 2}, version)
    cases = scoring.score(root, ["guider"])
    assert names(cases)[:2] == ["guider", "guider (ties=deepest)"]


def test_scores_are_stored_once(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "last-layer", {"m-first": 2, "m-last": 2})
    rows = scoring.score_rows(scoring.score(root, ["last-layer"]))
    assert scoring.new_rows(root, rows) == rows
    StagingWriter(root).commit("scores", {"scores": rows})
    assert scoring.new_rows(root, rows) == []
    assert len(reader.rows(root, "scores")) == len(rows) == 6


def test_scores_of_another_version_are_stored_beside_the_old(
    small_corpus: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"m-first": 2, "m-last": 2}
    small_corpus.answer(root, "last-layer", told)
    rows = scoring.score_rows(scoring.score(root, ["last-layer"]))
    StagingWriter(root).commit("scores", {"scores": rows})
    monkeypatch.setattr("faultloom.localizers.baselines.LastLayer.version", "2")
    small_corpus.answer(root, "last-layer", told, version="2")
    again = scoring.new_rows(root, scoring.score_rows(scoring.score(root, ["last-layer"])))
    assert [(row["localizer"], row["version"]) for row in again] == [("last-layer", "2")] * 2


def test_priors_are_scored_anew_when_they_learn_from_more_mutants(
    small_corpus: Any, tmp_path: Path
) -> None:
    versions = []
    for mutants in (["m-first"], ["m-first", "m-last"]):
        root = small_corpus.write(tmp_path / str(len(mutants)), mutants)
        *_, oracle = scoring.score(root, [])
        versions.append(oracle.version)
    assert [version.partition(".")[0] for version in versions] == ["1+1", "1+2"]
    assert len({version.partition(".")[2] for version in versions}) == 2


def test_the_reason_of_a_failure_is_read_back(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "first-layer", {"m-first": 0, "m-last": None})
    found = {scoring.diagnosis_of(row).reason for row in reader.rows(root, "diagnoses")}
    assert found == {"", "it broke"}
