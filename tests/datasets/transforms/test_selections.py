from collections.abc import Callable

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.transforms import TransformResult

Table = Callable[..., Rows]
Transformed = Callable[..., TransformResult]

# 60 zeros, 100 ones, 40 twos; the mean class has 66.7 rows.
CLASSES = np.repeat([0, 1, 2], [60, 100, 40])
CODINGS = {
    "integer": CLASSES,
    "column": CLASSES.reshape(-1, 1),
    "one-hot": np.eye(3, dtype="float32")[CLASSES],
    "one-hot of truth values": np.eye(3, dtype=bool)[CLASSES],
    "words": np.array(["a", "b", "c"])[CLASSES],
}
every_coding = pytest.mark.parametrize("labels", CODINGS.values(), ids=CODINGS.keys())


def counts(result: TransformResult) -> list[int]:
    assert result.index is not None
    return np.bincount(CLASSES[result.index], minlength=3).tolist()


def check_partition(result: TransformResult, rows: int) -> None:
    """What is deleted and what stays are all rows, each once and in order."""
    assert result.index is not None
    assert np.array_equal(np.sort([*result.index, *result.touched]), np.arange(rows))
    assert np.array_equal(result.index, np.sort(result.index))


@every_coding
def test_classes_below_the_mean_lose_their_share(
    table: Table, transformed: Transformed, labels: np.ndarray
) -> None:
    rows = table(labels)
    result = transformed(rows, "unbalance_rows", percentage=50.0, task="classification")
    assert counts(result) == [30, 100, 20] and result.rows is rows
    check_partition(result, 200)


def test_all_of_the_small_classes_can_go(table: Table, transformed: Transformed) -> None:
    assert counts(transformed(table(CLASSES), "unbalance_rows", percentage=100.0)) == [0, 100, 0]


def test_truth_values_are_two_classes(table: Table, transformed: Transformed) -> None:
    labels = np.arange(10) < 3
    result = transformed(table(labels), "unbalance_rows", percentage=100.0)
    assert np.array_equal(result.touched, [0, 1, 2])


def test_equal_classes_have_none_below_the_mean(table: Table, transformed: Transformed) -> None:
    result = transformed(table(np.repeat([0, 1], 10)), "unbalance_rows", percentage=100.0)
    assert len(result.touched) == 0 and len(result.materialized()) == 20


def test_rare_numbers_are_those_far_from_the_mean(table: Table, transformed: Transformed) -> None:
    targets = np.concatenate([np.full(20, 5.0), [-90.0, 100.0, 101.0]]).astype("float32")
    result = transformed(table(targets), "unbalance_rows", percentage=100.0, task="regression")
    assert np.array_equal(result.touched, [20, 21, 22])


@every_coding
@pytest.mark.parametrize(
    ("which", "left"), [("most_frequent", [60, 10, 40]), ("least_frequent", [60, 100, 4])]
)
def test_one_class_is_nearly_missing(
    table: Table, transformed: Transformed, labels: np.ndarray, which: str, left: list[int]
) -> None:
    setting = {"percentage": 90.0, "which": which, "task": "classification"}
    result = transformed(table(labels), "delete_class", **setting)
    assert counts(result) == left
    check_partition(result, 200)


def test_a_class_can_be_missing_but_not_every_row(table: Table, transformed: Transformed) -> None:
    setting = {"percentage": 100.0, "which": "most_frequent"}
    assert counts(transformed(table(CLASSES), "delete_class", **setting)) == [60, 0, 40]
    assert len(transformed(table([1, 1, 1]), "delete_class", **setting).materialized()) == 1


def test_high_targets_are_missing(table: Table, transformed: Transformed) -> None:
    targets = np.concatenate([np.zeros(8), [50.0, 60.0]])
    setting = {"percentage": 100.0, "which": "least_frequent", "task": "regression"}
    result = transformed(table(targets), "delete_class", **setting)
    assert np.array_equal(result.touched, [8, 9])


def test_repeated_rows_are_told_by_an_index(table: Table, transformed: Transformed) -> None:
    rows = table(CLASSES, weights=np.arange(200, dtype="float32"))
    result = transformed(rows, "repeat_rows", percentage=25.0, which="all")
    assert result.rows is rows and result.index is not None
    assert np.array_equal(result.index[:200], np.arange(200))
    assert np.array_equal(result.index[200:], result.touched) and len(result.touched) == 50
    assert np.array_equal(result.materialized().sample_weight[200:], result.touched)


def test_above_a_hundred_percent_rows_come_more_than_twice(
    table: Table, transformed: Transformed
) -> None:
    setting = {"percentage": 250.0, "which": "most_frequent", "task": "classification"}
    result = transformed(table(CLASSES), "repeat_rows", **setting)
    assert counts(result) == [60, 350, 40]
    assert set(np.bincount(result.index)[60:160].tolist()) == {3, 4}
    assert np.array_equal(result.touched, np.arange(60, 160))


@pytest.mark.parametrize(
    ("percentage", "left"), [(1.0, 10), (50.0, 5), (75.0, 2), (99.0, 1), (100.0, 1)]
)
def test_the_first_rows_stay_of_truncated_data(
    table: Table, undrawn: Transformed, percentage: float, left: int
) -> None:
    result = undrawn(table(range(10)), "truncate_rows", percentage=percentage)
    assert np.array_equal(result.index, np.arange(left))
    assert np.array_equal(result.touched, np.arange(left, 10))


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        ([2, 0, 1, 0], [1, 3, 2, 0]),
        ([True, False, True], [1, 0, 2]),
        ([[0, 1], [1, 0], [0, 1]], [0, 2, 1]),
        ([0.5, -2.0, 0.25], [1, 2, 0]),
    ],
)
def test_rows_are_sorted_by_label_and_else_stay_in_order(
    table: Table, undrawn: Transformed, labels: list[object], order: list[int]
) -> None:
    result = undrawn(table(labels), "sort_rows")
    assert np.array_equal(result.index, order)
    assert np.array_equal(result.touched, np.flatnonzero(np.arange(len(order)) != order))


@pytest.mark.parametrize(
    ("name", "more"),
    [("unbalance_rows", {}), ("delete_class", {"which": "most_frequent"}), ("delete_rows", {})],
)
def test_another_seed_deletes_other_rows(
    table: Table, transformed: Transformed, name: str, more: dict[str, str]
) -> None:
    one, two, other = (
        transformed(table(CLASSES), name, seed=seed, percentage=50.0, **more) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.touched, two.touched)
    assert not np.array_equal(one.touched, other.touched)
    assert len(one.touched) == len(other.touched)
