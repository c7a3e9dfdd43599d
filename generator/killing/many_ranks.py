"""The rank-sum statistic of `ranks.py` for many mutants at once."""

from __future__ import annotations

import numpy as np

from .many_samples import Floats, ManySamples
from .ranks import upper_tail


def rank_sums(samples: ManySamples) -> Floats:
    """Return U of each mutant, (n,): faulty scores above clean ones, a tie counting a half."""
    total = np.zeros(len(samples.clean))
    # Run by run: the whole cube of comparisons would not stay in the cache.
    for run in range(samples.faulty.shape[1]):
        score = samples.faulty[:, run, None]
        total += np.count_nonzero(samples.clean < score, axis=1)
        total += np.count_nonzero(samples.clean <= score, axis=1)
    return total / 2


def tied(samples: ManySamples) -> Floats:
    """Return the sum of t^3 - t over the groups of t equal scores of each mutant, (n,)."""
    ordered = np.sort(np.concatenate([samples.clean, samples.faulty], axis=1), axis=1)
    total = np.zeros(len(ordered))
    same = np.zeros(len(ordered))
    # The k-th repetition in a group adds k^3 - k - ((k - 1)^3 - (k - 1)) = 3 k (k - 1), k = 2 ...
    for place in range(1, ordered.shape[1]):
        same = np.where(ordered[:, place] == ordered[:, place - 1], same + 1, 0.0)
        total += 3 * same * (same + 1)
    return total


def without_ties(samples: ManySamples) -> Floats:
    """Return U as `ranks.without_ties` scales it, (n,); rows without any spread are kept."""
    n_clean, n_faulty = samples.sizes
    n, u = n_clean + n_faulty, rank_sums(samples)
    share = 1.0 - tied(samples) / (n**3 - n)
    middle = n_clean * n_faulty / 2
    scaled = middle + (u - middle) / np.sqrt(np.where(share > 0.0, share, 1.0))
    return np.where(share < 1.0, scaled, u)


def upper_tails(u: Floats, n_clean: int, n_faulty: int) -> Floats:
    """Return `ranks.upper_tail` of each U, (n,)."""
    values, places = np.unique(u, return_inverse=True)
    return np.array([upper_tail(value, n_clean, n_faulty) for value in values.tolist()])[places]
