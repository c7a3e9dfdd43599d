"""The weights of single neurons, whatever the layer: arrays as (incoming, gates, neurons).

A neuron is a unit of a dense or recurrent layer, over all its gates, or an output channel of a
convolution. Its incoming weights are its entries in the kernel and, in a recurrent layer, in the
recurrent kernel; a separable convolution mixes the channels in its pointwise kernel alone, so
that its depthwise kernel belongs to none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ..arrays import Array
from ..errors import SubjectError
from ..program import Json

INCOMING = ("kernel", "pointwise_kernel", "recurrent_kernel")
"""Variables that hold the incoming weights of a layer's neurons."""

BIAS = ("bias",)
"""The variable that holds the biases."""

INTO = ("kernel", "depthwise_kernel")
"""Variables whose last axis but one is the output of the layer before."""

KERNELS = (*INCOMING, "depthwise_kernel")
"""All weights of a layer but its biases."""

Change = Callable[[Array], Array]


def paths_of(weights: Mapping[str, Array], layer: str, names: Iterable[str]) -> list[str]:
    """Return the paths of a layer's variables of these names; see `apply_weight_edit`."""
    wanted = tuple(names)
    return [
        path
        for path in weights
        if path.startswith(layer + "/") and path.rsplit("/", 1)[-1] in wanted
    ]


def kernels_of(weights: Mapping[str, Array], layer: str, names: Iterable[str]) -> list[str]:
    """Return the same, where a layer must have at least one of them.

    Raises:
        SubjectError: it has none.
    """
    paths = paths_of(weights, layer, names)
    if not paths:
        raise SubjectError(f"weight edit: layer {layer!r} has no kernel among {', '.join(weights)}")
    return paths


def with_neurons(
    weights: dict[str, Array], parameters: Mapping[str, Json], names: Iterable[str], change: Change
) -> dict[str, Array]:
    """Change what the variables of these names hold for the named neurons, and nothing else.

    Args:
        weights: by path; arrays that change are replaced by copies.
        parameters: of the edit: layer, neurons, and units, the number of neurons of the layer.
        names: of variables; those that the layer lacks are left out.
        change: from weights, (incoming, gates, neurons) in the order of the neurons, to others
            of that shape. It is called once for each variable.

    Raises:
        SubjectError: the layer has no kernel, or neurons or units do not fit one.
    """
    layer, neurons = parameters["layer"], np.asarray(parameters["neurons"], int)
    kernels_of(weights, layer, INCOMING)
    for path in paths_of(weights, layer, names):
        array = weights[path]
        shape = _block_shape(array, int(parameters["units"]), parameters["neurons"])
        changed = array.copy()
        block = changed.reshape(shape)
        block[..., neurons] = change(block[..., neurons])
        weights[path] = changed
    return weights


def _block_shape(array: Array, units: int, neurons: list[int]) -> tuple[int, int, int]:
    """Return the shape (incoming, gates, units) of a kernel or bias of a layer.

    The last axis runs gate by gate; in a depthwise kernel the last two are input channel and
    multiplier, which together count the output channels.
    """
    width = array.shape[-1]
    if all(0 <= neuron < units for neuron in neurons):
        if width % units == 0:
            return array.size // width, width // units, units
        if array.ndim > 1 and array.shape[-2] * width == units:
            return array.size // units, 1, units
    raise SubjectError(
        f"weight edit: a kernel of {width} columns with {units} units has no neurons "
        f"{', '.join(map(str, neurons))}"
    )
