"""Weight edits as code give the weights that `datasets.weight_edits` gives."""

import textwrap
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.build import build_model, layers_by_path
from faultloom.datasets.canonical import canonical_model
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import content_hash
from faultloom.datasets.render import lines_of, render
from faultloom.datasets.render.weight_edits import EDIT_CODE
from faultloom.datasets.slots import with_slot
from faultloom.datasets.weight_edits import WEIGHT_EDITS, apply_weight_edit
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


def fuzzing(layer: str, units: int) -> dict[str, Any]:
    parameters = {"layer": layer, "magnitude": 0.5, "neurons": [0, 2], "units": units}
    return {"name": "gaussian_fuzzing", "parameters": parameters}


def test_every_edit_is_tried() -> None:
    assert set(EDIT_CODE) == {"gaussian_fuzzing"} <= set(WEIGHT_EDITS)


@pytest.mark.parametrize("make", [sequential, functional])
@pytest.mark.parametrize("kind", ["SeparableConv1D", "LSTM", "Dense", "nested"])
def test_weights_are_exactly_those_of_the_run(make: Any, kind: str) -> None:
    program = with_slot(small_program(), "/architecture", canonical_model(make()))
    (layer,) = [
        found
        for found in program.layers()
        if found.class_name == (kind if kind != "nested" else "Dense")
        and ("/" in found.name) == (kind == "nested")
    ]
    units = layer.config.get("units", layer.config.get("filters"))
    edit = fuzzing(layer.name, units)
    script = render(with_slot(program, "/weight_edits", [edit]), seed=5, run=2)
    model = build_model(program.document()["architecture"])
    before = {name: held.get_weights() for name, held in layers_by_path(model).items()}
    held = layers_by_path(model)[layer.name]
    named = {
        f"{layer.name}/{variable.path.rpartition(held.name + '/')[2]}": np.array(variable.numpy())
        for variable in held.weights
    }
    rng = Streams(5, 2).generator("data", content_hash(edit))
    expected = list(apply_weight_edit(edit, named, rng).values())

    lines = script.text.splitlines()
    head = "\n".join(lines[: lines.index("folder = Path(__file__).parent")])
    body = "\n".join(lines[number - 1] for number in lines_of(script, "/weight_edits/0"))
    exec(compile(head + "\n" + textwrap.dedent(body), "program.py", "exec"), {"model": model})
    for name, found in layers_by_path(model).items():
        wanted = expected if name == layer.name else before[name]
        for ours, theirs in zip(found.get_weights(), wanted, strict=True):
            assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
    changed = zip(expected, before[layer.name], strict=True)
    assert any((new != old).any() for new, old in changed)


def test_an_edit_of_a_layer_that_is_not_there_is_refused() -> None:
    with pytest.raises(SubjectError, match="layer 'elsewhere' is not in the model"):
        render(with_slot(small_program(), "/weight_edits", [fuzzing("elsewhere", 2)]))
