"""The rank-sum statistic of Mann and Whitney, its exact null distribution, and ties."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache


def rank_sum(clean: Sequence[float], faulty: Sequence[float]) -> float:
    """Return U: how often a faulty score is larger than a clean one; a tie counts a half."""
    ordered = sorted(clean)
    below = sum(bisect_left(ordered, v) + bisect_right(ordered, v) for v in faulty)
    return below / 2


def without_ties(u: float, clean: Sequence[float], faulty: Sequence[float]) -> float:
    """Return the U that is as many standard deviations from its mean where nothing is tied.

    Ties shrink the spread of U (Lehmann, Nonparametrics, 1975, section 1.4); discrete scores
    such as the accuracy on few rows would else hardly ever reach a small p.
    """
    n = len(clean) + len(faulty)
    tied = sum(count**3 - count for count in Counter((*clean, *faulty)).values())
    share = 1.0 - tied / (n**3 - n)
    if tied == 0 or share <= 0.0:
        return u
    middle = len(clean) * len(faulty) / 2
    return middle + (u - middle) / math.sqrt(share)


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
