"""Right weights in the wrong place."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..errors import SubjectError
from ..program import Json
from .blocks import BIAS, INCOMING, with_neurons


def weight_shuffle(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Permute the incoming weights of each named neuron; its bias stays.

    Operator WS of DeepMutation++ (Hu et al., ASE 2019). The weights of each gate and of each
    kernel are permuted among themselves. The permutation is uniform among those that move
    something.
    """

    def shuffled(block: Array) -> Array:
        result = block.copy()
        for gate in range(block.shape[1]):
            for neuron in range(block.shape[2]):
                order = _moving_order(block.shape[0], rng)
                result[:, gate, neuron] = block[order, gate, neuron]
        return result

    return with_neurons(weights, parameters, INCOMING, shuffled)


def neuron_switch(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Swap the incoming weights and biases of the named neurons, two by two.

    Operator NS as DeepMutation++ (Hu et al., ASE 2019) intends it; its code copies one neuron
    over the other. The neurons are the first ones of the pairs, then the second ones in the
    same order: 1, 2, 5, 7 swaps 1 with 5 and 2 with 7.

    Raises:
        SubjectError: the number of neurons is odd.
    """
    half, odd = divmod(len(parameters["neurons"]), 2)
    if odd:
        raise SubjectError(
            f"weight edit: expected pairs of neurons to switch; received {parameters['neurons']}"
        )
    return with_neurons(
        weights, parameters, (*INCOMING, *BIAS), lambda block: np.roll(block, half, axis=2)
    )


def _moving_order(size: int, rng: np.random.Generator) -> Array:
    order = rng.permutation(size)
    while size > 1 and bool((order == np.arange(size)).all()):
        order = rng.permutation(size)
    return order
