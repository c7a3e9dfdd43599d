"""The Gaussian linear model of two groups of runs: p-values, effect sizes and power."""

import math
from collections.abc import Sequence

from scipy import stats

from .effect import mean, pooled_variance

_LARGE = 1e6
"""Noncentrality from which on the normal part of the statistic no longer matters."""


def standardised_gap(first: Sequence[float], second: Sequence[float]) -> float:
    """Gap of the means over its standard error, with pooled variance; needs some variance."""
    error = math.sqrt(pooled_variance(first, second) * (1 / len(first) + 1 / len(second)))
    return (mean(second) - mean(first)) / error


def glm_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of the group in a Gaussian GLM with identity link; needs some variance.

    Its reference is the normal distribution, as if the variance were known: too small a p for
    few runs.
    """
    return float(2.0 * stats.norm.sf(abs(standardised_gap(first, second))))


def student_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of the group with Student's distribution: exact where scores are normal."""
    freedom = len(first) + len(second) - 2
    return float(2.0 * stats.t.sf(abs(standardised_gap(first, second)), freedom))


def large_enough(d: float, min_effect: float) -> bool:
    """Whether the faulty runs are worse, and by at least so many standard deviations."""
    # d > 0 as well: with min_effect = 0 an improving mutant must still survive
    return d >= min_effect and d > 0.0


def cohens_f(d: float, n_clean: int, n_faulty: int) -> float:
    """Cohen's f of two groups that differ by d: d / 2 where both have as many runs.

    Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, section 8.2.
    """
    return abs(d) * math.sqrt(n_clean * n_faulty) / (n_clean + n_faulty)


def anova_power(f: float, runs: int, alpha: float) -> float:
    """Probability that the F-test of two groups finds an effect.

    Args:
        f: Cohen's f, of :func:`cohens_f`. DeepCrime hands d itself to this formula, which is
            twice too large: give d to repeat its stability filter.
        runs: of both groups together, at least 3.
        alpha: significance level.
    """
    freedom = runs - 2
    critical = float(stats.f.isf(alpha, 1, freedom))
    noncentrality = f * f * runs
    if noncentrality == 0.0:  # for which SciPy 1.17 answers alpha - 1
        return alpha
    if noncentrality > _LARGE:
        return float(stats.chi2.cdf(freedom * (noncentrality / critical), freedom))
    return float(stats.ncf.sf(critical, 1, freedom, noncentrality))
