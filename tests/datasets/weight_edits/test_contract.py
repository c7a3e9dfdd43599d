"""What every edit of single neurons does and leaves alone, whatever the layer."""

from typing import Any

import numpy as np
import pytest
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.weight_edits import WEIGHT_EDITS, apply_weight_edit, edited_layers
from hypothesis import given, settings
from hypothesis import strategies as st

EDITS: dict[str, tuple[dict[str, Any], bool, bool]] = {
    # name: (parameters, whether biases change, whether the run's stream decides)
    "activation_inverse": ({}, True, False),
    "effect_block": ({"outgoing": []}, True, False),
    "gaussian_fuzzing": ({"magnitude": 0.5}, False, True),
    "neuron_inhibition": ({"share": 0.25}, True, False),
    "neuron_switch": ({}, True, False),
    "stuck_at": ({"value": 2.0}, True, False),
    "weight_inhibition": ({"share": 0.5}, False, True),
    "weight_shuffle": ({}, False, True),
}
every_edit = pytest.mark.parametrize("name", EDITS)


def skip_unless_possible(case: Any, name: str) -> None:
    if name == "stuck_at" and not any(path.endswith("bias") for path in case.shapes):
        pytest.skip("no bias to be stuck")


def test_every_edit_is_tested() -> None:
    assert {*EDITS, "quantisation"} == set(WEIGHT_EDITS)


@every_edit
def test_only_the_weights_of_the_neurons_change(case: Any, name: str) -> None:
    skip_unless_possible(case, name)
    rest, biases, _ = EDITS[name]
    neurons = [0, case.units - 1]
    old, new = case.applied(case.edit(name, neurons, **rest))
    incoming = [path for path in case.shapes if not path.endswith(("bias", "depthwise_kernel"))]
    wanted = incoming + [path for path in case.shapes if biases and path.endswith("bias")]
    changed = [path for path in old if new[path] is not old[path]]
    assert sorted(changed) == sorted(f"model/layer/{path}" for path in wanted)
    for path in changed:
        touched = {}
        for owner, indices in case.entries(old[path].shape).items():
            same = [old[path][i].tobytes() == new[path][i].tobytes() for i in indices]
            touched[owner] = not all(same)
        assert {neuron for (neuron, _), moved in touched.items() if moved} == set(neurons)
        # All gates of a neuron are its own.
        assert all(moved for (neuron, _), moved in touched.items() if neuron in neurons)


@every_edit
def test_the_seed_alone_decides(case: Any, name: str) -> None:
    skip_unless_possible(case, name)
    rest, _, drawn = EDITS[name]
    edit = case.edit(name, [0, 1], **rest)
    (_, one), (_, two), (_, other) = (case.applied(edit, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(one[path], two[path]) for path in one)
    assert any(not np.array_equal(one[path], other[path]) for path in one) == drawn


@every_edit
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"layer": "nowhere"}, "'nowhere' has no "),
        ({"layer": "lay"}, "'lay' has no "),
        ({"neurons": [0, 6]}, "6 columns with 6 units has no neurons 0, 6"),
        ({"neurons": [-1, 0]}, "6 columns with 6 units has no neurons -1, 0"),
        ({"units": 4}, "6 columns with 4 units has no neurons"),
    ],
)
def test_what_does_not_fit_is_refused(
    named: Any, name: str, wrong: dict[str, Any], message: str
) -> None:
    edit = named("Dense").edit(name, [0, 2], **EDITS[name][0])
    edit["parameters"] |= wrong
    with pytest.raises(SubjectError, match=message):
        apply_weight_edit(edit, named("Dense").weights(), np.random.default_rng(1))


def test_an_unknown_edit_is_refused_by_naming_the_known_ones() -> None:
    with pytest.raises(SubjectError, match=r"nonsense: expected one of .*gaussian_fuzzing, "):
        apply_weight_edit({"name": "nonsense", "parameters": {}}, {}, np.random.default_rng(1))


def test_an_edit_needs_its_layer_and_those_that_it_names(named: Any) -> None:
    case = named("Dense")
    assert edited_layers(case.edit("stuck_at", [0], value=1.0)) == ("model/layer",)
    fed = case.edit("effect_block", [0], outgoing=["dense_1", "model/dense"])
    assert edited_layers(fed) == ("model/layer", "dense_1", "model/dense")


@every_edit
@settings(deadline=None)
@given(data=st.data())
def test_any_kernel_keeps_what_is_not_the_neurons(name: str, data: st.DataObject) -> None:
    units, gates = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    lead = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    neurons = data.draw(st.lists(st.integers(0, units - 1), unique=True).map(sorted))
    if name == "neuron_switch":
        neurons = neurons[: len(neurons) // 2 * 2]
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    shapes = {"kernel": (*lead, gates * units), "bias": (gates * units,)}
    old = {f"a/{part}": rng.normal(size=shape) for part, shape in shapes.items()}
    parameters = {"layer": "a", "neurons": neurons, "units": units, **EDITS[name][0]}
    new = apply_weight_edit({"name": name, "parameters": parameters}, old, rng)
    others = [column for column in range(gates * units) if column % units not in neurons]
    for path, before in old.items():
        assert new[path].shape == before.shape and np.isfinite(new[path]).all()
        assert new[path][..., others].tobytes() == before[..., others].tobytes()
