import numpy as np
import pytest
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.weight_edits import apply_weight_edit


def edit(layer: str, neurons: list[int], units: int, magnitude: float = 0.5) -> dict[str, object]:
    parameters = {"layer": layer, "magnitude": magnitude, "neurons": neurons, "units": units}
    return {"name": "gaussian_fuzzing", "parameters": parameters}


def weights() -> dict[str, np.ndarray]:
    made = {
        "dense/kernel": np.ones((500, 4), "float32"),
        "dense/bias": np.ones(4, "float32"),
        "model/dense/kernel": np.ones((5, 4), "float32"),
        "conv2d/kernel": np.ones((3, 3, 2, 4), "float32"),
        "lstm/lstm_cell/kernel": np.ones((5, 12), "float32"),
        "lstm/lstm_cell/recurrent_kernel": np.ones((3, 12), "float32"),
    }
    for array in made.values():
        array.setflags(write=False)
    return made


def changed_columns(path: str, old: dict[str, np.ndarray], new: dict[str, np.ndarray]) -> list[int]:
    axes = tuple(range(old[path].ndim - 1))
    return np.flatnonzero((old[path] != new[path]).any(axis=axes)).tolist()


@pytest.mark.parametrize(
    ("layer", "path", "neurons", "units", "columns"),
    [
        ("dense", "dense/kernel", [0, 2], 4, [0, 2]),
        ("model/dense", "model/dense/kernel", [3], 4, [3]),
        ("conv2d", "conv2d/kernel", [1], 4, [1]),
        ("lstm", "lstm/lstm_cell/kernel", [1], 3, [1, 4, 7, 10]),
    ],
)
def test_only_the_incoming_weights_of_the_neurons_change(
    layer: str, path: str, neurons: list[int], units: int, columns: list[int]
) -> None:
    old = weights()
    new = apply_weight_edit(edit(layer, neurons, units), old, np.random.default_rng(1))
    assert [key for key in old if new[key] is not old[key]] == [path]
    assert changed_columns(path, old, new) == columns
    assert new[path].dtype == np.float32 and (old[path] == 1).all()


def test_factors_are_normal_around_one() -> None:
    new = apply_weight_edit(edit("dense", [0], 4, 0.5), weights(), np.random.default_rng(1))
    assert new["dense/kernel"][:, 0].mean() == pytest.approx(1, abs=0.1)
    assert new["dense/kernel"][:, 0].std() == pytest.approx(0.5, rel=0.1)


def test_the_seed_alone_decides() -> None:
    one, two, other = (
        apply_weight_edit(edit("dense", [0], 4), weights(), np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one["dense/kernel"], two["dense/kernel"])
    assert not np.array_equal(one["dense/kernel"], other["dense/kernel"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (edit("nowhere", [0], 4), "has no kernel"),
        (edit("dense", [4], 4), "has no neurons 4"),
        (edit("dense", [0], 3), "4 columns with 3 units"),
        ({"name": "nonsense", "parameters": {}}, "expected one of gaussian_fuzzing"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(SubjectError, match=message):
        apply_weight_edit(wrong, weights(), np.random.default_rng(1))
