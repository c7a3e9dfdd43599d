"""Beta posteriors of the probability that a test passes: bagging, and how far apart two are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from .answers import Floats


@dataclass(frozen=True)
class Beta:
    """A Beta distribution by its two shapes."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The mean."""
        return self.a / (self.a + self.b)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central credible interval."""
        low, high = stats.beta.interval(level, self.a, self.b)
        return float(low), float(high)

    def hellinger(self, other: Beta) -> float:
        """Return the Hellinger distance, from 0 for equal distributions to 1."""
        shared = special.betaln((self.a + other.a) / 2, (self.b + other.b) / 2)
        own = special.betaln(self.a, self.b) + special.betaln(other.a, other.b)
        return math.sqrt(max(0.0, -math.expm1(float(shared - own / 2))))


def bagged(successes: Sequence[int] | Floats, trials: int) -> Beta:
    """Average the posteriors Beta(k + 1, trials - k + 1) and refit one Beta to the average.

    The refit takes over mean and variance of the average, which are exact; it needs neither a grid
    nor an optimiser.

    Args:
        successes: k of each bootstrap.
        trials: of each bootstrap.

    BayesBag: Huggins and Miller, Bayesian Analysis 18(1), 2023.
    """
    first, second = _moments(np.asarray(successes, np.float64), trials)
    return _refit(float(first.mean()), float(second.mean()))


def leave_one_out(successes: Floats, trials: int) -> list[Beta]:
    """Return the bagged posterior without each bootstrap in turn, for a jackknife."""
    first, second = _moments(successes, trials)
    rest = len(successes) - 1
    means, squares = (first.sum() - first) / rest, (second.sum() - second) / rest
    return [_refit(float(m), float(s)) for m, s in zip(means, squares, strict=True)]


def jackknife_error(estimates: Sequence[float]) -> float:
    """Return the standard error of an estimate from its leave-one-out values."""
    values = np.asarray(estimates)
    n = len(values)
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))


def _moments(successes: Floats, trials: int) -> tuple[Floats, Floats]:
    """First and second moment about 0 of each posterior."""
    a, total = successes + 1.0, trials + 2.0
    return a / total, a * (a + 1.0) / (total * (total + 1.0))


def _refit(mean: float, square: float) -> Beta:
    size = (mean - square) / (square - mean**2)
    return Beta(mean * size, (1.0 - mean) * size)
