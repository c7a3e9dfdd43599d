"""Scores against the references that everyone knows: scikit-learn and Keras."""

from typing import Any

import keras
import numpy as np
import pytest
import sklearn.metrics
from faultloom.datasets.arrays import Rows
from faultloom.generator.scoring import Judge, correct, values_and_confidence
from faultloom.operators.cases import small_program
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

pytestmark = pytest.mark.tf

RNG = np.random.default_rng(3)
N = 50
X = np.zeros((N, 1), "float32")
CLASSES = RNG.integers(0, 3, N)
ONE_HOT = np.eye(3, dtype="float32")[CLASSES]
PROBABILITIES = RNG.dirichlet([1, 1, 1], N).astype("float32")
TRUTHS = RNG.integers(0, 2, N)
CHANCES = RNG.random((N, 1)).astype("float32")
TARGETS = RNG.normal(size=N).astype("float32")
GUESSES = RNG.normal(size=(N, 1)).astype("float32")
CROSSENTROPY = float(-np.log(PROBABILITIES[np.arange(N), CLASSES]).mean())
PIXELS = RNG.integers(0, 3, (N, 4))
PIXEL_SCORES = RNG.dirichlet([1, 1, 1], (N, 4)).astype("float32")


def score(metric: Any, labels: Any, output: Any, loss: Any = "mean_squared_error") -> float:
    return Judge.on(metric, loss).score(Rows((X,), (labels,)), [output])


@pytest.mark.parametrize(
    ("labels", "output", "expected"),
    [
        (CLASSES, PROBABILITIES, (CLASSES, PROBABILITIES.argmax(1))),
        (CLASSES[:, None], PROBABILITIES, (CLASSES, PROBABILITIES.argmax(1))),
        (ONE_HOT, PROBABILITIES, (CLASSES, PROBABILITIES.argmax(1))),
        (ONE_HOT.astype("int64"), PROBABILITIES, (CLASSES, PROBABILITIES.argmax(1))),
        (TRUTHS, CHANCES, (TRUTHS, CHANCES[:, 0] > 0.5)),
        (TRUTHS[:, None], CHANCES, (TRUTHS, CHANCES[:, 0] > 0.5)),
        (TRUTHS.astype(bool), CHANCES, (TRUTHS, CHANCES[:, 0] > 0.5)),
        (PIXELS, PIXEL_SCORES, (PIXELS.ravel(), PIXEL_SCORES.argmax(2).ravel())),
    ],
)
@pytest.mark.parametrize("name", ["accuracy", "acc"])
def test_accuracy_is_that_of_scikit_learn(
    name: str, labels: Any, output: Any, expected: Any
) -> None:
    reference = sklearn.metrics.accuracy_score(*expected)
    assert score(name, labels, output) == pytest.approx(reference, rel=1e-6)
    assert 0 < reference < 1


@pytest.mark.parametrize(
    ("metric", "reference"),
    [
        ("mean_absolute_error", sklearn.metrics.mean_absolute_error),
        ("mean_squared_error", sklearn.metrics.mean_squared_error),
        ("root_mean_squared_error", sklearn.metrics.root_mean_squared_error),
        ("r2_score", sklearn.metrics.r2_score),
    ],
)
@pytest.mark.parametrize("column", [True, False])
def test_errors_are_those_of_scikit_learn(metric: str, reference: Any, column: bool) -> None:
    labels = TARGETS[:, None] if column else TARGETS
    expected = reference(TARGETS, GUESSES[:, 0])
    assert score(metric, labels, GUESSES) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("loss", "labels", "output", "expected"),
    [
        (
            "sparse_categorical_crossentropy",
            CLASSES,
            PROBABILITIES,
            CROSSENTROPY,
        ),
        (
            "categorical_crossentropy",
            ONE_HOT,
            PROBABILITIES,
            CROSSENTROPY,
        ),
        (
            "binary_crossentropy",
            TRUTHS,
            CHANCES,
            sklearn.metrics.log_loss(TRUTHS, CHANCES[:, 0].astype("float64")),
        ),
        (
            {"class_name": "Huber", "config": {"delta": 0.5}},
            TARGETS,
            GUESSES,
            float(keras.losses.Huber(0.5)(TARGETS[:, None], GUESSES)),
        ),
    ],
)
def test_losses_are_those_of_the_references(
    loss: Any, labels: Any, output: Any, expected: float
) -> None:
    rows = Rows((X,), (labels,))
    assert Judge.on(None, loss).score(rows, [output]) == pytest.approx(expected, rel=1e-4)
    assert Judge.on("accuracy", loss).loss_of(rows, [output]) == pytest.approx(expected, rel=1e-4)


def test_losses_of_several_outputs_add_up() -> None:
    rows = Rows((X,), (CLASSES, TARGETS))
    judge = Judge.on(None, ["sparse_categorical_crossentropy", "mean_squared_error"])
    expected = CROSSENTROPY
    expected += sklearn.metrics.mean_squared_error(TARGETS, GUESSES[:, 0])
    assert judge.loss_of(rows, [PROBABILITIES, GUESSES]) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("metric", ["accuracy", None])
def test_a_prediction_that_is_no_number_has_no_score(metric: Any, wrong: float) -> None:
    output = PROBABILITIES.copy()
    output[7, 1] = wrong
    judge = Judge.on(metric, "sparse_categorical_crossentropy")
    assert np.isnan(judge.score(Rows((X,), (CLASSES,)), [output]))
    assert np.isnan(judge.loss_of(Rows((X,), (CLASSES,)), [output]))


@pytest.mark.parametrize(
    ("metrics", "name", "higher"),
    [
        (["accuracy", "auc"], "accuracy", True),
        ([], "loss", False),
        ([["mean_absolute_error"], ["accuracy"]], "mean_absolute_error", False),
        ([[], ["accuracy"]], "loss", False),
    ],
)
def test_the_judge_is_the_first_metric_or_the_loss(metrics: Any, name: str, higher: bool) -> None:
    judge = Judge.of(small_program(metrics=metrics), "classification")
    assert (judge.name, judge.higher_is_better) == (name, higher)
    assert judge.loss == "sparse_categorical_crossentropy"


def test_all_wrong_is_the_worst_of_a_classifier() -> None:
    rows = Rows((X,), (CLASSES,))
    assert Judge.on("accuracy", "sparse_categorical_crossentropy").worst(rows) == 0.0
    assert Judge.on(None, "sparse_categorical_crossentropy").worst(rows) == float("inf")


@pytest.mark.parametrize("shape", [(N,), (N, 1), (N, 3)])
def test_the_constant_predictor_is_the_worst_of_a_regression(shape: tuple[int, ...]) -> None:
    targets = RNG.normal(5, 2, shape).astype("float32")
    rows = Rows((X,), (targets,))
    spread = targets - targets.mean(0)
    for metric, expected in (
        ("mean_absolute_error", np.abs(spread).mean()),
        (None, np.square(spread).mean()),
        ("r2_score", 0.0),
    ):
        worst = Judge.on(metric, "mean_squared_error", "regression").worst(rows)
        assert worst == pytest.approx(expected, rel=1e-4, abs=1e-5)


finite = st.floats(0, 1, width=32)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_accuracy_is_the_share_of_rows_that_are_right(data: st.DataObject) -> None:
    n, kinds = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 4))
    output = data.draw(arrays.arrays("float32", (n, kinds), elements=finite))
    labels = data.draw(arrays.arrays("int64", n, elements=st.integers(0, max(1, kinds - 1))))
    right = correct("classification", labels, output)
    accuracy = Judge.on("accuracy", None).score(Rows((output,), (labels,)), [output])
    assert right.shape == (n,) and right.dtype == bool
    assert accuracy == pytest.approx(right.mean(), abs=1e-6)
    values, confidence = values_and_confidence("classification", output)
    assert np.array_equal(values == labels, right)
    assert ((confidence >= 0) & (confidence <= 1)).all()


@given(arrays.arrays("float32", (9, 3), elements=finite), st.permutations(range(9)))
@settings(max_examples=25, deadline=None)
def test_the_order_of_rows_does_not_matter(output: Any, order: list[int]) -> None:
    labels = CLASSES[:9]
    for metric in ("accuracy", None):
        judge = Judge.on(metric, "sparse_categorical_crossentropy")
        one = judge.score(Rows((output,), (labels,)), [output])
        other = judge.score(Rows((output,), (labels[order],)), [output[order]])
        assert one == pytest.approx(other, rel=1e-4)


def test_regression_has_no_right_answers() -> None:
    assert not correct("regression", TARGETS, TARGETS[:, None]).any()
    values, confidence = values_and_confidence("regression", GUESSES)
    assert np.array_equal(values, GUESSES[:, 0]) and np.isnan(confidence).all()


def test_one_hot_labels_and_classes_are_right_alike() -> None:
    by_class = correct("classification", CLASSES, PROBABILITIES)
    assert np.array_equal(correct("classification", ONE_HOT, PROBABILITIES), by_class)
    assert np.array_equal(by_class, PROBABILITIES.argmax(1) == CLASSES)
