"""What operators on the neurons of a trained model have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.errors import ConfigError
from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from .base import Example, Operator, Parameters, Site
from .cases import small_program
from .neuron_layers import NeuronLayer, chosen, neuron_layers

SHARES = (0.1, 0.5)
"""Shares of a layer's neurons that are planned."""


class TrainedLayerOperator(Operator):
    """An operator that appends an edit of the trained weights of a layer with neurons.

    `edit` is its name in `datasets.weight_edits`, where it says what happens.
    """

    group = "neurons"
    stage = "trained"
    requires: ClassVar[tuple[str, ...]] = ("layer with kernel",)
    layer_localisable = True
    edit: ClassVar[str]

    def legal(self, neurons: NeuronLayer) -> bool:
        """Whether the operator can act on this layer."""
        return True

    @abstractmethod
    def read(self, neurons: NeuronLayer, parameters: Parameters) -> Parameters | None:
        """Return the edit's parameters but for the layer; None where nothing would change.

        Raises:
            ConfigError: they are none.
        """

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return every layer with neurons on which the operator can act."""
        return tuple(
            Site("/weight_edits", neurons.layer.name, neurons.layer.index)
            for neurons in neuron_layers(program)
            if self.legal(neurons)
        )

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the edit."""
        document = program.document()
        read = self.read(_at(program, site), parameters)
        if read is None:
            return document
        edit = {"name": self.edit, "parameters": {"layer": site.layer, **read}}
        return replaced(document, f"{site.slot}/{len(document['weight_edits'])}", edit)

    def example(self, parameters: Parameters, **edit: Json) -> tuple[Example, ...]:
        """Return the case of the first layer, which has eight neurons.

        Args:
            parameters: of the mutation.
            edit: parameters of the edit but for the layer.
        """
        value = {"name": self.edit, "parameters": {"layer": "dense", **edit}}
        change = Change("/weight_edits/0", ABSENT, value)
        return (Example(small_program(), "/weight_edits", parameters, (change,)),)


class NeuronOperator(TrainedLayerOperator):
    """An operator on some neurons, which its parameters name."""

    granularity = "neuron"
    parameters: ClassVar[tuple[str, ...]] = ("neurons",)

    def points(self) -> Iterable[Parameters]:
        """Return the parameters beside the neurons that are worth planning."""
        return ({},)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Draw shares of the neurons from a stream that the layer and the share name."""
        neurons = _at(program, site)
        for share in SHARES:
            for point in self.points():
                yield {"neurons": self.drawn(neurons, share), **point}

    def drawn(self, neurons: NeuronLayer, share: float) -> list[int]:
        """Return a share of the neurons, at least one."""
        return chosen(neurons.layer.name, neurons.units, share)

    def values(self, parameters: Parameters) -> Parameters | None:
        """Return the edit's parameters beside the neurons; None where they change nothing."""
        return {}

    def read(self, neurons: NeuronLayer, parameters: Parameters) -> Parameters | None:
        """Add the number of units, by which gates are told apart."""
        wanted, units = list(parameters["neurons"]), neurons.units
        if any(type(neuron) is not int or not 0 <= neuron < units for neuron in wanted):
            raise ConfigError(
                f"{self.code}: {neurons.layer.name} has the neurons 0 to {units - 1}; "
                f"received {parameters['neurons']}"
            )
        values = self.values(parameters)
        if not wanted or values is None:
            return None
        return {"neurons": sorted(set(wanted)), "units": units, **values}


def number(code: str, parameters: Parameters, name: str, low: float, high: float) -> float:
    """Return a parameter that is a number within bounds.

    Raises:
        ConfigError: it is not.
    """
    value = parameters[name]
    if type(value) not in (int, float) or not low <= value <= high:
        raise ConfigError(f"{code}: expected a {name} from {low} to {high}; received {value!r}")
    return float(value)


def _at(program: TrainingProgram, site: Site) -> NeuronLayer:
    for neurons in neuron_layers(program):
        if neurons.layer.name == site.layer:
            return neurons
    raise ConfigError(f"{site.layer}: there is no layer of that name with neurons")
