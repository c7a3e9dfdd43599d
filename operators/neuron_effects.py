"""Where the effect of a neuron can be taken away exactly, and in which weights."""

from __future__ import annotations

from collections.abc import Mapping

from ..datasets.program import Json
from .flow import Flow
from .neuron_layers import CHANNELWISE, RECURRENT, NeuronLayer

FIXES_ZERO = frozenset(
    (
        *("celu", "elu", "gelu", "hard_shrink", "hard_silu", "hard_tanh", "leaky_relu", "linear"),
        *("mish", "relu", "relu6", "selu", "silu", "soft_shrink", "softsign", "tanh"),
        "tanh_shrink",
    )
)
"""Activations of Keras, element by element, that map zero to zero."""

MOVES_ZERO = frozenset(
    (
        *("exponential", "hard_sigmoid", "log_sigmoid", "sigmoid", "softplus", "sparse_plus"),
        *("sparse_sigmoid", "squareplus"),
    )
)
"""Activations of Keras, element by element, that do not."""

_FIRST = "channels_first"
_TAKE_IN = (
    "Dense",
    *(f"Conv{n}" for n in ("1D", "2D", "3D")),
    *(f"{kind}Conv{n}" for kind in ("Separable", "Depthwise") for n in ("1D", "2D")),
    *RECURRENT,
)


def blocking_layers(neurons: NeuronLayer) -> tuple[str, ...] | None:
    """Return the layers in whose weights the effect of single neurons can be blocked.

    Args:
        neurons: the layer.

    Returns:
        No layer where the neurons' own weights do: zero weights make their output zero. That
        needs an activation that maps zero to zero and, in a recurrent layer, states that begin
        at zero. The layers that the neurons feed, where the activation is another one and each
        path from the neurons goes through layers that keep channels apart to a layer with a
        kernel. None where neither is the case.
    """
    activation = _named(neurons.config["activation"])
    name, flow = neurons.layer.name, neurons.flow
    recurrent = neurons.layer.class_name in RECURRENT
    if activation in FIXES_ZERO:
        given = all(len(sources) == 1 for sources in flow.calls[name])
        return () if not recurrent or (given and not neurons.config["stateful"]) else None
    # A recurrent neuron also feeds its own layer.
    if activation not in MOVES_ZERO or recurrent or neurons.config.get("data_format") == _FIRST:
        return None
    return _fed(flow, name, neurons.units)


def _fed(flow: Flow, name: str, units: int) -> tuple[str, ...] | None:
    """Return the layers with kernels that a layer feeds, or None if others see its neurons."""
    from ..datasets.canonical import effective_config

    consumers = flow.consumers(name)
    if name in flow.outputs or len(flow.calls[name]) > 1 or not consumers:
        return None
    found: list[str] = []
    for consumer in consumers:
        entry = flow.entries[consumer]
        config = effective_config(entry["class_name"], entry["config"])
        if flow.source(consumer) is None or config.get("data_format") == _FIRST:
            return None
        if entry["class_name"] in _TAKE_IN and config.get("groups", 1) == 1:
            found.append(consumer)
        elif _keeps_apart(entry["class_name"], config, units):
            further = _fed(flow, consumer, units)
            if further is None:
                return None
            found.extend(further)
        else:
            return None
    return tuple(found)


def _keeps_apart(class_name: str, config: Mapping[str, Json], units: int) -> bool:
    """Whether what a neuron gives stays at the same places of the last axis, modulo units."""
    if class_name == "Activation":
        return _named(config["activation"]) in FIXES_ZERO | MOVES_ZERO
    if class_name == "BatchNormalization":
        return bool(config["axis"] == -1)
    if class_name == "Reshape":
        width = int(config["target_shape"][-1])
        return width > 0 and width % units == 0
    return class_name in CHANNELWISE or class_name == "Flatten"


def _named(activation: Json) -> str | None:
    return activation if isinstance(activation, str) else None
