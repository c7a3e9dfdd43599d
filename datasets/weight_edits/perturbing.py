"""Weights that are somewhat wrong: noise and rounding."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..program import Json
from .blocks import INCOMING, KERNELS, kernels_of, with_neurons


def gaussian_fuzzing(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Multiply each incoming weight of the named neurons by 1 + N(0, magnitude).

    Operator GF of DeepMutation++ (Hu et al., ASE 2019), which clips the whole kernel to [-1, 1]
    afterwards; here no weight of another neuron changes.
    """
    magnitude = parameters["magnitude"]
    return with_neurons(
        weights,
        parameters,
        INCOMING,
        lambda block: block * (1 + rng.normal(0.0, magnitude, block.shape)),
    )


def quantisation(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Round all weights of the layer to signed integers of some bits; biases stay.

    Each kernel has one scale, by which its largest magnitude becomes 2^(bits - 1) - 1; halves
    are rounded to even.
    """
    highest = 2 ** (int(parameters["bits"]) - 1) - 1
    for path in kernels_of(weights, parameters["layer"], KERNELS):
        kernel = weights[path]
        step = np.abs(kernel).max(initial=0).astype(np.float64) / highest
        if step > 0:
            weights[path] = (np.round(kernel / step) * step).astype(kernel.dtype)
    return weights
