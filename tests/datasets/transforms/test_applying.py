from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.transforms import (
    TransformResult,
    apply_transforms,
    task_of,
    task_of_labels,
)

CLASSES = np.repeat([0, 1, 2], [60, 100, 40])


def rows(labels: np.ndarray, weighted: bool = False) -> Rows:
    x = np.arange(len(labels) * 2, dtype="float32").reshape(-1, 2)
    weight = np.ones(len(labels), "float32") if weighted else None
    made = Rows((x,), (labels.copy(),), weight)
    for array in made.arrays():
        array.setflags(write=False)
    return made


def transform(name: str, percentage: float, **more: object) -> dict[str, object]:
    return {"name": name, "parameters": {"percentage": percentage, **more}, "roles": ["train"]}


def seeds(position: int) -> np.random.Generator:
    return np.random.default_rng(7 + position)


@pytest.mark.parametrize(
    "labels",
    [
        CLASSES,
        CLASSES.reshape(-1, 1),
        np.eye(3, dtype="float32")[CLASSES],
        (CLASSES == 1).astype("float32"),
        (CLASSES != 1).astype("int64"),
    ],
    ids=["integer", "column", "one-hot", "binary", "binary-integer"],
)
def test_a_share_of_the_most_frequent_class_gets_other_labels(labels: np.ndarray) -> None:
    before = rows(labels)
    after = apply_transforms(before, [transform("change_labels", 25)], "train", seeds)
    old, new = before.y[0].reshape(len(labels), -1), after.rows.y[0].reshape(len(labels), -1)
    changed = np.flatnonzero((old != new).any(axis=1))
    assert np.array_equal(changed, after.touched)
    assert len(changed) == 25 and after.index is None
    assert len(np.unique(old[changed], axis=0)) == 1
    known = {tuple(label) for label in old}
    assert {tuple(label) for label in new} <= known
    assert after.rows.y[0].dtype == labels.dtype and after.rows.y[0].shape == labels.shape
    assert np.array_equal(before.y[0], labels)


def test_other_labels_are_equally_likely() -> None:
    labels = np.repeat([0, 1, 2], [4000, 10, 10])
    after = apply_transforms(rows(labels), [transform("change_labels", 100)], "train", seeds)
    counts = np.bincount(after.rows.y[0])
    assert counts[0] == 0 and abs(int(counts[1]) - int(counts[2])) < 250


def test_regression_gets_noise_in_proportion() -> None:
    labels = np.random.default_rng(0).normal(5, 3, 5000).astype("float32")
    after = apply_transforms(rows(labels), [transform("change_labels", 50)], "train", seeds)
    noise = after.rows.y[0] - labels
    assert noise.std() == pytest.approx(labels.std() / 2, rel=0.05)
    assert after.rows.y[0].dtype == labels.dtype
    assert np.array_equal(after.touched, np.arange(5000))


def test_integer_targets_can_be_numbers() -> None:
    step = transform("change_labels", 50, task="regression")
    after = apply_transforms(rows(CLASSES), [step], "train", seeds)
    assert after.rows.y[0].dtype == np.float32


def test_deletion_is_stratified_and_told_by_an_index() -> None:
    before = rows(CLASSES)
    after = apply_transforms(before, [transform("delete_rows", 90)], "train", seeds)
    assert after.rows is before and after.index is not None
    assert np.bincount(CLASSES[after.index]).tolist() == [6, 10, 4]
    both = np.concatenate([after.index, after.touched])
    assert np.array_equal(np.sort(both), np.arange(200))
    assert np.array_equal(after.index, np.sort(after.index))
    assert len(after.materialized()) == 20


def test_a_row_of_every_class_stays() -> None:
    step = transform("delete_rows", 99)
    after = apply_transforms(rows(CLASSES), [step], "train", seeds)
    assert np.bincount(CLASSES[after.index]).tolist() == [1, 1, 1]


@pytest.mark.parametrize("width", [None, 1, 2, 4])
def test_deletion_keeps_the_spread_of_numbers(width: int | None) -> None:
    shape = 3000 if width is None else (3000, width)
    targets = np.random.default_rng(1).normal(100, 2, shape)
    after = apply_transforms(rows(targets), [transform("delete_rows", 50)], "train", seeds)
    assert after.index is not None and len(after.index) == pytest.approx(1500, abs=5)
    high = targets.reshape(3000, -1)[:, 0] > 102
    assert high[after.index].sum() == pytest.approx(high.sum() / 2, abs=5)


def test_the_seed_alone_decides() -> None:
    steps = [transform("change_labels", 50), transform("delete_rows", 50)]
    one, two = (apply_transforms(rows(CLASSES), steps, "train", seeds) for _ in range(2))
    other = apply_transforms(rows(CLASSES), steps, "train", lambda n: np.random.default_rng(99 + n))
    assert np.array_equal(one.rows.y[0], two.rows.y[0])
    assert np.array_equal(one.index, two.index) and np.array_equal(one.touched, two.touched)
    assert not np.array_equal(one.touched, other.touched)


def test_a_later_transform_sees_what_is_left() -> None:
    steps = [transform("delete_rows", 50), transform("change_labels", 100)]
    before = rows(CLASSES, weighted=True)
    after = apply_transforms(before, steps, "train", seeds)
    assert after.index is not None
    deleted = np.setdiff1d(np.arange(200), after.index)
    assert np.array_equal(after.rows.y[0][deleted], CLASSES[deleted])
    left = after.rows.y[0][after.index]
    assert 1 not in left
    changed = np.flatnonzero(after.rows.y[0] != CLASSES)
    assert np.array_equal(after.touched, np.union1d(deleted, changed))
    assert np.array_equal(after.rows.x[0], before.x[0])


def test_deleting_twice_composes() -> None:
    steps = [transform("delete_rows", 50), transform("delete_rows", 50)]
    after = apply_transforms(rows(CLASSES), steps, "train", seeds)
    assert np.bincount(CLASSES[after.index]).tolist() == [15, 25, 10]


def test_other_roles_are_left_alone() -> None:
    before = rows(CLASSES)
    after = apply_transforms(before, [transform("delete_rows", 50)], "validation", seeds)
    assert after.rows is before and after.index is None and len(after.touched) == 0


def test_one_class_has_no_other_label() -> None:
    step = transform("change_labels", 50)
    after = apply_transforms(rows(np.zeros(9, int)), [step], "train", seeds)
    assert len(after.touched) == 0


def test_an_unknown_transform_is_refused() -> None:
    with pytest.raises(SubjectError, match="transform nonsense: expected one of add_noise"):
        apply_transforms(rows(CLASSES), [transform("nonsense", 1)], "train", seeds)


def test_tasks() -> None:
    hinge = {"class_name": "CategoricalHinge", "config": {}}
    assert task_of({"loss": [hinge], "metrics": []}) == "classification"
    assert task_of({"loss": "mean_squared_error", "metrics": ["accuracy"]}) == "classification"
    assert task_of({"loss": "mean_squared_error", "metrics": ["mae"]}) == "regression"
    assert task_of_labels(np.array([0.0, 1.0])) == "classification"
    assert task_of_labels(np.array([0.5, 1.0])) == "regression"


def steps(*named: tuple[str, dict[str, object]]) -> list[dict[str, object]]:
    return [
        {"name": name, "parameters": parameters, "roles": ["train"]} for name, parameters in named
    ]


def test_copies_of_a_row_can_be_changed_one_by_one() -> None:
    repeat = ("repeat_rows", {"percentage": 100.0, "which": "all"})
    before = rows(np.arange(40), weighted=True)
    then = steps(repeat, ("shuffle_labels", {"percentage": 100.0}))
    after = apply_transforms(before, then, "train", seeds)
    assert len(after.rows) == 80 and np.array_equal(after.index, np.arange(80))
    trained = after.materialized()
    assert np.array_equal(trained.x[0][:40], trained.x[0][40:])
    assert not np.array_equal(trained.y[0][:40], trained.y[0][40:])
    assert np.array_equal(np.bincount(trained.y[0]), np.full(40, 2))
    moved = np.flatnonzero(after.rows.y[0] != np.tile(np.arange(40), 2))
    assert np.array_equal(after.touched, np.union1d(np.arange(40), moved))


def test_rows_are_added_to_what_deletion_left() -> None:
    delete = ("delete_rows", {"percentage": 50.0})
    after = apply_transforms(
        rows(CLASSES), steps(delete, ("overlap_classes", {"percentage": 20.0})), "train", seeds
    )
    assert len(after.rows) == 210 and len(after.index) == 110
    assert np.array_equal(after.index[100:], np.arange(200, 210))
    assert np.array_equal(after.rows.y[0][200:], np.zeros(10))
    assert np.array_equal(after.rows.y[0][:200], CLASSES)
    deleted = np.setdiff1d(np.arange(200), after.index)
    assert np.array_equal(after.touched, [*deleted, *range(200, 210)])


def test_added_rows_can_be_deleted() -> None:
    added = ("overlap_classes", {"percentage": 20.0})
    keep = ("truncate_rows", {"percentage": 50.0})
    after = apply_transforms(rows(CLASSES), steps(added, keep), "train", seeds)
    assert np.array_equal(after.index, np.arange(110)) and len(after.rows) == 220
    assert np.array_equal(after.touched, np.arange(110, 220))


def test_labels_of_another_shape_reach_the_rows_that_are_left() -> None:
    cut = ("truncate_rows", {"percentage": 50.0})
    after = apply_transforms(rows(CLASSES), steps(cut, ("recode_labels", {})), "train", seeds)
    assert after.rows.y[0].shape == (200, 2)
    assert np.array_equal(after.materialized().y[0].argmax(1), CLASSES[:100])


def test_leaking_rows_went_through_what_their_role_went_through() -> None:
    train, held = rows(np.zeros(4, int)), rows(np.ones(4, int))
    scale = {
        "name": "scale_inputs",
        "parameters": {"factor": 2.0, "input": 0},
        "roles": ["train", "validation"],
    }
    (leak,) = steps(("leak_rows", {"percentage": 100.0, "source": "validation"}))
    # The first held-out row is a judge row, though only the validation rows are scaled.
    judge, test = held.take(np.arange(1)), held.take(np.arange(1, 2))
    stored = {"train": train, "validation": held, "judge": judge, "test": test}
    after = apply_transforms(train, [scale, leak], "train", seeds, stored.__getitem__)
    assert np.array_equal(after.rows.x[0][4:], 2 * held.x[0][2:])


def test_rows_that_a_role_lost_do_not_leak() -> None:
    train, held = rows(np.zeros(4, int)), rows(np.ones(6, int))
    cut, again = (
        {"name": name, "parameters": {"percentage": 50.0, "which": "all"}, "roles": ["validation"]}
        for name in ("truncate_rows", "repeat_rows")
    )
    (leak,) = steps(("leak_rows", {"percentage": 100.0, "source": "validation"}))
    nobody = held.take(np.arange(0))
    stored = {"train": train, "validation": held, "judge": nobody, "test": nobody}
    after = apply_transforms(train, [cut, again, leak], "train", seeds, stored.__getitem__)
    leaked = sorted(after.rows.x[0][4:, 0].tolist())
    assert set(leaked) == {0.0, 2.0, 4.0} and len(leaked) == 5


Table = Callable[..., Rows]
Transformed = Callable[..., TransformResult]
SHARES: dict[str, dict[str, Any]] = {
    "add_noise": {},
    "change_labels": {},
    "confuse_classes": {"pair": "nearest"},
    "delete_class": {"which": "most_frequent"},
    "delete_rows": {},
    "overlap_classes": {},
    "repeat_rows": {"which": "all"},
    "shuffle_labels": {},
    "truncate_rows": {},
    "unbalance_rows": {"which": "most_frequent"},
}


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("images", [False, True])
def test_a_share_that_rounds_to_no_row_changes_none(
    table: Table, transformed: Transformed, name: str, images: bool
) -> None:
    x = np.arange(18.0, dtype="float32").reshape((6, 3, 1) if images else (6, 3))
    rows = table([0, 1, 2, 0, 1, 2], x)
    parameters = {"percentage": 1.0, "task": "classification", **SHARES[name]}
    found = transformed(rows, name, **parameters).materialized()
    assert np.array_equal(found.x[0], x) and found.y[0].tolist() == [0, 1, 2, 0, 1, 2]
