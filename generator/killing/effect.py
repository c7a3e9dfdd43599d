"""Moments and Cohen's d that stay defined where the variance is zero."""

import math
from collections.abc import Sequence

from ...datasets.errors import ConfigError

ROUNDING = 1e-12
"""Relative spread up to which scores count as one value: rounding, not variation."""


def mean(values: Sequence[float]) -> float:
    """Mean, exact where all values are identical."""
    if min(values) == max(values):
        return values[0]
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """Variance (ddof = 1), exactly 0 where all values are identical or there is only one."""
    if min(values) == max(values):
        return 0.0
    centre = mean(values)
    return math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1)


def pooled_variance(first: Sequence[float], second: Sequence[float]) -> float:
    """Pooled variance (ddof = 1 in each sample)."""
    weights = (len(first) - 1, len(second) - 1)
    total = weights[0] * variance(first) + weights[1] * variance(second)
    return total / sum(weights)


def satterthwaite(a: float, b: float, m: int, n: int) -> float:
    """Degrees of freedom of a + b, two estimated variances of means over m and n values.

    By shares, since squares of tiny variances would vanish (Satterthwaite, 1946).
    """
    share = a / (a + b)
    return 1 / (share**2 / (m - 1) + (1 - share) ** 2 / (n - 1))


def same(first: float, second: float) -> bool:
    """Whether two scores are equal up to rounding."""
    return math.isclose(first, second, rel_tol=ROUNDING, abs_tol=0.0)


def is_constant(values: Sequence[float]) -> bool:
    """Whether all values are one value, up to rounding."""
    return same(min(values), max(values))


def rescale(
    first: Sequence[float], second: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Both samples divided by one power of two, so that squares neither overflow nor vanish.

    The division is exact, and neither p nor d depends on the unit of the scores.
    """
    largest = max(abs(v) for v in (*first, *second))
    shift = -math.frexp(largest)[1]
    return (
        tuple(math.ldexp(float(v), shift) for v in first),
        tuple(math.ldexp(float(v), shift) for v in second),
    )


def check_scores(what: str, clean: Sequence[float], faulty: Sequence[float]) -> None:
    """Raise ConfigError for a score of an effect size that is not finite."""
    for value in (*clean, *faulty):
        if not math.isfinite(value):
            raise ConfigError(
                f"{what}: expected finite scores, received {value}: "
                "give a diverged run the worst possible score"
            )


def cohens_d(clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool) -> float:
    """Cohen's d with the pooled standard deviation; positive where the faulty scores are worse.

    Without any variance it is 0 where the means are equal and infinite where they differ.
    """
    if not clean or not faulty or len(clean) + len(faulty) < 3:
        raise ConfigError(
            "Cohen's d: expected at least one score per side and three in all, "
            f"received {len(clean)} clean and {len(faulty)} faulty"
        )
    check_scores("Cohen's d", clean, faulty)
    left, right = rescale(clean, faulty)
    gap = mean(left) - mean(right) if higher_is_better else mean(right) - mean(left)
    if is_constant(left) and is_constant(right):
        return 0.0 if same(mean(left), mean(right)) else math.copysign(math.inf, gap)
    spread = math.sqrt(pooled_variance(left, right))
    if spread == 0.0:
        return 0.0 if gap == 0.0 else math.copysign(math.inf, gap)
    return gap / spread
