"""Neurons that no longer tell anything about their input."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..errors import SubjectError
from ..program import Json
from .blocks import BIAS, INCOMING, INTO, kernels_of, paths_of, with_neurons


def effect_block(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Take away the effect of the named neurons on what follows.

    Operator NEB of DeepMutation (Ma et al., ISSRE 2018) and DeepMutation++ (Hu et al., ASE 2019).
    Without ``outgoing`` the incoming weights and biases of the neurons become zero, and so does
    their output, for the operator says so only of activations that map zero to zero. With it, the
    weights by which the layers that it names take the neurons in become zero.
    """
    if not parameters["outgoing"]:
        return with_neurons(weights, parameters, (*INCOMING, *BIAS), np.zeros_like)
    units, neurons = int(parameters["units"]), np.asarray(parameters["neurons"], int)
    for layer in parameters["outgoing"]:
        for path in kernels_of(weights, layer, INTO):
            changed = weights[path].copy()
            *lead, rows, columns = changed.shape
            if rows % units or not ((neurons >= 0) & (neurons < units)).all():
                raise SubjectError(
                    f"weight edit: a kernel of {rows} rows does not take in {units} units and "
                    f"the neurons {', '.join(map(str, neurons))} among them"
                )
            # A flattened map has the channels side by side, once for each place.
            changed.reshape(*lead, rows // units, units, columns)[..., neurons, :] = 0
            weights[path] = changed
    return weights


def stuck_at(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Set the incoming weights of the named neurons to zero and their biases to a value.

    The activation is then given the value whatever the input. Every gate of a recurrent layer
    gets it; of the two biases of a gate of a GRU, the second one becomes zero.

    Raises:
        SubjectError: the layer has no bias.
    """
    layer, value = parameters["layer"], parameters["value"]
    if not paths_of(weights, layer, BIAS):
        raise SubjectError(f"weight edit: layer {layer!r} has no bias among {', '.join(weights)}")

    def stuck(block: Array) -> Array:
        result = np.zeros_like(block)
        result[0] = value
        return result

    return with_neurons(
        with_neurons(weights, parameters, INCOMING, np.zeros_like), parameters, BIAS, stuck
    )
