"""Blinded cases: what a localiser may see of a stored run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..datasets.arrays import rows_of
from ..datasets.errors import CorpusError
from ..datasets.program import TrainingProgram
from ..datasets.transforms import apply_transforms
from .base import Case, LayerInfo, Task

Array = npt.NDArray[Any]

_HIDDEN = ("_initializer", "_regularizer")
_NAMES_AND_SEEDS = ("name", "seed")


def make_case(
    program: TrainingProgram,
    weights: Sequence[Array],
    arrays: Mapping[str, Array],
    task: Task,
    case_id: str,
) -> Case:
    """Blind one run: layers by position, no initialisers or regularisers, test rows only.

    Args:
        program: that was trained.
        weights: final weights in Keras's order.
        arrays: arrays of the subject by hash.
        task: what the program learns.
        case_id: random identity.

    Raises:
        CorpusError: the weights do not fit the program, or a transform of its test rows draws
            random numbers.
    """
    from ..datasets.build import build_model, layers_by_path, weight_variables

    document = program.document()
    model = build_model(document["architecture"])
    variables = weight_variables(model)
    if [tuple(v.shape) for v in variables] != [w.shape for w in weights]:
        raise CorpusError("a case cannot be made: the stored weights do not fit the program")
    for variable, value in zip(variables, weights, strict=True):
        variable.assign(value)
    data = document["data"]
    rows = apply_transforms(
        rows_of(data["test"], arrays),
        document["transforms"],
        "test",
        _no_randomness,
        lambda role: rows_of(data[role], arrays),
    ).materialized()
    layers = layers_by_path(model)
    outputs, prediction = _outputs(model, layers, rows.x)
    return Case(
        case_id=case_id,
        task=task,
        layers=tuple(
            LayerInfo(
                name=f"layer_{layer.index}",
                index=layer.index,
                class_name=layer.class_name,
                n_params=int(layers[layer.name].count_params()),
                config=_blinded(layer.config),
            )
            for layer in program.layers()
        ),
        labels=rows.y[0],
        predictions=prediction,
        activations=outputs.__getitem__,
    )


def _no_randomness(position: int) -> np.random.Generator:
    """Refuse a generator: the tests of a program are the same in all of its runs."""
    raise CorpusError(
        f"a case cannot be made: transform {position} of the program draws random test rows; "
        "expected only transforms of test rows that need no seed"
    )


def _outputs(
    model: Any, layers: Mapping[str, Any], x: Sequence[Array]
) -> tuple[list[Array], Array]:
    """Run the model once in inference mode and keep what every layer put out.

    Keras gives no handle on the layers of nested models, so each layer's ``call`` is wrapped
    for the one pass. A layer that is used twice shows its last output.
    """
    seen: dict[str, Any] = {}

    def wrapped(path: str, call: Any) -> Any:
        def record(*args: Any, **kwargs: Any) -> Any:
            seen[path] = call(*args, **kwargs)
            return seen[path]

        return record

    originals = {path: layer.call for path, layer in layers.items()}
    try:
        for path, layer in layers.items():
            layer.call = wrapped(path, originals[path])
        inputs = [np.asarray(array) for array in x]
        result = model(inputs[0] if len(inputs) == 1 else inputs, training=False)
    finally:
        for path, layer in layers.items():
            layer.call = originals[path]
    return [_array(seen[path]) for path in layers], _array(result)


def _array(output: Any) -> Array:
    first = output[0] if isinstance(output, (list, tuple)) else output
    return np.asarray(first)


def _blinded(config: Mapping[str, Any]) -> dict[str, Any]:
    """Strip a layer's settings, those of layers that it holds too.

    Automatic names would betray an inserted layer, initialisers and regularisers the fault.
    """
    found: dict[str, Any] = _stripped(json.loads(json.dumps(config)))
    return found


def _stripped(value: Any) -> Any:
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _stripped(item)
        for key, item in value.items()
        if key not in _NAMES_AND_SEEDS and not key.endswith(_HIDDEN)
    }
