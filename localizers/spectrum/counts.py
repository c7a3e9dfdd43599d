"""Weighted spectra: how much failing and passing weight activates each neuron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TOTAL_OFFSET = 1e-4
"""Added to both totals by GUIDER; it is what keeps D* finite."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TestWeights:
    """The tests' weights by verdict.

    ``rows`` is (2, n): the weights of the failing tests, then of the passing, 0 elsewhere;
    ``failing`` and ``passing`` are the totals F and P.
    """

    __test__ = False

    rows: Floats
    failing: float
    passing: float


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One layer's spectrum: ``ef`` and ``ep`` per neuron, (neurons,), and the totals F and P."""

    ef: Floats
    ep: Floats
    failing: float
    passing: float


def weigh(passed: npt.NDArray[np.bool_], confidence: Floats) -> TestWeights:
    """Weigh each test ``1 + c``, passing and failing alike; both arguments are (n,).

    The totals are ``1e-4 +`` the sum of the weights.
    """
    weights = 1.0 + confidence
    rows = np.stack([np.where(passed, 0.0, weights), np.where(passed, weights, 0.0)])
    fail, ok = rows.sum(axis=1)
    return TestWeights(rows, TOTAL_OFFSET + float(fail), TOTAL_OFFSET + float(ok))


def count(hits: npt.NDArray[np.bool_], weights: TestWeights) -> Spectrum:
    """Count one layer by a single matrix product; ``hits`` is (n, neurons)."""
    ef, ep = weights.rows @ hits.astype(np.float64)
    return Spectrum(ef, ep, weights.failing, weights.passing)
