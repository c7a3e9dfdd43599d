"""Instability: how unsure it is that what is killed would be killed again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy import stats

ENOUGH_POWER = 0.8
"""Power from which on a killing counts as stable (DeepCrime)."""


def power(d: float, n_clean: int, n_faulty: int, alpha: float = 0.05) -> float:
    """Return the power of the two-sided two-sample test at a true effect of Cohen's d.

    Args:
        d: effect size; may be infinite.
        n_clean: runs of the clean program.
        n_faulty: runs of the mutant; together at least three.
        alpha: two-sided level.
    """
    shift = d**2 * n_clean * n_faulty / (n_clean + n_faulty)
    return _power(shift, n_clean + n_faulty, alpha)


def published_power(d: float, n_clean: int, n_faulty: int, alpha: float = 0.05) -> float:
    """Return the power as DeepCrime's code has it, which is far too large.

    It hands Cohen's d to the F test in the place of Cohen's f, which is d / 2, and so never finds
    a killed configuration unstable.
    """
    return _power(d**2 * (n_clean + n_faulty), n_clean + n_faulty, alpha)


def _power(shift: float, runs: int, alpha: float) -> float:
    """P(an F of one degree of freedom, shifted by so much, is above its critical value)."""
    if shift == 0.0 or math.isinf(shift):
        return alpha if shift == 0.0 else 1.0
    critical = stats.f.isf(alpha, 1, runs - 2)
    return float(stats.ncf.sf(critical, 1, runs - 2, shift))


def share_unstable(powers: Sequence[float]) -> float | None:
    """Return the share of killed configurations whose power is too small.

    Args:
        powers: of the killed configurations; `power` for the corrected, `published_power` for the
            published instability of a set, which is then always 0.

    Returns:
        0 to 1, or None where nothing is killed. (DeepCrime's code says 0 then.)
    """
    if not powers:
        return None
    return sum(value < ENOUGH_POWER for value in powers) / len(powers)


def published_range_instability(
    stable: Mapping[float, bool],
    *,
    train: float,
    test: float | None,
    bound: float,
    increasing: bool,
) -> float:
    """Return DeepCrime's instability of a range, in the special cases of its code.

    The distance from the training data's kill to the largest unstable value, plus that to the
    smallest stable value from the test set's kill on, both as shares of the range that the
    training data kills. It is 0 where all is stable and may exceed 1.

    Args:
        stable: by value, whether the power on the test set is enough.
        train: least aggressive value that the training data kills.
        test: likewise of the test set; None counts as the aggressive end.
        bound: the aggressive end.
        increasing: whether larger values are more aggressive.
    """
    kill = bound if test is None else test
    unstable = max((value for value, enough in stable.items() if not enough), default=0.0)
    first = min(
        (value for value, enough in stable.items() if enough and value >= kill), default=None
    )
    if first is None or (increasing and unstable > first):
        return 2.0
    if unstable < train if increasing else first < unstable and train < unstable:
        return 0.0
    if bound == train or unstable == 0.0:
        return 0.0
    if unstable == bound:
        return 2.0
    return (abs(unstable - train) + abs(first - train)) / abs(bound - train)
