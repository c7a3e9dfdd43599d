import numpy as np
import pytest
from faultloom.datasets.arrays import Rows, by_hash
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.render import script_arrays
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf


def role(count: int, first: float) -> Rows:
    return Rows((np.full((count, 4), first, "float32"),), (np.arange(count) % 3,))


PARTS = {"train": role(9, 0), "judge": role(6, 1), "test": role(7, 2)}
DATA = {"validation": None, **{name: rows.record() for name, rows in PARTS.items()}}
ARRAYS = by_hash(list(PARTS.values()))


def transform(*roles: str) -> dict[str, object]:
    parameters = {"percentage": 50.0, "task": "classification"}
    return {"name": "delete_rows", "parameters": parameters, "roles": list(roles)}


@pytest.mark.parametrize("mode", ["reproduce", "blind"])
def test_arrays_are_named_by_role(mode: str) -> None:
    found = script_arrays(small_program(data=DATA), ARRAYS, mode)
    assert set(found) == {"x_train", "y_train", "x_test", "y_test"}
    # Seven and six rows are no halves of one set of rows, so they stay apart.
    assert np.array_equal(found["x_test"], PARTS["test"].x[0])


def test_a_script_that_transforms_rows_itself_gets_them_untouched() -> None:
    program = small_program(data=DATA, transforms=[transform("train", "test")])
    found = script_arrays(program, ARRAYS)
    assert (len(found["x_train"]), len(found["x_test"])) == (9, 7)


def test_a_blind_script_gets_the_rows_of_a_run() -> None:
    program = small_program(data=DATA, transforms=[transform("train")])
    found = script_arrays(program, ARRAYS, "blind", lambda _: np.random.default_rng(0))
    assert (len(found["x_train"]), len(found["y_train"]), len(found["x_test"])) == (3, 3, 7)


def test_rows_that_are_drawn_need_a_seed() -> None:
    program = small_program(data=DATA, transforms=[transform("train")])
    with pytest.raises(SubjectError, match="transform 0 draws random numbers; expected"):
        script_arrays(program, ARRAYS, "blind")


def test_a_missing_array_is_named() -> None:
    with pytest.raises(SubjectError, match="not among the subject's arrays"):
        script_arrays(small_program(), {})
