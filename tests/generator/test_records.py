"""Rows of subjects, mutants and faults fit their tables and say what was decided."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows, by_hash
from faultloom.datasets.capture import Subject
from faultloom.datasets.corpus.staging import to_table
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.render import render
from faultloom.datasets.slots import with_slot
from faultloom.generator.killing import Verdict
from faultloom.generator.plan import Mutant, plan_mutants
from faultloom.generator.records import mutant_rows, subject_row
from faultloom.generator.scoring import Judge
from faultloom.generator.verdicts import Outcome
from faultloom.operators.cases import small_program

HELD = Rows((np.ones((6, 4), np.float32),), (np.arange(6) % 3,))
TRAIN = Rows((np.zeros((9, 4), np.float32),), (np.arange(9) % 3,))
ARRAYS = by_hash([HELD, TRAIN])
DATA = {"train": TRAIN.record(), "validation": None, "judge": HELD.record(), "test": HELD.record()}
PROGRAM: TrainingProgram = with_slot(small_program(), "/data", DATA)
DATA_SET = {"name": "Ones", "group": "ones", "version": "2", "origin": "synthetic", "licence": "0"}
SUBJECT = Subject(
    "small", PROGRAM, "print()", "classification", "evaluate", False, "ones", DATA_SET, ()
)
VERDICT = Verdict("welch", "killed", "ok", 0.001, 2.5, 0.025, 20, 10, "p = 0.001")


def planned(code: str, shams: int = 0) -> tuple[Mutant, ...]:
    return tuple(plan_mutants(SUBJECT, [code] if code else [], limit=None, shams=shams, seed=0))


def rows(mutant: Mutant, outcome: Outcome) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = mutant_rows(SUBJECT, mutant, outcome, seed=4)
    mutants = to_table("mutants", found["mutants"]).to_pylist()
    assert len(mutants) == 1
    return mutants[0], to_table("faults", found["faults"]).to_pylist()


@pytest.mark.parametrize("code", ["ACH", "HLR", "TCL", "NGF", "WRB"])
def test_a_killed_mutant_has_its_verdict_and_its_truth(code: str) -> None:
    mutant = planned(code)[0]
    row, faults = rows(mutant, Outcome("killed", VERDICT, "p = 0.001"))
    assert row["mutant_id"] == mutant.mutant_id
    assert (row["program_id"], row["clean_program_id"]) == (
        mutant.program.program_id,
        PROGRAM.program_id,
    )
    assert (row["outcome"], row["killed_by_judge"], row["reason"]) == ("killed", "yes", "p = 0.001")
    assert (row["p"], row["effect_size"], row["criterion"]) == (0.001, 2.5, "welch")
    assert (row["alpha"], row["n_clean"], row["n_faulty"]) == (0.025, 20, 10)
    assert (row["subject"], row["data_group"], row["operator"]) == ("small", "ones", code)
    (mutation,) = row["mutations"]
    assert mutation["code"] == code
    assert json.loads(mutation["parameters"]) == mutant.mutations[0].parameters
    assert TrainingProgram.of(json.loads(row["program_json"])) == mutant.program
    assert [fault["slot"] for fault in faults] == [fault.slot for fault in mutant.faults]
    for fault in faults:
        assert (fault["mutant_id"], fault["operator"]) == (mutant.mutant_id, code)
        assert (fault["answer_set"], fault["is_minimal"]) == (0, True)


@pytest.mark.parametrize(
    ("code", "shown"),
    [("ACH", "layers.Dense(8"), ("HLR", "learning_rate="), ("TCL", "rng.choice")],
)
def test_a_mutant_has_its_scripts_and_its_faults_their_lines(code: str, shown: str) -> None:
    row, (fault,) = rows(planned(code)[0], Outcome("killed", VERDICT, ""))
    assert row["clean_script"] == render(PROGRAM).text
    assert row["faulty_script"] == render(planned(code)[0].program, seed=4).text
    assert row["patch"].startswith("--- clean.py\n+++ faulty.py\n")
    text = row["faulty_script"].splitlines()
    assert shown in "\n".join(text[number - 1] for number in fault["lines"])


def test_a_mutant_that_has_no_script_has_none_and_is_stored() -> None:
    mutant = planned("TCL")[0]
    strange = [{"name": "melt", "parameters": {}, "roles": ["train"]}]
    mutant = replace(mutant, program=with_slot(mutant.program, "/transforms", strange))
    row, (fault,) = rows(mutant, Outcome("killed", VERDICT, ""))
    assert [row[name] for name in ("clean_script", "faulty_script", "patch")] == [None] * 3
    assert fault["lines"] is None


def test_a_value_that_was_absent_is_no_json_null() -> None:
    _, (fault,) = rows(planned("TCL")[0], Outcome("killed", VERDICT, ""))
    assert fault["old"] is None
    assert json.loads(fault["new"])["name"] == "change_labels"
    assert fault["layer_localisable"] is False


@pytest.mark.parametrize(
    ("decision", "stored"),
    [("killed", "yes"), ("survived", "no"), ("too_few_runs", "too_few_runs")],
)
def test_what_the_judge_rows_say(decision: Any, stored: str) -> None:
    verdict = Verdict("welch", decision, "ok", None, None, 0.025, 1, 1, "")
    row, _ = rows(planned("HNE")[0], Outcome("undecided", verdict, ""))
    assert row["killed_by_judge"] == stored
    assert (row["p"], row["effect_size"]) == (None, None)


def test_an_incompetent_mutant_has_a_reason_and_no_verdict() -> None:
    row, faults = rows(planned("LCH")[0], Outcome("incompetent", None, "ValueError: shapes"))
    assert (row["outcome"], row["reason"]) == ("incompetent", "ValueError: shapes")
    assert [row[name] for name in ("p", "criterion", "n_faulty", "killed_by_judge")] == [None] * 4
    assert faults


def test_a_sham_has_no_faults_and_the_clean_program() -> None:
    row, faults = rows(planned("", shams=1)[0], Outcome("survived", VERDICT, ""))
    assert (row["operator"], row["program_id"]) == ("SHAM", PROGRAM.program_id)
    assert faults == []


def subject(scores: list[float], shams: list[bool]) -> dict[str, Any]:
    judge = Judge.of(PROGRAM, "classification")
    row = subject_row(SUBJECT, judge, ARRAYS, scores, shams)
    return to_table("subjects", [row]).to_pylist()[0]


def test_a_subject_with_its_clean_scores_and_false_kills() -> None:
    row = subject([0.8, 0.9, 1.0], [False, True, False, False])
    assert (row["program_id"], row["script"]) == (PROGRAM.program_id, "print()")
    assert (row["dataset_name"], row["dataset_origin"]) == ("Ones", "synthetic")
    assert [row[f"n_{role}"] for role in ("train", "validation", "judge", "test")] == [9, 0, 6, 6]
    assert row["judge_test_disjoint"] is False
    assert row["clean_metric_name"] == "accuracy"
    assert row["clean_metric_mean"] == pytest.approx(0.9)
    assert row["clean_metric_sd"] == pytest.approx(0.1)
    assert (row["clean_metric_n"], row["sham_kill_rate"]) == (3, 0.25)
    assert 0 < row["sham_kill_low"] < 0.25 < row["sham_kill_high"] < 1
    assert [layer["name"] for layer in row["layers"]] == ["dense", "dropout", "dense_1"]
    assert [layer["units"] for layer in row["layers"]] == [8, None, 3]
    assert [layer["params"] for layer in row["layers"]] == [5 * 8, 0, 9 * 3]


def test_what_was_never_measured_is_null() -> None:
    row = subject([], [])
    measured = ("clean_metric_mean", "clean_metric_sd", "sham_kill_rate", "sham_kill_low")
    assert [row[name] for name in measured] == [None] * 4
    assert row["clean_metric_n"] == 0
    assert subject([0.5], [False])["clean_metric_sd"] is None
