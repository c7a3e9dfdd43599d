"""Neurons whose input counts for less, or for the opposite."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..program import Json
from .blocks import BIAS, INCOMING, with_neurons


def weight_inhibition(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Set a share of the incoming weights of each named neuron to zero; its bias stays.

    The weight inhibitor of MuFF (Kim et al., arXiv 2501.09846). At least one weight of each gate
    and kernel is inhibited; which ones is drawn in each run.
    """
    share = parameters["share"]

    def inhibited(block: Array) -> Array:
        result = block.copy()
        count = max(1, round(share * block.shape[0]))
        for gate in range(block.shape[1]):
            for neuron in range(block.shape[2]):
                result[rng.permutation(block.shape[0])[:count], gate, neuron] = 0
        return result

    return with_neurons(weights, parameters, INCOMING, inhibited)


def neuron_inhibition(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Take a share off the incoming weights and biases of the named neurons.

    The neuron inhibitor of MuFF (Kim et al., arXiv 2501.09846). What a neuron adds up becomes
    smaller by the share; where the activation is linear or relu, so does its output.
    """
    return _multiplied(weights, parameters, 1 - parameters["share"])


def activation_inverse(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Flip the sign of the incoming weights and biases of the named neurons.

    Operator NAI as DeepMutation++ (Hu et al., ASE 2019) has it: the sign of what the activation
    is given changes. DeepMutation (Ma et al., ISSRE 2018) inverts the activation status itself,
    which is the same for odd activations such as tanh, and not for relu or sigmoid.
    """
    return _multiplied(weights, parameters, -1)


def _multiplied(
    weights: dict[str, Array], parameters: Mapping[str, Json], factor: float
) -> dict[str, Array]:
    return with_neurons(weights, parameters, (*INCOMING, *BIAS), lambda block: block * factor)
