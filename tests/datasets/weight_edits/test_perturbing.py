from typing import Any

import numpy as np
import pytest
from faultloom.datasets.weight_edits import apply_weight_edit


def test_fuzzing_multiplies_by_draws_in_the_order_of_the_kernel(case: Any) -> None:
    neurons = [0, 2]
    old, new = case.applied(case.edit("gaussian_fuzzing", neurons, magnitude=0.5), seed=3)
    rng = np.random.default_rng(3)
    for path in old:
        if new[path] is old[path]:
            continue
        right = old[path].astype("float64")
        owners = [case.owner(index) for index in np.ndindex(*right.shape)]
        gates = sorted({gate for _, gate in owners})
        incoming = len(owners) // (case.units * len(gates))
        for position in range(incoming):
            for gate in gates:
                for neuron in neurons:
                    index = case.entries(right.shape)[neuron, gate][position]
                    right[index] *= 1 + rng.normal(0, 0.5)
        assert np.array_equal(new[path], right.astype("float32"))


def test_factors_are_normal_around_one() -> None:
    weights = {"dense/kernel": np.ones((500, 4), "float32")}
    parameters = {"layer": "dense", "magnitude": 0.5, "neurons": [0], "units": 4}
    edit = {"name": "gaussian_fuzzing", "parameters": parameters}
    factors = apply_weight_edit(edit, weights, np.random.default_rng(1))["dense/kernel"][:, 0]
    assert factors.mean() == pytest.approx(1, abs=0.1)
    assert factors.std() == pytest.approx(0.5, rel=0.1)


def quantised(case: Any, bits: int) -> Any:
    edit = {"name": "quantisation", "parameters": {"bits": bits, "layer": "model/layer"}}
    return case.applied(edit)


@pytest.mark.parametrize("bits", [2, 3, 8])
def test_quantised_weights_are_the_nearest_of_their_levels(case: Any, bits: int) -> None:
    old, new = quantised(case, bits)
    highest = 2 ** (bits - 1) - 1
    for path in old:
        if path.endswith("bias") or not path.startswith("model/layer/"):
            assert new[path] is old[path]
            continue
        step = float(np.abs(old[path]).max()) / highest
        levels = [step * level for level in range(-highest, highest + 1)]
        for before, after in zip(old[path].flat, new[path].flat, strict=True):
            nearest = min(levels, key=lambda level: abs(level - float(before)))
            assert float(after) == pytest.approx(nearest, rel=1e-6)
        assert np.abs(new[path]).max() == np.abs(old[path]).max()


def test_quantising_twice_is_quantising_once(named: Any) -> None:
    _, once = quantised(named("LSTM"), 3)
    edit = {"name": "quantisation", "parameters": {"bits": 3, "layer": "model/layer"}}
    twice = apply_weight_edit(edit, once, np.random.default_rng(1))
    assert all(np.allclose(twice[path], once[path], rtol=1e-6) for path in once)


def test_zero_weights_have_no_scale_and_stay() -> None:
    weights = {"dense/kernel": np.zeros((3, 2), "float32")}
    edit = {"name": "quantisation", "parameters": {"bits": 2, "layer": "dense"}}
    assert apply_weight_edit(edit, weights, np.random.default_rng(1)) == weights
