"""Is a program as good as its clean program, up to a margin? Not: is no difference found?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy import stats

from ...datasets.errors import ConfigError
from .effect import is_constant, mean, satterthwaite, variance

MARGIN = 0.01
"""One point of accuracy: the widest tolerance with which the published neutrality search took a
program for as good as the developers' fix. A metric in other units needs a margin of its own."""


@dataclass(frozen=True)
class EquivalenceResult:
    """Whether equivalence, or non-inferiority, is shown.

    `gap` is the mean of the clean scores minus that of the others, `low` and `high` bound it with
    confidence 1 - 2 alpha, both in the unit of the metric. `p_value` is that of the worse of the
    sides tested. The three last are None where nothing was computed.
    """

    decision: Literal["shown", "not_shown", "too_few_runs"]
    margin: float
    alpha: float
    p_value: float | None
    gap: float | None
    low: float | None
    high: float | None
    reason: str


def equivalent(
    clean: Sequence[float], other: Sequence[float], *, margin: float = MARGIN, alpha: float = 0.05
) -> EquivalenceResult:
    """Test whether the means differ by less than the margin: two one-sided Welch tests.

    Shown where the interval of confidence 1 - 2 alpha lies within the margin, so that programs
    further apart are taken for equivalent with a probability of at most alpha. A survivor of
    which it is shown is likely equivalent; one of which it is not may be either.

    Args:
        clean: scores of the clean program, of all runs.
        other: scores of the other program.
        margin: largest gap that does not matter, in the unit of the metric.
        alpha: chance of calling programs equivalent that are not.

    A run of the other program that diverged makes it not equivalent. Fewer than two runs a side
    are too few. Without variance the gap is compared with the margin. Raises ConfigError for a
    clean score that is not finite and for settings that cannot be used.

    Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
    """
    return _test(clean, other, margin, alpha, lower=True, upper=True)


def non_inferior(
    clean: Sequence[float],
    other: Sequence[float],
    *,
    higher_is_better: bool,
    margin: float = MARGIN,
    alpha: float = 0.05,
) -> EquivalenceResult:
    """Test whether the other mean is worse by less than the margin, if it is worse at all.

    One side of :func:`equivalent`: what an alternative patch must show. The other arguments and
    the degenerate cases are as there; correct over all programs tested with ``holm``.
    """
    return _test(clean, other, margin, alpha, lower=not higher_is_better, upper=higher_is_better)


def _test(
    clean: Sequence[float],
    other: Sequence[float],
    margin: float,
    alpha: float,
    *,
    lower: bool,
    upper: bool,
) -> EquivalenceResult:
    _check(clean, margin, alpha)
    if min(len(clean), len(other)) < 2:
        reason = f"wants 2 runs a side, has {len(clean)} and {len(other)}"
        return EquivalenceResult("too_few_runs", margin, alpha, None, None, None, None, reason)
    diverged = sum(not math.isfinite(v) for v in other)
    if diverged:
        reason = f"{diverged} of {len(other)} runs diverged"
        return EquivalenceResult("not_shown", margin, alpha, None, None, None, None, reason)
    # in a unit that is a power of two, so that squares neither overflow nor vanish
    unit = 2.0 ** (math.frexp(max(margin, *map(abs, clean), *map(abs, other)))[1] - 1)
    left, right, bound = [v / unit for v in clean], [v / unit for v in other], margin / unit
    gap = mean(left) - mean(right)
    a, b = variance(left) / len(left), variance(right) / len(right)
    error = math.sqrt(a + b)
    if error == 0.0 or (is_constant(left) and is_constant(right)):
        outside = (upper and gap >= bound) or (lower and gap <= -bound)
        p, half, method = float(outside), 0.0, "no variance"
    else:
        freedom = satterthwaite(a, b, len(left), len(right))
        half = error * float(stats.t.isf(alpha, freedom))
        method = "Welch"
        p = max(
            float(stats.t.cdf((gap - bound) / error, freedom)) if upper else 0.0,
            float(stats.t.sf((gap + bound) / error, freedom)) if lower else 0.0,
        )
    low, high, gap = (gap - half) * unit, (gap + half) * unit, gap * unit
    reason = f"gap {gap:.4g} in {low:.4g} .. {high:.4g}, margin {margin:g}, p = {p:.4g} ({method})"
    decision: Literal["shown", "not_shown"] = "shown" if p < alpha else "not_shown"
    return EquivalenceResult(decision, margin, alpha, p, gap, low, high, reason)


def _check(clean: Sequence[float], margin: float, alpha: float) -> None:
    if not 0.0 < margin < math.inf:
        raise ConfigError(
            "equivalence: margin: expected a finite number above 0, in the unit of the metric, "
            f"received {margin!r}"
        )
    if not 0.0 < alpha < 0.5:
        raise ConfigError(
            "equivalence: alpha: expected a number between 0 and 0.5 (both excluded), "
            f"received {alpha!r}"
        )
    for k, value in enumerate(clean):
        if not math.isfinite(value):
            raise ConfigError(
                f"equivalence: expected finite scores of the clean program, received {value} in "
                f"clean run {k}: repair the subject or leave it out"
            )
