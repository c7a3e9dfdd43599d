"""Weak test sets: only inputs that are easy, so that a strong test set has something to beat.

DeepCrime (Humbatova, Jahangirova, Tonella, ISSTA 2021) builds them in two ways.
"""

from __future__ import annotations

import numpy as np

from ...datasets.errors import ConfigError
from ..killing.answers import Flags, Floats


def confident(confidence: Floats, least: float = 1.0) -> Flags:
    """Return the inputs that a clean run predicts with enough confidence, (inputs,).

    For classification. The published set keeps those predicted with confidence 1, to the
    precision of the prediction; small models may be that sure of none.

    Args:
        confidence: of one clean run, (inputs,).
        least: smallest confidence that stays.
    """
    return np.asarray(confidence >= least)


def most_confident(confidence: Floats, share: float = 0.5) -> Flags:
    """Return the inputs that a clean run predicts with most confidence, (inputs,).

    For models that are never quite sure; ties go by the order of the inputs.

    Args:
        confidence: of one clean run, (inputs,).
        share: of the inputs that stay.

    Raises:
        ConfigError: the share is not above 0 and at most 1.
    """
    if not 0.0 < share <= 1.0:
        raise ConfigError(
            f"weak test set: share: expected a number above 0 and at most 1, received {share!r}"
        )
    return _largest(confidence, max(1, round(share * len(confidence))))


def varied(losses: Floats, size: int) -> Flags:
    """Return the inputs whose loss varies most between clean runs, (inputs,).

    For regression: the inputs with the smallest standard deviation are dropped until as many as
    wanted are left; ties go by the order of the inputs.

    Args:
        losses: (clean runs, inputs), of at least two runs.
        size: number of inputs that stay.

    Raises:
        ConfigError: there is only one run, or there are not so many inputs.
    """
    runs, inputs = losses.shape
    if runs < 2 or not 1 <= size <= inputs:
        raise ConfigError(
            f"weak test set: expected at least 2 runs and 1 to {inputs} inputs to keep, "
            f"received {runs} runs and {size} inputs"
        )
    return _largest(losses.std(axis=0, ddof=1), size)


def _largest(values: Floats, size: int) -> Flags:
    chosen = np.zeros(len(values), bool)
    chosen[np.argsort(-values, kind="stable")[:size]] = True
    return chosen
