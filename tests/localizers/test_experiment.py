"""From the rows of a corpus to exams, payloads, scores and tables."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus import reader
from faultloom.datasets.corpus.writer import StagingWriter, check_or_create
from faultloom.datasets.errors import ConfigError, CorpusError
from faultloom.datasets.slots import with_slot
from faultloom.localizers import experiment
from faultloom.operators.cases import small_program

CLEAN = small_program()  # dense, dropout, dense_1
FIRST = with_slot(CLEAN, "/architecture/config/layers/1/config/activation", "linear")
LAST = with_slot(CLEAN, "/architecture/config/layers/3/config/activation", "linear")
OTHERS = with_slot(CLEAN, "/fit/epochs", 1)
MUTANTS = {
    "m-first": (FIRST, "ARM", "killed", 0, "first"),
    "m-last": (LAST, "ARM", "diverged", 2, "last"),
    "m-alive": (FIRST, "ACH", "survived", 0, "first"),
    "m-program": (OTHERS, "HNE", "killed", None, None),
}


def keys(mutant_id: str | None, operator: str | None) -> dict[str, Any]:
    return {
        "mutant_id": mutant_id,
        "operator": operator,
        "subject": "small",
        "data_group": "ones",
        "split": "train",
    }


def model(mutant_id: str | None, program_id: str, k: int) -> dict[str, Any]:
    operator = MUTANTS[mutant_id][1] if mutant_id else None
    run = {"run_id": f"{mutant_id}/{k}", "program_id": program_id, "k": k}
    return {**keys(mutant_id, operator), **run, "weights": b"w", "sha256": "s"}


def write(root: Path, mutants: Sequence[str], kept: int = 2) -> Path:
    check_or_create(root, {"seed": 1})
    subject = {
        **{key: value for key, value in keys(None, None).items() if key in ("subject", "split")},
        "data_group": "ones",
        "program_id": CLEAN.program_id,
        "task": "classification",
        "data_embedded": False,
        "judge_test_disjoint": True,
        "program_json": CLEAN.text,
    }
    tables: dict[str, list[dict[str, Any]]] = {"subjects": [subject], "mutants": [], "faults": []}
    tables["models"] = [model(None, CLEAN.program_id, k) for k in range(kept)]
    for name in mutants:
        program, operator, outcome, layer, position = MUTANTS[name]
        row = {"outcome": outcome, "program_id": program.program_id, "program_json": program.text}
        tables["mutants"].append({**keys(name, operator), **row})
        fault = {
            "answer_set": 0,
            "is_minimal": True,
            "fault_type": operator,
            "layer_index": layer,
            "position": position,
            "layer_localisable": layer is not None,
        }
        tables["faults"].append({**keys(name, operator), **fault})
        tables["models"] += [model(name, program.program_id, k) for k in range(kept)]
    StagingWriter(root).commit("all", tables)
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus", list(MUTANTS))


def payloads(root: Path, localizers: Sequence[str]) -> list[tuple[str, Any, dict[str, Any]]]:
    done = StagingWriter(root).done()
    return list(experiment.payloads(root, experiment.exams(root), localizers, done))


def answer(root: Path, name: str, layers: dict[str | None, int | None], version: str = "1") -> None:
    """Store what a localiser says of both cases of each program: a layer, or that it failed."""
    by_id = {exam.mutant_id: exam for exam in experiment.exams(root)}
    rows = []
    for mutant_id, layer in layers.items():
        suspect = {"layer": str(layer), "score": 1.0, "fault_type": None, "neurons": None}
        said = {
            "localizer": name,
            "version": version,
            "status": "failed" if layer is None else "ok",
            "suspects": [] if layer is None else [suspect],
        }
        cases = [{**said, "case_id": f"{mutant_id}/{k}"} for k in range(2)]
        rows += experiment.with_keys(by_id[mutant_id], cases)
    StagingWriter(root).commit(f"answers-{name}-{version}", {"diagnoses": rows})


def test_exams_are_the_clean_programs_and_the_killed_layer_faults(root: Path) -> None:
    found = {exam.mutant_id: exam for exam in experiment.exams(root)}
    assert set(found) == {None, "m-first", "m-last"}
    assert found[None].truth is None
    assert (found[None].n_layers, found[None].task) == (3, "classification")
    truth = found["m-last"].truth
    assert truth is not None
    assert truth.answer_sets == (frozenset({2}),)
    assert truth.cell == ("small", "ARM", "last")
    assert found["m-last"].program == LAST.text


@pytest.mark.parametrize("mutants", [[], ["m-alive"], ["m-program"]])
def test_a_corpus_without_killed_layer_faults_is_refused(tmp_path: Path, mutants: Any) -> None:
    root = write(tmp_path / "corpus", mutants)
    with pytest.raises(CorpusError, match="expected killed layer faults"):
        experiment.exams(root)


def test_a_payload_has_the_kept_runs_of_its_own_program(root: Path) -> None:
    found = payloads(root, ["guider", "random"])
    assert len({key for key, _, _ in found}) == len(found) == 3
    for _, exam, payload in found:
        assert payload["program"] == exam.program
        assert [row["run_id"] for row in payload["models"]] == [
            f"{exam.mutant_id}/0",
            f"{exam.mutant_id}/1",
        ]
        assert payload["localizers"] == ["guider", "random"]


def test_only_missing_diagnoses_are_asked_for(root: Path) -> None:
    answer(root, "last-layer", {None: 2, "m-first": 2})
    asked = {exam.mutant_id: payload for _, exam, payload in payloads(root, ["last-layer"])}
    assert set(asked) == {"m-last"}
    both = payloads(root, ["last-layer", "first-layer"])
    names = {exam.mutant_id: payload["localizers"] for _, exam, payload in both}
    assert names == {
        None: ["first-layer"],
        "m-first": ["first-layer"],
        "m-last": ["last-layer", "first-layer"],
    }


def test_another_version_of_a_localizer_is_asked_again(root: Path) -> None:
    answer(root, "last-layer", {None: 2, "m-first": 2, "m-last": 2}, version="0")
    assert len(payloads(root, ["last-layer"])) == 3
    assert "last-layer" not in experiment.score(root, ["last-layer"])


def test_a_unit_that_is_done_is_not_asked_again(root: Path) -> None:
    key, exam, _ = payloads(root, ["first-layer"])[0]
    StagingWriter(root).commit(key, {"diagnoses": []})
    assert exam not in [other for _, other, _ in payloads(root, ["first-layer"])]


def test_a_corpus_that_kept_no_models_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "corpus", ["m-first"], kept=0)
    with pytest.raises(CorpusError, match=r"expected kept models.*keep_models"):
        payloads(root, ["random"])


def test_unknown_localizers_are_refused(root: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'guider'"):
        payloads(root, ["guidr"])
    with pytest.raises(ConfigError, match="expected a class with name, version"):
        payloads(root, ["json:JSONDecoder"])


def test_scores_are_right_and_failures_miss(root: Path) -> None:
    answer(root, "last-layer", {"m-first": 2, "m-last": 2})
    answer(root, "first-layer", {"m-first": 0, "m-last": None})
    cases = experiment.score(root, ["last-layer", "first-layer"])
    assert list(cases) == ["last-layer", "first-layer", "depth-prior", "oracle-prior"]
    rows = {(row["localizer"], row["mutant_id"]): row for row in experiment.score_rows(cases)}
    assert rows["last-layer", "m-last"]["hit_1"] == 1.0
    assert rows["last-layer", "m-first"]["hit_1"] == 0.0
    assert rows["first-layer", "m-first"]["hit_1"] == rows["first-layer", "m-first"]["all_1"] == 1
    assert rows["first-layer", "m-last"]["hit_1"] == 0.0
    assert rows["last-layer", "m-last"]["rank_expected"] == 1.0
    assert rows["last-layer", "m-last"]["operator"] == "ARM"
    summary = {row["localizer"]: row for row in experiment.summary_rows(cases, seed=0)}
    assert summary["first-layer"]["no_answer"] == 2
    assert summary["first-layer"]["hit@1"]["value"] == 0.5
    assert summary["last-layer"]["gain"]["value"] == pytest.approx((0.5 - 1 / 3) / (1 - 1 / 3))
    assert summary["last-layer"]["hit@3"]["value"] is None
    json.dumps(list(summary.values()), allow_nan=False)
    assert experiment.summary_rows(cases, seed=0) == list(summary.values())


def test_guider_is_scored_under_both_rules_for_ties(root: Path) -> None:
    version = experiment.LOCALIZERS.create("guider").version
    answer(root, "guider", {"m-first": 0, "m-last": 2}, version)
    cases = experiment.score(root, ["guider"])
    assert list(cases)[:2] == ["guider", "guider (ties=deepest)"]


def test_tables_by_operator_and_by_position(root: Path) -> None:
    answer(root, "last-layer", {"m-first": 2, "m-last": 2})
    cases = experiment.score(root, ["last-layer"])
    first, last = experiment.breakdown_rows(cases, "position")
    assert (first["position"], first["mutants"], first["last-layer"]) == ("first", 1, 0.0)
    assert (last["position"], last["mutants"], last["last-layer"]) == ("last", 1, 1.0)
    (arm,) = experiment.breakdown_rows(cases, "operator")
    assert (arm["operator"], arm["mutants"], arm["last-layer"]) == ("ARM", 2, 0.5)


def test_clean_programs_are_no_part_of_the_score(root: Path) -> None:
    answer(root, "last-layer", {None: 2, "m-first": 2, "m-last": 2})
    cases = experiment.score(root, ["last-layer"])
    assert len(cases["last-layer"]) == 4
    (row,) = experiment.clean_rows(root, ["last-layer"])
    assert (row["localizer"], row["subject"], row["cases"]) == ("last-layer", "small", 2)
    assert (row["most_blamed_layer"], row["its_share"], row["silent"]) == (2, 1.0, 0.0)


def test_scores_are_stored_once(root: Path) -> None:
    answer(root, "last-layer", {"m-first": 2, "m-last": 2})
    rows = experiment.score_rows(experiment.score(root, ["last-layer"]))
    assert experiment.new_rows(root, rows) == rows
    StagingWriter(root).commit("scores", {"scores": rows})
    assert experiment.new_rows(root, rows) == []
    assert len(reader.rows(root, "scores")) == len(rows) == 6
