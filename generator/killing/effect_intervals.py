"""Effect sizes with confidence intervals: Cohen's d and Vargha and Delaney's A."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import optimize, special, stats

from ...datasets.errors import ConfigError
from .effect import check_scores, cohens_d, satterthwaite
from .ranks import placement_errors, rank_sum

_LARGE = 1e3
"""A t from which on the limits grow in proportion to it, to six digits."""

_SURE = 9.0
"""Standard deviations beyond which a normal variable lies with less than rounding."""


@dataclass(frozen=True)
class Interval:
    """An effect size and the limits of its two-sided confidence interval."""

    estimate: float
    low: float
    high: float
    level: float


def cohens_d_interval(
    clean: Sequence[float],
    faulty: Sequence[float],
    *,
    higher_is_better: bool,
    level: float = 0.95,
) -> Interval:
    """Cohen's d, positive where the faulty scores are worse, by the noncentral t distribution.

    Exact for normal scores of equal variance. Without any variance, an infinite d has infinite
    limits and a d of 0 has those of a d of 0 with variance. Raises ConfigError as ``cohens_d``
    does. Steiger and Fouladi, in What If There Were No Significance Tests?, 1997.
    """
    _check_level(level)
    d = cohens_d(clean, faulty, higher_is_better=higher_is_better)
    if math.isinf(d):
        return Interval(d, d, d, level)
    unit = math.sqrt(1 / len(clean) + 1 / len(faulty))
    freedom = len(clean) + len(faulty) - 2
    t, tail = abs(d) / unit, (1.0 - level) / 2
    near, far = (unit * _noncentrality(t, freedom, p) for p in (1.0 - tail, tail))
    low, high = (near, far) if d >= 0.0 else (-far, -near)
    return Interval(d, low, high, level)


def _noncentrality(t: float, freedom: int, probability: float) -> float:
    """Return the noncentrality with which a statistic is at most t >= 0 with that probability."""
    if t > _LARGE:
        return t / _LARGE * _noncentrality(_LARGE, freedom, probability)

    def excess(noncentrality: float) -> float:
        return float(special.nctdtr(freedom, noncentrality, t)) - probability

    # SciPy's distribution is NaN where t and its noncentrality lie too far apart
    low = 0.0 if excess(0.0) >= 0.0 else -_SURE
    high = t + 1.0
    while excess(high) > 0.0:
        high *= 1.5
    return float(optimize.brentq(excess, low, high, xtol=1e-12, rtol=1e-12))


def vargha_delaney(
    clean: Sequence[float],
    faulty: Sequence[float],
    *,
    higher_is_better: bool,
    level: float = 0.95,
) -> Interval:
    """Vargha and Delaney's A: the chance that a faulty run is worse than a clean one.

    A tie counts a half; 0.5 is no effect. The interval is that of the logit of A, so that it stays
    within 0 .. 1, with the variance of DeLong and the degrees of freedom of Brunner and Munzel.
    Where that variance is 0, all of min(m, n) disjoint pairs of runs agree, and the limits are
    those of the exact binomial interval for that many successes of as many.

    Raises ConfigError for fewer than two scores a side and for scores that are not finite.
    Vargha and Delaney, Journal of Educational and Behavioral Statistics 25, 2000; DeLong, DeLong
    and Clarke-Pearson, Biometrics 44, 1988.
    """
    _check_level(level)
    if min(len(clean), len(faulty)) < 2:
        raise ConfigError(
            "Vargha and Delaney's A: expected at least two scores per side, "
            f"received {len(clean)} clean and {len(faulty)} faulty"
        )
    check_scores("Vargha and Delaney's A", clean, faulty)
    sign = -1.0 if higher_is_better else 1.0
    left, right = [sign * v for v in clean], [sign * v for v in faulty]
    m, n = len(left), len(right)
    worse = rank_sum(left, right) / (m * n)
    a, b = placement_errors(left, right)
    tail = (1.0 - level) / 2
    if a == b == 0.0:
        agree = tail ** (1 / min(m, n))
        # all pairs tied, or all decided one way: what the rest can be at most
        if worse == 0.5:
            return Interval(worse, agree / 2, 1.0 - agree / 2, level)
        low, high = (agree, 1.0) if worse == 1.0 else (0.0, 1.0 - agree)
        return Interval(worse, low, high, level)
    spread = math.sqrt(a + b) / (worse * (1.0 - worse))
    half = spread * float(stats.t.isf(tail, satterthwaite(a, b, m, n)))
    centre = float(special.logit(worse))
    limits = (float(special.expit(centre - half)), float(special.expit(centre + half)))
    return Interval(worse, *limits, level)


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ConfigError(
            "confidence level: expected a number between 0 and 1 (both excluded), "
            f"received {level!r}"
        )
