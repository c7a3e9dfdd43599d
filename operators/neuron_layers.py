"""Layers whose neurons have weights of their own, and how many neurons they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from ..datasets.program import Json, Layer, TrainingProgram, content_hash
from .flow import Flow, flow_of

DIMENSIONS = ("1D", "2D", "3D")
RECURRENT = ("SimpleRNN", "LSTM", "GRU", *(f"ConvLSTM{n}" for n in DIMENSIONS))
DEPTHWISE = ("DepthwiseConv1D", "DepthwiseConv2D")
_CONVOLUTIONS = (*(f"Conv{n}" for n in DIMENSIONS), "SeparableConv1D", "SeparableConv2D")
_UNITS = {
    **dict.fromkeys(("Dense", "SimpleRNN", "LSTM", "GRU"), "units"),
    **dict.fromkeys((*_CONVOLUTIONS, *RECURRENT[3:]), "filters"),
}
CHANNELWISE = (
    "Activation",
    "ActivityRegularization",
    "AlphaDropout",
    "BatchNormalization",
    "Dropout",
    "ELU",
    "GaussianDropout",
    "GaussianNoise",
    "LeakyReLU",
    "PReLU",
    "ReLU",
    "RepeatVector",
    *(f"SpatialDropout{n}" for n in DIMENSIONS),
    *(f"{kind}Pooling{n}" for kind in ("Average", "Max") for n in DIMENSIONS),
    *(f"Global{kind}Pooling{n}" for kind in ("Average", "Max") for n in DIMENSIONS),
    *(f"{kind}{n}" for kind in ("Cropping", "UpSampling", "ZeroPadding") for n in DIMENSIONS),
)
"""Layers that make each channel of their output from that channel of their input alone."""


@dataclass(frozen=True)
class NeuronLayer:
    """A layer of a program with neurons.

    Args:
        layer: of the program.
        config: with Keras's defaults filled in.
        units: number of its neurons: units, or output channels of a convolution.
        incoming: most weights that lead into a neuron through one kernel and gate, or None
            where the program does not tell.
        flow: of the program.
    """

    layer: Layer
    config: Mapping[str, Json]
    units: int
    incoming: int | None
    flow: Flow


def neuron_layers(program: TrainingProgram) -> tuple[NeuronLayer, ...]:
    """Return the layers with neurons, nested ones included.

    Layers in wrappers are left out: a Bidirectional layer has two sets of neurons, which its
    outputs need not keep apart. So are transposed convolutions and depthwise ones whose number
    of channels the layers before them do not tell.
    """
    from ..datasets.canonical import effective_config

    flow = flow_of(program)
    found = []
    for layer in program.layers():
        if layer.class_name in (*_UNITS, *DEPTHWISE):
            config = effective_config(layer.class_name, layer.config)
            first = config.get("data_format") == "channels_first"
            channels = None if first else _channels_into(flow, layer.name)
            units = _units(layer.class_name, config, channels)
            if units is not None:
                incoming = _incoming(layer.class_name, config, channels)
                found.append(NeuronLayer(layer, config, units, incoming, flow))
    return tuple(found)


def chosen(layer: str, units: int, share: float) -> list[int]:
    """Return a share of the neurons of a layer, drawn by what is given here alone; sorted."""
    seed = int(content_hash([layer, units, share])[:16], 16)
    order = np.random.default_rng(seed).permutation(units)
    return [int(neuron) for neuron in sorted(order[: max(1, round(share * units))])]


def _units(class_name: str, config: Mapping[str, Json], channels: int | None) -> int | None:
    if class_name in _UNITS:
        return int(config[_UNITS[class_name]])
    return None if channels is None else channels * int(config["depth_multiplier"])


def _incoming(class_name: str, config: Mapping[str, Json], channels: int | None) -> int | None:
    size = config.get("kernel_size", ())
    dimensions = int(class_name[-2]) if class_name.endswith("D") else 0
    places = size**dimensions if isinstance(size, int) else prod(size)
    if class_name in DEPTHWISE:
        return places
    if channels is None:
        return None
    if class_name.startswith("Separable"):
        return channels * int(config["depth_multiplier"])
    into = places * channels // int(config.get("groups", 1))
    if class_name not in RECURRENT:
        return into
    return max(into, places * int(config[_UNITS[class_name]]))


def _channels_into(flow: Flow, name: str) -> int | None:
    """Return the size of the last axis of what a layer is given, or None if unknown."""
    from ..datasets.canonical import effective_config

    source = flow.source(name)
    if source is None:
        return None
    entry = flow.entries[source]
    class_name, config = entry["class_name"], entry["config"]
    if class_name == "InputLayer":
        width = config["batch_shape"][-1]
        return None if width is None else int(width)
    config = effective_config(class_name, config)
    if config.get("data_format") == "channels_first":
        return None
    if class_name in _UNITS:
        return int(config[_UNITS[class_name]])
    if class_name in CHANNELWISE:
        return _channels_into(flow, source)
    if class_name in DEPTHWISE:
        return _units(class_name, config, _channels_into(flow, source))
    return None
