"""From the scores of a layer's neurons to the score of the layer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .counts import Floats


def _spread(scores: Floats) -> float:
    """Sum of ``|s_i - s_j|`` over the pairs i < j, by sorting."""
    n = scores.size
    return float(np.dot(np.arange(1 - n, n, 2), np.sort(scores)))


def gini(scores: Floats) -> float:
    """Gini coefficient ``sum_{i<j} |s_i - s_j| / (n^2 mean)`` of (n,) scores, in O(n log n).

    NaN when there are no scores or their mean is 0; outside [0, 1] when some are negative.
    """
    average = mean(scores)
    if average == 0.0 or math.isnan(average):
        return math.nan
    return _spread(scores) / (scores.size**2 * average)


def mean(scores: Floats) -> float:
    """Mean of (n,) scores; NaN of none."""
    return float(np.add.reduce(scores)) / scores.size if scores.size else math.nan


def gini_mean(scores: Floats) -> float:
    """GUIDER's layer score ``mean * (1 - Gini)`` of (n,) scores (doi 10.1145/3716849).

    NaN where the Gini coefficient is.
    """
    average = mean(scores)
    if average == 0.0 or math.isnan(average):
        return math.nan
    return average * (1.0 - _spread(scores) / (scores.size**2 * average))


AGGREGATIONS: dict[str, Callable[[Floats], float]] = {"gini": gini_mean, "mean": mean}
"""By name; ``mean`` is GUIDER's own ablation."""
