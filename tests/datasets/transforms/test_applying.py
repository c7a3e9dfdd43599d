import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.transforms import apply_transforms, task_of, task_of_labels

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
