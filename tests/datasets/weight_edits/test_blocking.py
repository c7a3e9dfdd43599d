from typing import Any

import numpy as np
import pytest
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.weight_edits import apply_weight_edit


def test_a_blocked_neuron_has_no_weights(case: Any, expected: Any) -> None:
    _, new = case.applied(case.edit("effect_block", [0, 2], outgoing=[]))
    right = expected(case, [0, 2], lambda values: [0.0] * len(values))
    assert all(np.array_equal(new[path], right[path]) for path in right)


def test_a_stuck_neuron_has_a_bias_and_no_weights(case: Any, expected: Any) -> None:
    edit = case.edit("stuck_at", [1], value=2.5)
    if not any(path.endswith("bias") for path in case.shapes):
        with pytest.raises(SubjectError, match="'model/layer' has no bias among"):
            case.applied(edit)
        return
    _, new = case.applied(edit)

    def stuck(values: list[float]) -> list[float]:
        # A GRU has two biases for each gate, of which the second is added to nothing now.
        return [2.5, 0.0][: len(values)]

    right = expected(case, [1], lambda values: [0.0] * len(values))
    biases = expected(case, [1], stuck, names=("bias",))
    right |= {path: array for path, array in biases.items() if path.endswith("bias")}
    assert all(np.array_equal(new[path], right[path]) for path in right)


FED = {
    "conv/kernel": (3, 3, 4, 2),
    "flat/kernel": (24, 3),
    "depthwise/kernel": (3, 3, 4, 2),
    "separable/depthwise_kernel": (3, 3, 4, 2),
    "separable/pointwise_kernel": (1, 1, 8, 4),
    "gru/gru_cell/kernel": (4, 9),
    "gru/gru_cell/recurrent_kernel": (3, 9),
    "source/kernel": (5, 4),
    "source/bias": (4,),
}


def fed_weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(8)
    made = {path: rng.normal(size=shape).astype("float32") for path, shape in FED.items()}
    for array in made.values():
        array.setflags(write=False)
    return made


def blocked(outgoing: list[str], **wrong: Any) -> dict[str, Any]:
    parameters = {"layer": "source", "neurons": [0, 3], "outgoing": outgoing, "units": 4, **wrong}
    return {"name": "effect_block", "parameters": parameters}


@pytest.mark.parametrize(
    ("layer", "changed"),
    [
        ("conv", ["conv/kernel"]),
        ("flat", ["flat/kernel"]),
        ("depthwise", ["depthwise/kernel"]),
        ("separable", ["separable/depthwise_kernel"]),
        ("gru", ["gru/gru_cell/kernel"]),
    ],
)
def test_what_is_fed_takes_the_neurons_in_no_longer(layer: str, changed: list[str]) -> None:
    old = fed_weights()
    new = apply_weight_edit(blocked([layer]), old, np.random.default_rng(1))
    assert [path for path in old if new[path] is not old[path]] == changed
    for path in changed:
        for index in np.ndindex(*old[path].shape):
            # Flattened maps of four channels: every fourth row is the same channel.
            neuron = index[-2] % 4
            assert new[path][index] == (0 if neuron in (0, 3) else old[path][index])


def test_several_layers_that_are_fed_change_together() -> None:
    old = fed_weights()
    new = apply_weight_edit(blocked(["flat", "conv"]), old, np.random.default_rng(1))
    changed = [path for path in old if new[path] is not old[path]]
    assert changed == ["conv/kernel", "flat/kernel"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (blocked(["nowhere"]), "'nowhere' has no kernel"),
        (blocked(["flat"], units=5), "24 rows does not take in 5 units"),
        (blocked(["flat"], neurons=[4]), "the neurons 4 among them"),
    ],
)
def test_a_layer_that_is_not_fed_so_is_refused(edit: dict[str, Any], message: str) -> None:
    with pytest.raises(SubjectError, match=message):
        apply_weight_edit(edit, fed_weights(), np.random.default_rng(1))
