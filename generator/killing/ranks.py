"""The rank-sum statistic of Mann and Whitney, its exact null distribution, and ties."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from scipy.special import ndtr

from .effect import variance


def placements(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """How many of the others lie below each value; a tie counts a half."""
    ordered = sorted(others)
    return [(bisect_left(ordered, v) + bisect_right(ordered, v)) / 2 for v in values]


def placement_errors(clean: Sequence[float], faulty: Sequence[float]) -> tuple[float, float]:
    """Return what each sample adds to the variance of U / (mn), from two scores a side on.

    Both are exactly 0 where the samples are fully separated or all scores are equal.
    DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Brunner and Munzel, 2000.
    """
    m, n = len(clean), len(faulty)
    a = variance(placements(clean, faulty)) / (m * n**2)
    b = variance(placements(faulty, clean)) / (n * m**2)
    return a, b


def rank_sum(clean: Sequence[float], faulty: Sequence[float]) -> float:
    """Return U: how often a faulty score is larger than a clean one; a tie counts a half."""
    return sum(placements(faulty, clean))


def has_ties(clean: Sequence[float], faulty: Sequence[float]) -> bool:
    """Whether any two scores are equal, on one side or across."""
    return len({*clean, *faulty}) < len(clean) + len(faulty)


def _spread_left(clean: Sequence[float], faulty: Sequence[float]) -> float:
    """Share of the variance of U that ties leave (Lehmann, Nonparametrics, 1975, section 1.4)."""
    n = len(clean) + len(faulty)
    tied = sum(count**3 - count for count in Counter((*clean, *faulty)).values())
    return 1.0 - tied / (n**3 - n)


def without_ties(u: float, clean: Sequence[float], faulty: Sequence[float]) -> float:
    """Return the U that is as many standard deviations from its mean where nothing is tied.

    Ties shrink the spread of U; discrete scores such as the accuracy on few rows would else
    hardly ever reach a small p.
    """
    share = _spread_left(clean, faulty)
    if share == 1.0 or share <= 0.0:
        return u
    middle = len(clean) * len(faulty) / 2
    return middle + (u - middle) / math.sqrt(share)


def normal_tail(u: float, clean: Sequence[float], faulty: Sequence[float]) -> float:
    """Return about P(U >= u), corrected for ties and continuity; 1 where all scores are equal."""
    m, n = len(clean), len(faulty)
    spread = math.sqrt(_spread_left(clean, faulty) * m * n * (m + n + 1) / 12)
    return float(ndtr((m * n / 2 + 0.5 - u) / spread)) if spread else 1.0


def separated_p(n_clean: int, n_faulty: int) -> float:
    """Return P(every faulty score is larger than every clean one), the smallest p of any ranks."""
    return 1 / math.comb(n_clean + n_faulty, n_faulty)


def upper_tail(u: float, n_clean: int, n_faulty: int) -> float:
    """Return P(U >= u) where clean and faulty scores come from one continuous distribution."""
    tails = _upper_tails(n_clean, n_faulty)
    # A U that was scaled may miss a whole number by rounding, and may lie beyond the largest.
    return tails[min(max(math.ceil(u - 1e-9), 0), len(tails) - 1)]


@lru_cache(maxsize=256)
def _upper_tails(m: int, n: int) -> tuple[float, ...]:
    """P(U >= u) for u = 0 .. mn and beyond, from the Gaussian binomial coefficient of m + n over n.

    Whole numbers throughout: the counts outgrow floating point.
    """
    counts = [0] * (m * n + 1)
    counts[0] = 1
    for i in range(1, n + 1):
        for u in range(m * n, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, m * n + 1):
            counts[u] += counts[u - i]
    total, above, tails = math.comb(m + n, n), 0, [0.0]
    for count in reversed(counts):
        above += count
        tails.append(above / total)
    return tuple(reversed(tails))
