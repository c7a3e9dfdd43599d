"""DAMT4DL's two scores: how many mutants are killed, and in how many different ways."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...datasets.errors import ConfigError
from ..killing.answers import Flags


def k_score(killed: Sequence[bool]) -> float:
    """Return the share of all mutants that are killed, those of all operators together.

    Raises:
        ConfigError: there is no mutant.
    """
    _some(len(killed))
    return sum(killed) / len(killed)


def d_score(vectors: Flags) -> float:
    """Return how many different d-vectors there are, that of no difference among them.

    Args:
        vectors: which input tells which mutant from its clean program, (mutants, inputs).

    Returns:
        Number of different vectors, the zero vector counted always, over mutants + 1.

    Raises:
        ConfigError: there is no mutant.
    """
    _some(len(vectors))
    everything = np.vstack([vectors, np.zeros((1, vectors.shape[1]), bool)])
    return len(np.unique(everything, axis=0)) / len(everything)


def _some(mutants: int) -> None:
    if not mutants:
        raise ConfigError("score: expected at least one mutant, received none; plan some mutants")
