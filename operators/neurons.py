"""Faults in single neurons of a trained model: what happens is in `datasets.weight_edits`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..datasets.errors import ConfigError
from ..datasets.program import Json, TrainingProgram, content_hash
from ..datasets.slots import ABSENT, Change, replaced
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program
from .targets import targets

_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D")
_UNITS = {
    **dict.fromkeys(("Dense", "SimpleRNN", "LSTM", "GRU"), "units"),
    **dict.fromkeys(_CONVOLUTIONS, "filters"),
}
SHARES = (0.1, 0.5)
MAGNITUDES = (0.5, 2.0)


class NeuronGaussianFuzzing(Operator):
    """Multiply the incoming weights of some neurons of a trained layer by 1 + N(0, magnitude)."""

    code = "NGF"
    source = "DeepMutation (Ma et al., ISSRE 2018), operator GF, on one neuron; re-implemented"
    name = "neuron-gaussian-fuzzing"
    group = "neurons"
    stage = "trained"
    fault_type = "NGF"
    requires = ("layer with kernel",)
    granularity = "neuron"
    layer_localisable = True
    parameters = ("magnitude", "neurons")

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return every layer whose kernel's last axis is its neurons."""
        return tuple(
            Site("/weight_edits", layer.name, layer.index)
            for layer in program.layers()
            if layer.class_name in _UNITS
        )

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Draw shares of the neurons from a stream that the layer and the share name."""
        units = _units(program, site)
        for share in SHARES:
            seed = int(content_hash([site.layer, units, share])[:16], 16)
            order = np.random.default_rng(seed).permutation(units)
            chosen = sorted(order[: max(1, round(share * units))].tolist())
            for magnitude in MAGNITUDES:
                yield {"magnitude": magnitude, "neurons": chosen}

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the edit, with the number of units, by which gates are told apart."""
        units, neurons = _units(program, site), list(parameters["neurons"])
        if any(neuron not in range(units) for neuron in neurons):
            raise ConfigError(f"NGF: {site.layer} has the neurons 0 to {units - 1}")
        document = program.document()
        if not (neurons and parameters["magnitude"] > 0):
            return document
        last = len(document["weight_edits"])
        return replaced(document, f"{site.slot}/{last}", _edit(site.layer, units, parameters))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the magnitude."""
        return {"magnitude": Range(0.05, 10.0, "log", "increasing", 1.25)}

    def examples(self) -> tuple[Example, ...]:
        """Fuzz two neurons of the first layer."""
        parameters = {"magnitude": 0.5, "neurons": [1, 6]}
        change = Change("/weight_edits/0", ABSENT, _edit("dense", 8, parameters))
        return (Example(small_program(), "/weight_edits", parameters, (change,)),)


def _units(program: TrainingProgram, site: Site) -> int:
    for target in targets(program):
        if target.layer.name == site.layer:
            return int(target.config[_UNITS[target.class_name]])
    raise ConfigError(f"NGF: there is no layer {site.layer!r}")


def _edit(layer: str | None, units: int, parameters: Parameters) -> Json:
    magnitude, neurons = float(parameters["magnitude"]), sorted(set(parameters["neurons"]))
    rest = {"layer": layer, "magnitude": magnitude, "neurons": neurons, "units": units}
    return {"name": "gaussian_fuzzing", "parameters": rest}


OPERATORS = (NeuronGaussianFuzzing,)
