"""Initial values of a model's variables, drawn anew for every run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import keras

from ..datasets.canonical import effective_config, expanded
from ..datasets.program import TrainingProgram
from .streams import Streams


@dataclass(frozen=True)
class Weight:
    """How one variable gets its initial value.

    Args:
        variable: the Keras variable.
        owner: the layer or cell that made it.
        layer: name path of the layer in the program that holds the owner.
        part: position of the owner among the parts of that layer, 0 for the layer itself.
        name: attribute of the owner that holds the initializer, or None where the owner
            computes the value (the forget-gate bias of an LSTM).
        initializer: what the owner passed when it made the variable.
    """

    variable: Any
    owner: Any
    layer: str
    part: int
    name: str | None
    initializer: Any


@contextmanager
def recorded_weights() -> Iterator[list[tuple[Any, Any, Any]]]:
    """Record (owner, variable, initializer) of every weight that is made inside the block.

    Keras keeps no link from a variable to its initializer, so it is taken down when the
    variable is made.
    """
    made: list[tuple[Any, Any, Any]] = []
    original = keras.layers.Layer.add_weight

    def add_weight(self: Any, shape: Any = None, initializer: Any = None, **rest: Any) -> Any:
        variable = original(self, shape=shape, initializer=initializer, **rest)
        made.append((self, variable, initializer))
        return variable

    keras.layers.Layer.add_weight = add_weight
    try:
        yield made
    finally:
        keras.layers.Layer.add_weight = original


def weights_of(layers: Mapping[str, Any], made: list[tuple[Any, Any, Any]]) -> tuple[Weight, ...]:
    """Attribute recorded variables to the layers of a program.

    Args:
        layers: name path to Keras layer.
        made: what `recorded_weights` took down.
    """
    holder = {
        id(part): (path, number)
        for path, layer in layers.items()
        for number, part in enumerate(layer._flatten_layers())
    }
    return tuple(
        Weight(variable, owner, *holder[id(owner)], _attribute(owner, initializer), initializer)
        for owner, variable, initializer in made
        if id(owner) in holder
    )


def layer_configs(program: TrainingProgram) -> dict[str, dict[str, Any]]:
    """Return the full configuration, defaults included, of every layer by name path."""
    return {
        layer.name: effective_config(layer.class_name, layer.config) for layer in program.layers()
    }


def draw(weight: Weight, configs: Mapping[str, Mapping[str, Any]], streams: Streams) -> Any:
    """Return a variable's initial value in one run of a program.

    The initializer is the program's, which need not be the one that the model was built with:
    programs with one graph key share a model.

    Args:
        weight: the variable.
        configs: what `layer_configs` returned for the program.
        streams: the run's random streams.
    """
    config = configs[weight.layer]
    # Both directions of a Bidirectional layer, for one, hold a variable of the same name.
    holder = f"{weight.layer}/{weight.part}" if weight.part else weight.layer
    key = f"{holder}/{weight.variable.name}"
    initializer = weight.initializer
    if weight.name is not None:
        stored = config.get(weight.name)
        initializer = (
            getattr(weight.owner, weight.name)
            if stored is None
            else keras.initializers.get(expanded(stored))
        )
    elif initializer is None or isinstance(initializer, str):
        initializer = keras.initializers.get(initializer or "glorot_uniform")
    if not isinstance(initializer, keras.initializers.Initializer):
        return _computed(weight, config, streams, key)
    return _seeded(initializer, streams, key)(weight.variable.shape, dtype=weight.variable.dtype)


def _computed(weight: Weight, config: Mapping[str, Any], streams: Streams, key: str) -> Any:
    attributes = {
        name: value
        for name, value in vars(weight.owner).items()
        if isinstance(value, keras.initializers.Initializer)
    }
    try:
        for name, value in attributes.items():
            stored = config.get(name)
            chosen = keras.initializers.get(expanded(stored)) if stored is not None else value
            setattr(weight.owner, name, _seeded(chosen, streams, f"{key}/{name}"))
        return weight.initializer(weight.variable.shape, dtype=weight.variable.dtype)
    finally:
        for name, value in attributes.items():
            setattr(weight.owner, name, value)


def _seeded(initializer: Any, streams: Streams, key: str) -> Any:
    config = initializer.get_config()
    if "seed" not in config:
        return initializer
    return type(initializer).from_config({**config, "seed": streams.keras_seed("init", key)})


def _attribute(owner: Any, initializer: Any) -> str | None:
    if not isinstance(initializer, keras.initializers.Initializer):
        return None
    return next((name for name, value in vars(owner).items() if value is initializer), None)
