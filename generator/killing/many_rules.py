"""The tests of the criteria for many mutants at once: the maths of their `decide`, in columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import special, stats

from .deepcrime import DeepCrime
from .mann_whitney import EXACT, MannWhitney
from .many_ranks import rank_sums, tied, upper_tails, without_ties
from .many_samples import Bools, Floats, ManySamples
from .sequential import FUTILE, LOOKS, Sequential
from .welch import Welch

CLOSE = 1e-9
"""Distance to a bound of the decision below which rounding could turn it."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What a test says about n mutants at one look.

    Args:
        p_value: (n,).
        effect_size: Cohen's d, (n,).
        killed: (n,).
        open: (n,), whether more runs are needed before a decision falls.
        sure: (n,), whether no bound is so close that exact sums could decide otherwise.
    """

    p_value: Floats
    effect_size: Floats
    killed: Bools
    open: Bools
    sure: Bools


Test = Callable[[Any, ManySamples], Answers]


def _far(values: Floats, bound: float) -> Bools:
    return np.abs(values - bound) > CLOSE


def _final(p: Floats, d: Floats, killed: Bools, sure: Bools) -> Answers:
    return Answers(p, d, killed, np.zeros(len(p), dtype=np.bool_), sure)


def _deepcrime(rule: DeepCrime, samples: ManySamples) -> Answers:
    n_clean, n_faulty = samples.sizes
    d = samples.effect_size
    p = 2.0 * special.ndtr(-np.abs(d) / np.sqrt(1 / n_clean + 1 / n_faulty))
    sure = _far(p, rule.alpha) & _far(d, rule.min_effect) & _far(d, 0.0)
    return _final(p, d, (p < rule.alpha) & (d >= rule.min_effect) & (d > 0.0), sure)


def _welch(rule: Welch, samples: ManySamples) -> Answers:
    n_clean, n_faulty = samples.sizes
    clean, faulty = samples.variances
    a, b = clean / n_clean, faulty / n_faulty
    share = a / (a + b)
    freedom = 1 / (share**2 / (n_clean - 1) + (1 - share) ** 2 / (n_faulty - 1))
    p = np.asarray(stats.t.sf(samples.gap / np.sqrt(a + b), freedom))
    d = samples.effect_size
    return _final(p, d, (p < rule.alpha) & (d > 0.0), _far(p, rule.alpha) & _far(d, 0.0))


def _mann_whitney(rule: MannWhitney, samples: ManySamples) -> Answers:
    n_clean, n_faulty = samples.sizes
    n, ties, u = n_clean + n_faulty, tied(samples), rank_sums(samples)
    spread = np.sqrt(n_clean * n_faulty / 12 * (n + 1 - ties / (n * (n - 1))))
    p = special.ndtr(-(u - n_clean * n_faulty / 2 - 0.5) / spread)
    # Exact ones come from the same table as in `decide`: none is close to the bound.
    exact = (ties == 0.0) & (max(n_clean, n_faulty) <= EXACT)
    p[exact] = upper_tails(u[exact], n_clean, n_faulty)
    return _final(p, samples.effect_size, p <= rule.alpha, exact | _far(p, rule.alpha))


def _sequential(rule: Sequential, samples: ManySamples) -> Answers:
    n_clean, look = samples.sizes
    # Ranks are whole numbers and p comes from the same table as in `decide`: nothing is close.
    p = upper_tails(without_ties(samples), n_clean, look)
    killed = p <= rule.level(look)
    last = look == rule.looks[-1]
    goes_on = np.zeros_like(killed) if last else ~killed & (p <= FUTILE[LOOKS.index(look)])
    return Answers(p, samples.effect_size, killed, goes_on, np.ones_like(killed))


TESTS: Mapping[str, Test] = MappingProxyType(
    {
        "deepcrime": _deepcrime,
        "mann-whitney": _mann_whitney,
        "sequential": _sequential,
        "welch": _welch,
    }
)
"""The test of a criterion, by its name; other criteria are decided mutant by mutant."""
