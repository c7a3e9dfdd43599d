"""All scores of a corpus made by hand, whose answers are worked out here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus.writer import check_or_create
from faultloom.datasets.errors import CorpusError
from faultloom.generator.scores.report import report

# The direction of a metric is known where Keras is.
pytestmark = pytest.mark.tf

Toy = Callable[..., Path]
Tables = dict[str, list[dict[str, Any]]]


def scores(root: Path) -> dict[str, Any]:
    (found,) = report(root)["subjects"]
    json.dumps(found, allow_nan=False)
    return dict(found)


def reasons(found: dict[str, Any]) -> dict[str, str]:
    return {row["score"]: row["reason"] for row in found["not_computed"]}


def test_the_totals(toy: Toy) -> None:
    found = scores(toy())
    assert (found["subject"], found["criterion"]) == ("toy", "deepcrime")
    assert (found["mutants"], found["killed"], found["k_score"]) == (5, 3, 0.6)
    # HNE: training data kills from 10 of 20 epochs on, judge rows from 2; ACH: tanh of tanh.
    assert found["mutation_score"] == pytest.approx((1 / 9 + 1) / 2, abs=1e-5)
    # Killing with 10 epochs is not sure: |10 - 10| / 9 + |2 - 10| / 9 is not 0, so HNE is left out.
    assert found["mutation_score_published"] == 1.0
    # On the weak rows 2 epochs are wrong 5 times of 50, tanh never.
    assert found["weak"] == {"construction": "confidence 1", "inputs": 50, "of": 100}
    assert found["weak_mutation_score"] == pytest.approx(1 / 18, abs=1e-5)
    assert found["sensitivity"] == pytest.approx(0.9, abs=1e-4)
    # Different vectors: none, rows 10 to 39, rows 10 to 29, all but the first.
    assert found["d_score"] == 4 / 6
    # One epoch fails wherever the others do, and more than 25 rows tell them apart.
    assert (found["trivial"], found["redundant"], found["redundant_published"]) == (1, 1, 1)
    assert found["killed_by_some_input"] == 3
    assert (found["shams"], found["shams_killed_by_some_input"]) == (1, 0)
    # tanh is killed with d = 1 and 8 runs a side: power .46; the others for sure.
    assert found["instability"] == pytest.approx((1.0 + 0.0) / 2)


def test_the_rows_of_operators(toy: Toy) -> None:
    rows = {row["operator"]: row for row in scores(toy())["operators"]}
    epochs, activation = rows["HNE"], rows["ACH"]
    assert (epochs["kind"], epochs["mutants"], epochs["undecided"]) == ("range", 3, 0)
    assert (epochs["killed_train"], epochs["killed_test"]) == (3, 2)
    assert epochs["score"] == epochs["score_published"] == pytest.approx(1 / 9, abs=1e-5)
    assert epochs["instability_published"] == pytest.approx(8 / 9)
    assert epochs["killability"] == pytest.approx(1 / 19, abs=1e-5)
    assert epochs["monotone"] is True
    assert epochs["weak_score"] == pytest.approx(1 / 9, abs=1e-5)
    assert (activation["kind"], activation["score"], activation["weak_score"]) == ("set", 1.0, 0.0)
    assert (activation["killability"], activation["monotone"]) == (None, None)
    assert activation["sensitivity"] == 1.0


def test_the_rows_of_mutants(toy: Toy) -> None:
    rows = {row["mutant_id"]: row for row in scores(toy())["mutant_rows"]}
    assert set(rows) == {"ten", "two", "one", "tanh", "elu"}
    probabilities = {mutant: row["killing_probability"] for mutant, row in rows.items()}
    # A row that clean runs get wrong k times of 8 is killed by the other pairs of runs.
    expected = {"ten": 0.0, "two": 0.3, "one": (2 + 4 + 6 + 97 * 8) / 800, "tanh": 0.2, "elu": 0.0}
    assert probabilities == pytest.approx(expected)
    # The third row is wrong in 2 of 8 clean runs: p = 28 / 8008 is above .05 / 100.
    kills = {mutant: row["killing_inputs"] for mutant, row in rows.items()}
    assert kills == {"ten": 0, "two": 30, "one": 97, "tanh": 20, "elu": 0}
    assert [mutant for mutant, row in rows.items() if row["trivial"]] == ["one"]
    redundant = {mutant: row["redundant"] for mutant, row in rows.items()}
    assert redundant == {"ten": None, "two": False, "one": True, "tanh": False, "elu": None}
    assert (rows["tanh"]["name"], rows["two"]["name"]) == ("dense activation=tanh", "epochs=2")
    assert [rows["elu"]["killed"], rows["elu"]["killed_train"]] == [False, False]
    assert [rows["ten"]["killed"], rows["ten"]["killed_train"]] == [False, True]


def test_what_is_not_stored_is_said(toy: Toy) -> None:
    said = reasons(scores(toy()))
    assert list(said) == ["triviality and redundancy on training rows"]
    assert "no predictions on training rows are stored" in next(iter(said.values()))


def test_mutants_that_are_not_decided_are_left_out_and_counted(toy: Toy) -> None:
    def change(tables: Tables) -> None:
        tables["mutants"][1]["outcome"] = "undecided"
        tables["runs"] = [row for row in tables["runs"] if row["run_id"] != "tanh-7"]

    found = scores(toy(change))
    said = reasons(found)
    assert said["mutation score, judge rows"].startswith("1 of 5 mutants are left out")
    assert "too few runs for deepcrime" in said["mutation score, training rows"]
    assert (found["killed"], found["k_score"]) == (2, 0.5)
    rows = {row["operator"]: row for row in found["operators"]}
    assert (rows["HNE"]["undecided"], rows["ACH"]["undecided"]) == (1, 1)
    assert rows["ACH"]["score"] is None


def test_regression_has_no_right_answers(toy: Toy) -> None:
    found = scores(toy(task="regression"))
    assert found["mutation_score"] == pytest.approx(5 / 9, abs=1e-5)
    for score in ("d_score", "trivial", "redundant", "sensitivity", "weak", "shams"):
        assert found[score] is None
    (said,) = reasons(found).values()
    assert "not right or wrong in regression" in said


def test_a_judge_that_is_no_accuracy_has_no_weak_score(toy: Toy) -> None:
    found = scores(toy(clean_metric_name="auc"))
    assert found["sensitivity"] is None
    assert found["d_score"] == 4 / 6
    assert "auc is no accuracy" in reasons(found)["weak score, sensitivity"]


def test_models_that_are_never_sure_get_the_most_confident_half(toy: Toy) -> None:
    def change(tables: Tables) -> None:
        for row in tables["predictions"]:
            row["confidence_judge"] = [k / 101 for k in range(100)]

    found = scores(toy(change))
    assert found["weak"] == {"construction": "top 50%", "inputs": 50, "of": 100}


def test_a_corpus_without_predictions(toy: Toy) -> None:
    def change(tables: Tables) -> None:
        tables["predictions"] = []

    found = scores(toy(change))
    assert found["trivial"] is None
    assert "no predictions on judge rows are stored" in reasons(found).values()


def test_nothing_killed_by_training_rows(toy: Toy) -> None:
    def change(tables: Tables) -> None:
        for row in tables["runs"]:
            row["metric_train"] = 0.9 + row["k"] / 1000

    found = scores(toy(change))
    assert found["mutation_score"] is None
    assert found["mutation_score_published"] == 0.0
    assert reasons(found)["mutation score"] == "no mutant is killed by the training rows"


def test_corpora_that_cannot_be_scored(tmp_path: Path, toy: Toy) -> None:
    check_or_create(tmp_path / "begun", {"criterion": "welch"})
    with pytest.raises(CorpusError, match="at least one finished subject"):
        report(tmp_path / "begun")
    root = toy()
    (root / "corpus.json").write_text('{"config": {"seed": 1}, "schema_version": "1"}')
    with pytest.raises(CorpusError, match=r"expected the setting 'criterion' in corpus\.json"):
        report(root)
