"""Weight edits as code give the weights that `datasets.weight_edits` gives."""

from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.build import build_model, layers_by_path
from faultloom.datasets.canonical import canonical_model
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import TrainingProgram, content_hash
from faultloom.datasets.render import lines_of, render
from faultloom.datasets.render.weight_edits import EDIT_CODE
from faultloom.datasets.slots import with_slot
from faultloom.datasets.weight_edits import WEIGHT_EDITS, apply_weight_edit, edited_layers
from faultloom.generator.streams import Streams
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf

layers = keras.layers


def sequential() -> Any:
    inner = keras.Sequential([keras.Input((6,)), layers.Dropout(0.1), layers.Dense(5)])
    parts = [layers.SeparableConv1D(4, 2), layers.LSTM(6), inner, layers.Dense(3)]
    return keras.Sequential([keras.Input((8, 2)), *parts])


def functional() -> Any:
    first, second = keras.Input((8, 2)), keras.Input((8, 2))
    lstm = layers.LSTM(6)(layers.SeparableConv1D(4, 2)(layers.Add()([first, second])))
    x = keras.Input((6,))
    inner = keras.Model(x, layers.Dense(5)(x))
    return keras.Model([first, second], layers.Dense(3)(inner(lstm)))


EDITS: dict[str, dict[str, Any]] = {
    "activation_inverse": {},
    "effect_block": {"outgoing": []},
    "gaussian_fuzzing": {"magnitude": 0.5},
    "neuron_inhibition": {"share": 0.3},
    "neuron_switch": {},
    "quantisation": {"bits": 3},
    "stuck_at": {"value": 1.5},
    "weight_inhibition": {"share": 0.4},
    "weight_shuffle": {},
}


def edit_of(name: str, layer: str, units: int, **more: Any) -> dict[str, Any]:
    parameters = {"layer": layer, "neurons": [0, 2], "units": units}
    return {"name": name, "parameters": {**parameters, **EDITS[name], **more}}


def test_every_edit_is_tried() -> None:
    assert set(EDITS) == set(EDIT_CODE) == set(WEIGHT_EDITS)


def check(program: TrainingProgram, edit: dict[str, Any]) -> None:
    script = render(with_slot(program, "/weight_edits", [edit]), seed=5, run=2)
    model = build_model(program.document()["architecture"])
    found = layers_by_path(model)
    for layer in found.values():
        for number, variable in enumerate(layer.weights):
            if not variable.path.endswith("seed_generator_state"):
                noise = np.random.default_rng(number).normal(size=variable.shape)
                variable.assign(noise.astype(variable.dtype))
    before = {name: held.get_weights() for name, held in found.items()}
    named = {
        name: {
            f"{name}/{variable.path.rpartition(layer.name + '/')[2]}": variable.numpy().copy()
            for variable in layer.weights
        }
        for name, layer in found.items()
    }
    given = {path: array for name in edited_layers(edit) for path, array in named[name].items()}
    rng = Streams(5, 2).generator("data", content_hash(edit))
    after = apply_weight_edit(edit, given, rng)

    lines = script.text.splitlines()
    head = "\n".join(lines[: lines.index("import keras")])
    if "rng" in script.text:
        head = "\n".join(lines[: lines.index("folder = Path(__file__).parent")])
    body = "\n".join(lines[number - 1] for number in lines_of(script, "/weight_edits/0"))
    exec(compile(f"{head}\nimport numpy as np\n{body}", "program.py", "exec"), {"model": model})
    changed = 0
    for name, layer in found.items():
        wanted = [after.get(path, array) for path, array in named[name].items()]
        for ours, theirs, old in zip(layer.get_weights(), wanted, before[name], strict=True):
            assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
            changed += int((ours != old).any())
    assert changed


@pytest.mark.parametrize("make", [sequential, functional])
@pytest.mark.parametrize("kind", ["SeparableConv1D", "LSTM", "Dense", "nested"])
@pytest.mark.parametrize("name", EDITS)
def test_weights_are_exactly_those_of_the_run(name: str, kind: str, make: Any) -> None:
    program = with_slot(small_program(), "/architecture", canonical_model(make()))
    (layer,) = [
        found
        for found in program.layers()
        if found.class_name == (kind if kind != "nested" else "Dense")
        and ("/" in found.name) == (kind == "nested")
    ]
    units = layer.config.get("units", layer.config.get("filters"))
    check(program, edit_of(name, layer.name, units))


def test_effects_that_are_blocked_in_the_layers_that_follow() -> None:
    model = keras.Sequential(
        [
            keras.Input((8, 2)),
            layers.Conv1D(4, 2),
            layers.DepthwiseConv1D(2, depth_multiplier=2),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )
    program = with_slot(small_program(), "/architecture", canonical_model(model))
    check(program, edit_of("effect_block", "conv1d", 4, outgoing=["depthwise_conv1d"]))
    check(program, edit_of("effect_block", "depthwise_conv1d", 8, outgoing=["dense"]))
    check(program, edit_of("weight_shuffle", "conv1d", 4))


def test_an_edit_of_a_layer_that_is_not_there_is_refused() -> None:
    with pytest.raises(SubjectError, match="layer 'elsewhere' is not in the model"):
        render(with_slot(small_program(), "/weight_edits", [edit_of("stuck_at", "elsewhere", 2)]))
