from collections.abc import Callable

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.transforms import TransformResult

Table = Callable[..., Rows]
Transformed = Callable[..., TransformResult]

CLASSES = np.repeat([0, 1, 2], [30, 50, 20])


@pytest.mark.parametrize(
    "labels",
    [CLASSES, CLASSES.reshape(-1, 1), np.eye(3, dtype="float32")[CLASSES], CLASSES == 0],
    ids=["integer", "column", "one-hot", "truth values"],
)
def test_copies_of_one_class_bear_the_label_of_another(
    table: Table, transformed: Transformed, labels: np.ndarray
) -> None:
    rows = table(labels, weights=np.arange(100, dtype="float32"))
    result = transformed(rows, "overlap_classes", percentage=40.0, task="classification")
    # Of truth values 70 are false, and of classes 50 are ones; the copies get the label of row 0.
    frequent = np.arange(30, 100 if labels.dtype == bool else 80)
    new, number = result.rows, round(0.4 * len(frequent))
    assert len(new) == 100 + number and result.index is None
    assert np.array_equal(result.touched, np.arange(100, 100 + number))
    for old, array in zip(rows.arrays(), new.arrays(), strict=True):
        assert np.array_equal(array[:100], old) and array.dtype == old.dtype
    copied = new.sample_weight[100:].astype(int)
    assert len(set(copied)) == number and set(copied) <= set(frequent)
    assert np.array_equal(new.x[0][100:], rows.x[0][copied])
    assert (new.y[0][100:] == labels[0]).all()


def test_copies_take_the_numbers_of_the_second_bucket_in_turn(
    table: Table, transformed: Transformed
) -> None:
    targets = np.concatenate([np.arange(12) / 100, [9.0, 8.0, -9.0]])
    result = transformed(table(targets), "overlap_classes", percentage=50.0, task="regression")
    assert result.rows.y[0][15:].tolist() == [9.0, 8.0, 9.0, 8.0, 9.0, 8.0]
    assert set(result.rows.x[0][15:, 0] / 2) <= set(range(12))


@pytest.mark.parametrize(("labels", "percentage"), [([1, 1], 100.0), ([0, 1, 1], 1.0)])
def test_nothing_overlaps_without_a_second_class_or_a_copy(
    table: Table, transformed: Transformed, labels: list[int], percentage: float
) -> None:
    rows = table(labels)
    assert transformed(rows, "overlap_classes", percentage=percentage).rows is rows


def roles(table: Table) -> dict[str, Rows]:
    def part(first: int, end: int) -> Rows:
        return table(np.arange(first, end), np.arange(first, end, dtype="float32").reshape(-1, 1))

    return {
        "train": part(0, 10),
        "validation": part(10, 20),
        "judge": part(18, 25),
        "test": part(14, 19),
    }


@pytest.mark.parametrize(
    ("source", "leaking"), [("validation", [10, 11, 12, 13]), ("test", [14, 15, 16, 17])]
)
def test_rows_leak_but_for_those_that_stay_untouched(
    table: Table, transformed: Transformed, source: str, leaking: list[int]
) -> None:
    stored = roles(table)
    setting = {"stored": stored.__getitem__, "source": source}
    result = transformed(stored["train"], "leak_rows", percentage=100.0, **setting)
    assert result.rows.y[0].tolist() == [*range(10), *leaking]
    assert result.rows.x[0][:, 0].tolist() == [*range(10), *leaking]
    assert result.touched.tolist() == [10, 11, 12, 13] and result.index is None
    half = transformed(stored["train"], "leak_rows", percentage=50.0, **setting)
    assert len(half.rows) == 12 and set(half.rows.y[0][10:].tolist()) < set(leaking)


def test_no_row_leaks_where_scripts_validate_on_their_test_rows(
    table: Table, transformed: Transformed
) -> None:
    stored = {**roles(table), "judge": roles(table)["validation"]}
    setting = {"stored": stored.__getitem__, "source": "validation"}
    result = transformed(stored["train"], "leak_rows", percentage=100.0, **setting)
    assert result.rows is stored["train"] and len(result.touched) == 0


def test_rows_without_weights_leak_with_weight_one(table: Table, transformed: Transformed) -> None:
    stored = roles(table)
    train = table([0, 1], [[0.0], [1.0]], np.array([5, 6], "float32"))
    setting = {"stored": stored.__getitem__, "source": "test"}
    result = transformed(train, "leak_rows", percentage=25.0, **setting)
    assert result.rows.sample_weight.tolist() == [5, 6, 1]


@pytest.mark.parametrize("stored", [None, {}.__getitem__])
def test_a_role_that_is_not_there_is_named(
    table: Table, transformed: Transformed, stored: object
) -> None:
    with pytest.raises(SubjectError, match="looks at the validation rows, and there are none"):
        transformed(table([0]), "leak_rows", stored=stored, percentage=50.0, source="validation")
