"""Redundancy and triviality: which mutants ask nothing that another does not ask?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from statsmodels.stats.proportion import proportion_confint

from ..killing.answers import Flags, Floats

TRIVIAL = 0.9
"""Killing probability from which on a mutant is trivial (DeepCrime)."""


def is_trivial(killing_probability: float) -> bool:
    """Whether nearly every input kills the mutant in nearly every run.

    Args:
        killing_probability: mean over the inputs, the triviality score.
    """
    return killing_probability >= TRIVIAL


def wilson(kills: npt.NDArray[np.int_], pairs: npt.NDArray[np.int_], level: float) -> Floats:
    """Return Wilson intervals of killing probabilities, (2, mutants, inputs): low and high.

    Args:
        kills: pairs of runs in which an input kills a mutant, (mutants, inputs).
        pairs: pairs of runs of each mutant, (mutants,).
        level: confidence.
    """
    ends = proportion_confint(kills, pairs[:, None], alpha=1 - level, method="wilson")
    return np.asarray(ends, np.float64)


def subsumption(
    kills: npt.NDArray[np.int_],
    pairs: npt.NDArray[np.int_],
    *,
    level: float = 0.9,
    precision: float = 0.05,
) -> Flags:
    """Return which mutant subsumes which, (mutants, mutants): row before column.

    One subsumes another where every input that tells their killing probabilities apart (their
    Wilson intervals do not overlap) kills the other more probably, and where there are so many
    such inputs that the Wilson interval of this share is narrower than twice the precision.
    DeepCrime's replication package.

    Args:
        kills: pairs of runs in which an input kills a mutant, (mutants, inputs).
        pairs: pairs of runs of each mutant, (mutants,).
        level: confidence of the intervals.
        precision: half the width below which the interval of the share must be.
    """
    low, high = wilson(kills, pairs, level)
    # Inputs that surely kill the column's mutant more probably than the row's.
    more = np.stack([(low > end).sum(axis=1, dtype=np.int32) for end in high])
    sizes = np.arange(1, kills.shape[1] + 1)
    start, end = proportion_confint(sizes, sizes, alpha=1 - level, method="wilson")
    enough = np.array([False, *((end - start) / 2 < precision)])
    return np.asarray((more.T == 0) & enough[more])


def redundant(edges: Flags) -> Flags:
    """Return which mutants are redundant as published: subsumed by any other, (mutants,)."""
    return np.asarray(edges.any(axis=0))


def without_witness(edges: Flags) -> Flags:
    """Return which mutants could go while one that subsumes each of them stays, (mutants,).

    Mutants that subsume each other in a circle are all redundant as published, although nothing
    is left that asks what they ask; of such a circle the first stays, unless another mutant
    outside of it subsumes it.
    """
    count, circle = connected_components(edges, directed=True, connection="strong")
    gone = np.zeros(len(edges), bool)
    for number in range(count):
        members = np.flatnonzero(circle == number)
        outside = np.delete(np.arange(len(edges)), members)
        gone[members if edges[np.ix_(outside, members)].any() else members[1:]] = True
    return gone
