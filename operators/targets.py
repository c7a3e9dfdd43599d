"""Where layer operators apply: every layer, and the layer inside a wrapper."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..datasets.errors import NotApplicable
from ..datasets.program import Json, Layer, TrainingProgram
from ..datasets.slots import ABSENT, get, replaced
from .base import Operator, Parameters, Site

_WRAPPERS = ("Bidirectional", "TimeDistributed")


@dataclass(frozen=True)
class Target:
    """A configuration that a layer operator may change.

    Args:
        layer: layer of the program that holds it.
        class_name: Keras class of the layer itself or of the wrapped one.
        config: with Keras's defaults filled in.
        slot: JSON pointer of the stored configuration.
    """

    layer: Layer
    class_name: str
    config: Mapping[str, Json]
    slot: str


def targets(program: TrainingProgram) -> Iterator[Target]:
    """Go through all layers, and into Bidirectional and TimeDistributed."""
    from ..datasets.canonical import effective_config

    for layer in program.layers():
        name, config, slot = layer.class_name, layer.config, layer.slot
        if name in _WRAPPERS:
            name, config = config["layer"]["class_name"], config["layer"]["config"]
            slot += "/layer/config"
        yield Target(layer, name, effective_config(name, config), slot)


def weighted_layers(program: TrainingProgram) -> tuple[Layer, ...]:
    """Return the layers that have weights."""
    return tuple(target.layer for target in targets(program) if has_weights(target))


def has_weights(target: Target) -> bool:
    """Whether a layer has weights, that is something to initialise."""
    return any(key.endswith("_initializer") for key in target.config)


class LayerOperator(Operator):
    """An operator that sets one constructor argument of one layer.

    `keys` are the arguments that it looks for; a layer has a site for each one that is legal.
    In a Bidirectional layer both directions are changed, as one line of a script would.
    """

    stage = "architecture"
    granularity = "layer"
    layer_localisable = True
    keys: ClassVar[tuple[str, ...]]

    @abstractmethod
    def legal(self, target: Target, key: str) -> bool:
        """Whether the operator can change this argument, which the layer has."""

    @abstractmethod
    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """Return parameters worth planning."""

    @abstractmethod
    def value(self, parameters: Parameters) -> Json:
        """Return the new value of the argument."""

    def setting(self, target: Target, key: str, parameters: Parameters) -> Json:
        """Return the new value of the argument in the spelling that this layer uses."""
        return self.value(parameters)

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return every legal argument of every layer."""
        return tuple(
            Site(f"{target.slot}/{key}", target.layer.name, target.layer.index)
            for target in targets(program)
            for key in self.keys
            if key in target.config and self.legal(target, key)
        )

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Return the points of the layer at the site."""
        return self.points(*target_at(program, site))

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Set the argument."""
        value = self.setting(*target_at(program, site), parameters)
        return with_argument(program.document(), site.slot, value)


def target_at(program: TrainingProgram, site: Site) -> tuple[Target, str]:
    """Return the configuration and the argument in it that a site of a `LayerOperator` is.

    Raises:
        NotApplicable: the program has no such layer.
    """
    slot, _, key = site.slot.rpartition("/")
    for target in targets(program):
        if target.slot == slot:
            return target, key
    raise NotApplicable(f"there is no layer at {slot}")


def with_argument(document: Json, slot: str, value: Json) -> Json:
    """Return a document with another argument of a layer, in both directions of a Bidirectional."""
    document = replaced(document, slot, value)
    backward = slot.replace("/config/layer/config/", "/config/backward_layer/config/")
    if backward != slot and get(document, backward.rpartition("/")[0]) is not ABSENT:
        document = replaced(document, backward, value)
    return document
