"""The rank sum and its null distribution against enumeration and SciPy."""

from itertools import combinations

import numpy as np
import pytest
from faultloom.generator.killing.ranks import rank_sum, upper_tail, without_ties
from scipy import stats


def test_known_rank_sums() -> None:
    assert rank_sum([1.0, 2.0], [3.0, 4.0, 5.0]) == 6.0
    assert rank_sum([3.0, 4.0], [1.0, 2.0]) == 0.0
    assert rank_sum([1.0, 2.0], [2.0, 0.0]) == 1.5


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 3), (4, 4), (6, 3)])
def test_the_tail_is_the_share_of_orders(m: int, n: int) -> None:
    sums = []
    for places in combinations(range(m + n), n):
        clean = [float(v) for v in range(m + n) if v not in places]
        sums.append(rank_sum(clean, [float(v) for v in places]))
    for u in range(m * n + 1):
        share = sum(found >= u for found in sums) / len(sums)
        assert upper_tail(u, m, n) == pytest.approx(share, abs=1e-15)
    for beyond in (0.5, 1.0, 1.5, 2.0, 9.5):
        assert upper_tail(m * n + beyond, m, n) == 0.0
    assert upper_tail(-1.0, m, n) == 1.0


@pytest.mark.parametrize(("m", "n"), [(40, 4), (40, 20), (20, 9)])
def test_the_tail_agrees_with_scipy(m: int, n: int) -> None:
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.5, 1.0):
        clean, faulty = rng.normal(size=m).tolist(), rng.normal(shift, size=n).tolist()
        theirs = stats.mannwhitneyu(faulty, clean, alternative="greater", method="exact")
        u = rank_sum(clean, faulty)
        assert u == theirs.statistic
        assert without_ties(u, clean, faulty) == u
        assert upper_tail(u, m, n) == pytest.approx(theirs.pvalue, rel=1e-12)


def test_ties_are_scaled_to_the_spread_of_untied_scores() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        clean, faulty = (rng.integers(0, 4, n).astype(float).tolist() for n in (12, 7))
        u, n = rank_sum(clean, faulty), 19
        theirs = stats.mannwhitneyu(
            faulty, clean, alternative="greater", method="asymptotic", use_continuity=False
        )
        z = (without_ties(u, clean, faulty) - 42) / np.sqrt(12 * 7 * (n + 1) / 12)
        assert stats.norm.sf(z) == pytest.approx(theirs.pvalue, rel=1e-9)


def test_scores_that_are_all_tied_stay_in_the_middle() -> None:
    assert without_ties(rank_sum([1.0] * 3, [1.0] * 2), [1.0] * 3, [1.0] * 2) == 3.0
