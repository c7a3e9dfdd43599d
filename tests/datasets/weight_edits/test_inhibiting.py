from typing import Any

import numpy as np
import pytest
from faultloom.datasets.weight_edits import apply_weight_edit


def test_the_inverse_flips_the_sign_of_weights_and_biases(case: Any, expected: Any) -> None:
    neurons = [0, 2]
    _, new = case.applied(case.edit("activation_inverse", neurons))
    right = expected(case, neurons, lambda values: [-value for value in values])
    assert all(np.array_equal(new[path], right[path]) for path in right)


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_an_inhibited_neuron_adds_up_less(case: Any, expected: Any, share: float) -> None:
    _, new = case.applied(case.edit("neuron_inhibition", [1], share=share))
    right = expected(case, [1], lambda values: [value * (1 - share) for value in values])
    assert all(np.allclose(new[path], right[path], rtol=1e-6, atol=0) for path in right)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 1.0])
def test_a_share_of_the_weights_of_each_gate_is_zero(case: Any, share: float) -> None:
    old, new = case.applied(case.edit("weight_inhibition", [1], share=share))
    for path in old:
        if new[path] is old[path]:
            continue
        for (neuron, _), indices in case.entries(old[path].shape).items():
            zeros = [index for index in indices if new[path][index] == 0]
            wanted = max(1, round(share * len(indices))) if neuron == 1 else 0
            assert len(zeros) == wanted
            rest = [index for index in indices if index not in zeros]
            assert all(new[path][index] == old[path][index] for index in rest)


def test_each_weight_is_inhibited_as_often_as_any_other() -> None:
    parameters = {"layer": "dense", "neurons": [0], "share": 0.5, "units": 1}
    edit = {"name": "weight_inhibition", "parameters": parameters}
    rng = np.random.default_rng(0)
    weights = {"dense/kernel": np.ones((4, 1), "float32")}
    zeros = sum(
        (apply_weight_edit(edit, weights, rng)["dense/kernel"][:, 0] == 0).astype(int)
        for _ in range(1000)
    )
    assert zeros.sum() == 2000 and (abs(zeros - 500) < 60).all()
