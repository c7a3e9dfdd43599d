from collections.abc import Callable

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.transforms import TransformResult

Table = Callable[..., Rows]
Transformed = Callable[..., TransformResult]

# 20 zeros, 50 ones, 30 twos. The inputs of zeros and twos are alike, those of ones are not.
CLASSES = np.repeat([0, 1, 2], [20, 50, 30])
X = np.array([1.0, 90.0, 2.0], "float32")[CLASSES].reshape(-1, 1)
CODINGS = {
    "integer": CLASSES,
    "bytes": CLASSES.astype("uint8"),
    "column": CLASSES.reshape(-1, 1),
    "one-hot": np.eye(3, dtype="float32")[CLASSES],
    "one-hot of truth values": np.eye(3, dtype=bool)[CLASSES],
}
every_coding = pytest.mark.parametrize("labels", CODINGS.values(), ids=CODINGS.keys())


def numbers(labels: np.ndarray) -> np.ndarray:
    flat = labels.reshape(len(labels), -1)
    return flat.argmax(axis=1) if flat.shape[1] > 1 else flat[:, 0].astype(int)


@every_coding
@pytest.mark.parametrize(
    ("pair", "confusion"),
    [
        ("frequent", {(0, 0): 20, (1, 1): 30, (1, 2): 20, (2, 2): 18, (2, 1): 12}),
        ("nearest", {(0, 0): 12, (0, 2): 8, (1, 1): 50, (2, 2): 18, (2, 0): 12}),
    ],
)
def test_two_classes_are_confused(
    table: Table,
    transformed: Transformed,
    labels: np.ndarray,
    pair: str,
    confusion: dict[tuple[int, int], int],
) -> None:
    result = transformed(table(labels, X), "confuse_classes", percentage=40.0, pair=pair)
    new = result.rows.y[0]
    pairs = list(zip(CLASSES.tolist(), numbers(new).tolist(), strict=True))
    assert {found: pairs.count(found) for found in set(pairs)} == confusion
    assert new.dtype == labels.dtype and new.shape == labels.shape and result.index is None
    assert np.array_equal(result.touched, np.flatnonzero(numbers(new) != CLASSES))


def test_a_hundred_percent_exchange_two_classes(table: Table, transformed: Transformed) -> None:
    labels = np.array([True, False, True, True])
    result = transformed(table(labels), "confuse_classes", percentage=100.0, pair="nearest")
    assert np.array_equal(result.rows.y[0], ~labels)


def test_one_class_cannot_be_confused(table: Table, transformed: Transformed) -> None:
    rows = table([4, 4])
    assert transformed(rows, "confuse_classes", percentage=100.0, pair="frequent").rows is rows


@every_coding
def test_labels_are_shuffled_among_a_share_of_the_rows(
    table: Table, transformed: Transformed, labels: np.ndarray
) -> None:
    rows = table(labels, X)
    result = transformed(rows, "shuffle_labels", percentage=30.0)
    old, new = numbers(labels), numbers(result.rows.y[0])
    assert np.array_equal(np.bincount(new), np.bincount(old))
    assert np.array_equal(result.touched, np.flatnonzero(old != new))
    assert 10 < len(result.touched) <= 30
    assert result.rows.x[0] is rows.x[0] and np.array_equal(rows.y[0], labels)


def test_numbers_are_shuffled_as_classes_are(table: Table, transformed: Transformed) -> None:
    targets = np.linspace(0, 1, 50, dtype="float32")
    new = transformed(table(targets), "shuffle_labels", percentage=100.0).rows.y[0]
    assert np.array_equal(np.sort(new), targets) and abs(np.corrcoef(new, targets)[0, 1]) < 0.4


def test_the_labels_of_several_outputs_stay_together(transformed: Transformed) -> None:
    numbered = np.arange(40)
    rows = Rows((numbered.reshape(-1, 1),), (numbered, 100.0 + numbered))
    result = transformed(rows, "shuffle_labels", percentage=100.0)
    assert np.array_equal(result.rows.y[1], 100.0 + result.rows.y[0])
    assert np.array_equal(result.touched, np.flatnonzero(result.rows.y[0] != numbered))


@pytest.mark.parametrize(
    ("labels", "shift", "wrapped", "plain"),
    [
        ([0, 2, 1], 1, [1, 0, 2], [1, 3, 2]),
        ([0, 2, 1], -1, [2, 1, 0], [-1, 1, 0]),
        (np.array([0, 1, 2], "uint8"), -1, [2, 0, 1], [-1, 0, 1]),
        ([[0], [1]], 1, [[1], [0]], [[1], [2]]),
        ([False, True], 1, [True, False], [1, 2]),
        ([0.0, 1.0, 0.0], -1, [1.0, 0.0, 1.0], [-1.0, 0.0, -1.0]),
        ([[1, 0, 0], [0, 0, 1]], 1, [[0, 1, 0], [1, 0, 0]], [[0, 1, 0], [0, 0, 0]]),
        ([[1, 0, 0], [0, 0, 1]], -1, [[0, 0, 1], [0, 1, 0]], [[0, 0, 0], [0, 1, 0]]),
        ([[0, 1], [2, 2]], 1, [[1, 2], [0, 0]], [[1, 2], [3, 3]]),
    ],
)
def test_classes_are_counted_one_off(
    table: Table, undrawn: Transformed, labels: object, shift: int, wrapped: object, plain: object
) -> None:
    rows = table(labels)
    for wrap, expected in ((True, wrapped), (False, plain)):
        result = undrawn(rows, "shift_labels", shift=shift, wrap=wrap)
        assert np.array_equal(result.rows.y[0], expected)
        assert np.array_equal(result.touched, np.arange(len(rows)))
    kept = undrawn(rows, "shift_labels", shift=shift, wrap=True).rows.y[0]
    assert kept.dtype == rows.y[0].dtype


@pytest.mark.parametrize(
    ("labels", "recoded"),
    [
        ([2, 0, 1], [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ([[1], [0]], [[0, 1], [1, 0]]),
        ([3, 0], [[0, 0, 0, 1], [1, 0, 0, 0]]),
        ([0.0, 1.0], [[1, 0], [0, 1]]),
        ([True, False], [[0, 1], [1, 0]]),
        ([-1.0, 1.0], [[1, 0], [0, 1]]),
        ([0.5, 0.25, 0.5], [[0, 1], [1, 0], [0, 1]]),
        (["b", "a"], [[0, 1], [1, 0]]),
        ([[0, 0, 1], [1, 0, 0]], [2, 0]),
        ([[False, True], [True, False]], [1, 0]),
    ],
)
def test_labels_become_what_they_are_not(
    table: Table, undrawn: Transformed, labels: object, recoded: object
) -> None:
    result = undrawn(table(labels), "recode_labels")
    assert np.array_equal(result.rows.y[0], recoded)
    assert result.rows.y[0].dtype == ("float32" if np.ndim(recoded) == 2 else "int64")
    assert np.array_equal(result.touched, np.arange(len(result.rows)))


@pytest.mark.parametrize("name", ["confuse_classes", "shuffle_labels"])
def test_another_seed_touches_other_rows(table: Table, transformed: Transformed, name: str) -> None:
    more = {"pair": "frequent"} if name == "confuse_classes" else {}
    one, two, other = (
        transformed(table(CLASSES), name, seed=seed, percentage=50.0, **more) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.rows.y[0], two.rows.y[0])
    assert not np.array_equal(one.touched, other.touched)
