"""Faults in single neurons of a trained model: what happens is in `datasets.weight_edits`.

A neuron is a unit of a dense or recurrent layer, over all its gates, or an output channel of a
convolution.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.errors import ConfigError
from ..datasets.program import TrainingProgram
from .base import Example, Parameters, Range, Site
from .neuron_effects import blocking_layers
from .neuron_layers import NeuronLayer, chosen
from .neuron_operator import NeuronOperator, TrainedLayerOperator, number

_DEEPMUTATION = "DeepMutation (Ma et al., ISSRE 2018), operator {}, on one neuron; re-implemented"
_MUFF = "MuFF (Kim et al., arXiv 2501.09846), {}; re-implemented from its description"


class NeuronGaussianFuzzing(NeuronOperator):
    """Multiply the incoming weights of some neurons of a trained layer by 1 + N(0, magnitude)."""

    code = "NGF"
    source = _DEEPMUTATION.format("GF")
    name = "neuron-gaussian-fuzzing"
    fault_type = "NGF"
    edit = "gaussian_fuzzing"
    parameters = ("magnitude", "neurons")

    def points(self) -> Iterable[Parameters]:
        """Some noise, and noise that drowns the weights."""
        return ({"magnitude": magnitude} for magnitude in (0.5, 2.0))

    def values(self, parameters: Parameters) -> Parameters | None:
        """The magnitude; none of it is no noise."""
        magnitude = number(self.code, parameters, "magnitude", 0.0, 1e6)
        return {"magnitude": magnitude} if magnitude else None

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the magnitude."""
        return {"magnitude": Range(0.05, 10.0, "log", "increasing", 1.25)}

    def examples(self) -> tuple[Example, ...]:
        """Fuzz two neurons of the first layer."""
        return self.example(
            {"magnitude": 0.5, "neurons": [1, 6]}, magnitude=0.5, neurons=[1, 6], units=8
        )


class NeuronWeightShuffle(NeuronOperator):
    """Permute the incoming weights of some neurons of a trained layer; biases stay."""

    code = "NWS"
    source = _DEEPMUTATION.format("WS")
    name = "neuron-weight-shuffle"
    fault_type = "NWS"
    edit = "weight_shuffle"

    def legal(self, neurons: NeuronLayer) -> bool:
        """Every layer but those whose neurons have one incoming weight each."""
        return neurons.incoming != 1

    def examples(self) -> tuple[Example, ...]:
        """Shuffle the weights of two neurons of the first layer."""
        return self.example({"neurons": [6, 1]}, neurons=[1, 6], units=8)


class NeuronEffectBlock(NeuronOperator):
    """Take away the effect of some neurons of a trained layer on what follows."""

    code = "NEB"
    source = _DEEPMUTATION.format("NEB")
    name = "neuron-effect-block"
    fault_type = "NEB"
    edit = "effect_block"

    def legal(self, neurons: NeuronLayer) -> bool:
        """Every layer where weights of its own, or of the layers that it feeds, can do so."""
        return blocking_layers(neurons) is not None

    def read(self, neurons: NeuronLayer, parameters: Parameters) -> Parameters | None:
        """Add the layers in which it happens, where that is not the layer itself."""
        read = super().read(neurons, parameters)
        return read and {**read, "outgoing": list(blocking_layers(neurons) or ())}

    def examples(self) -> tuple[Example, ...]:
        """Block one neuron of the first layer; it is relu, so its own weights do."""
        return self.example({"neurons": [3]}, neurons=[3], units=8, outgoing=[])


class NeuronActivationInverse(NeuronOperator):
    """Flip the sign of the incoming weights and biases of some neurons of a trained layer."""

    code = "NAI"
    source = (
        "DeepMutation++ (Hu et al., ASE 2019), operator NAI, on one neuron; re-implemented. "
        "DeepMutation (ISSRE 2018) inverts what the activation gives, this what it is given"
    )
    name = "neuron-activation-inverse"
    fault_type = "NAI"
    edit = "activation_inverse"

    def examples(self) -> tuple[Example, ...]:
        """Invert two neurons of the first layer."""
        return self.example({"neurons": [0, 7]}, neurons=[0, 7], units=8)


class NeuronSwitch(NeuronOperator):
    """Swap the incoming weights and biases of neurons of a trained layer, two by two."""

    code = "NSW"
    source = _DEEPMUTATION.format("NS")
    name = "neuron-switch"
    fault_type = "NSW"
    edit = "neuron_switch"

    def legal(self, neurons: NeuronLayer) -> bool:
        """Every layer with two neurons or more."""
        return neurons.units > 1

    def drawn(self, neurons: NeuronLayer, share: float) -> list[int]:
        """Return pairs: a share of the neurons, at least two."""
        pairs = max(1, round(share * neurons.units / 2))
        return chosen(neurons.layer.name, neurons.units, 2 * pairs / neurons.units)

    def read(self, neurons: NeuronLayer, parameters: Parameters) -> Parameters | None:
        """Refuse neurons that do not come in pairs."""
        read = super().read(neurons, parameters)
        if read and len(read["neurons"]) % 2:
            raise ConfigError(f"NSW: expected pairs of neurons; received {parameters['neurons']}")
        return read

    def examples(self) -> tuple[Example, ...]:
        """Swap 1 with 5 and 2 with 7."""
        return self.example({"neurons": [1, 2, 5, 7]}, neurons=[1, 2, 5, 7], units=8)


class NeuronWeightInhibitor(NeuronOperator):
    """Set a share of the incoming weights of some neurons of a trained layer to zero."""

    code = "NWI"
    source = _MUFF.format("weight inhibitor")
    name = "neuron-weight-inhibitor"
    fault_type = "NWI"
    edit = "weight_inhibition"
    parameters = ("neurons", "share")

    def points(self) -> Iterable[Parameters]:
        """Half of the weights, and nearly all."""
        return ({"share": share} for share in (0.5, 0.9))

    def values(self, parameters: Parameters) -> Parameters | None:
        """The share; none of the weights is no inhibition."""
        share = number(self.code, parameters, "share", 0.0, 1.0)
        return {"share": share} if share else None

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the share."""
        return {"share": Range(0.0, 1.0, "linear", "increasing", 0.05)}

    def examples(self) -> tuple[Example, ...]:
        """Inhibit half of the weights of one neuron of the first layer."""
        return self.example({"neurons": [2], "share": 0.5}, neurons=[2], share=0.5, units=8)


class NeuronInhibitor(NeuronWeightInhibitor):
    """Take a share off the incoming weights and biases of some neurons of a trained layer."""

    code = "NNI"
    source = _MUFF.format("neuron inhibitor")
    name = "neuron-inhibitor"
    fault_type = "NNI"
    edit = "neuron_inhibition"

    def examples(self) -> tuple[Example, ...]:
        """Take half off one neuron of the first layer."""
        return self.example({"neurons": [2], "share": 0.5}, neurons=[2], share=0.5, units=8)


class NeuronStuckAt(NeuronOperator):
    """Set the incoming weights of some trained neurons to zero and their biases to a value."""

    code = "NST"
    source = "stuck-at fault of a neuron, as in hardware testing; no tool of the field has it"
    name = "neuron-stuck-at"
    fault_type = "NST"
    requires = ("layer with kernel", "layer with bias")
    edit = "stuck_at"
    parameters = ("neurons", "value")

    def legal(self, neurons: NeuronLayer) -> bool:
        """Every layer with biases."""
        return bool(neurons.config["use_bias"])

    def points(self) -> Iterable[Parameters]:
        """A value that neurons often have, and one that only faulty ones have."""
        return ({"value": value} for value in (1.0, 10.0))

    def values(self, parameters: Parameters) -> Parameters | None:
        """The value, which may be zero: that too takes the weights away."""
        return {"value": number(self.code, parameters, "value", -1e6, 1e6)}

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the value."""
        return {"value": Range(0.1, 100.0, "log", "increasing", 1.25)}

    def examples(self) -> tuple[Example, ...]:
        """Hold one neuron of the first layer at ten."""
        return self.example({"neurons": [4], "value": 10}, neurons=[4], units=8, value=10.0)


class QuantiseWeights(TrainedLayerOperator):
    """Round the weights of a trained layer to signed integers of a few bits; biases stay."""

    code = "NQT"
    source = (
        "DeepMutation++ (Hu et al., ASE 2019), weight quantisation, on any layer; re-implemented"
    )
    name = "quantise-weights"
    fault_type = "NQT"
    granularity = "layer"
    edit = "quantisation"
    parameters = ("bits",)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Down to the sign and nothing between."""
        return ({"bits": bits} for bits in (4, 3, 2))

    def read(self, neurons: NeuronLayer, parameters: Parameters) -> Parameters:
        """Return the bits."""
        bits = parameters["bits"]
        if type(bits) is not int or not 2 <= bits <= 16:
            raise ConfigError(f"NQT: expected bits from 2 to 16; received {bits!r}")
        return {"bits": bits}

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the bits."""
        return {"bits": Range(2, 8, "linear", "decreasing", 1.0, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Leave three bits to the weights of the first layer."""
        return self.example({"bits": 3}, bits=3)


OPERATORS = (
    NeuronGaussianFuzzing,
    NeuronWeightShuffle,
    NeuronEffectBlock,
    NeuronActivationInverse,
    NeuronSwitch,
    NeuronWeightInhibitor,
    NeuronInhibitor,
    NeuronStuckAt,
    QuantiseWeights,
)
