import numpy as np
import pytest
from faultloom.datasets.arrays import (
    DISJOINT_FROM,
    Rows,
    array_hash,
    by_hash,
    rows_of,
    split_held_out,
)
from faultloom.datasets.errors import SubjectError


def rows(count: int) -> Rows:
    return Rows((np.arange(count * 2.0).reshape(count, 2),), (np.arange(count),))


def test_hash_tells_dtype_shape_and_content():
    base = np.arange(6, dtype=np.float32)
    others = [base.astype(np.float64), base.reshape(2, 3), base + 1]
    assert len({array_hash(array) for array in [base, *others]}) == 4


def test_hash_ignores_memory_order():
    array = np.arange(6).reshape(2, 3)
    assert array_hash(array) == array_hash(np.asfortranarray(array))
    assert array_hash(array[:, ::2]) == array_hash(array[:, ::2].copy())


def test_objects_are_refused():
    with pytest.raises(SubjectError, match="objects"):
        array_hash(np.array([{}]))


def test_rows_of_several_lengths_are_refused():
    with pytest.raises(SubjectError, match="one number of rows"):
        Rows((np.zeros(3),), (np.zeros(4),))


def test_rows_by_hash_and_back():
    before = Rows((np.zeros((3, 2)), np.ones(3)), (np.arange(3),), np.array([0.5, 1, 2]))
    assert before.record()["rows"] == 3
    after = rows_of(before.record(), by_hash([before]))
    for one, other in zip(before.arrays(), after.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(SubjectError, match="not among"):
        rows_of(before.record(), {})


def test_few_held_out_rows_serve_twice():
    held = rows(DISJOINT_FROM - 1)
    judge, test, disjoint = split_held_out(held, seed=0)
    assert judge is test is held
    assert not disjoint


@pytest.mark.parametrize("count", [DISJOINT_FROM, DISJOINT_FROM + 1])
def test_many_held_out_rows_are_halved(count):
    judge, test, disjoint = split_held_out(rows(count), seed=0)
    assert disjoint
    assert abs(len(judge) - len(test)) <= 1
    assert sorted([*judge.y[0], *test.y[0]]) == list(range(count))
    again, _, _ = split_held_out(rows(count), seed=0)
    assert again.record() == judge.record()
    other, _, _ = split_held_out(rows(count), seed=1)
    assert other.record() != judge.record()
