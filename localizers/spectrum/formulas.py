"""The five suspiciousness formulas, as GUIDER codes them (doi 10.1145/3716849).

Each maps a spectrum to one score per neuron, (neurons,); a neuron that no test activates scores 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .counts import Floats, Spectrum


def _tarantula(s: Spectrum) -> Floats:
    rate = s.ef / s.failing
    return rate / (rate + s.ep / s.passing)


def _ochiai(s: Spectrum) -> Floats:
    return s.ef / np.sqrt(s.failing * (s.ef + s.ep))


def _dstar(s: Spectrum) -> Floats:
    return np.square(s.ef) / (s.failing - s.ef + s.ep)


def _op2(s: Spectrum) -> Floats:
    return s.ef - s.ep / (s.passing + 1.0)


def _barinel(s: Spectrum) -> Floats:
    return 1.0 - s.ep / (s.ep + s.ef)


FORMULAS: dict[str, Callable[[Spectrum], Floats]] = {
    "tarantula": _tarantula,
    "ochiai": _ochiai,
    "dstar": _dstar,
    "op2": _op2,
    "barinel": _barinel,
}
"""By name. D* has star = 2 and reaches about 1e12; Op2 may be negative, which GUIDER aggregates
all the same."""


def suspiciousness(formula: str, spectrum: Spectrum) -> Floats:
    """Score each neuron by a formula of ``FORMULAS`` (KeyError for others), (neurons,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = FORMULAS[formula](spectrum)
    return np.where((spectrum.ef == 0.0) & (spectrum.ep == 0.0), 0.0, scores)
