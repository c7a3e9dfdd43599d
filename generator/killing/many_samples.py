"""Scores of many mutants made fit for a test at once, as `degenerate.settle` does it for one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SMALLEST_SPREAD = 1e-5
"""Standard deviation, relative to the largest score, from which plain sums are exact enough.

Below it the rounding of a mean shows in p at 1e-10 and more; exact sums are needed there.
"""


@dataclass(frozen=True, eq=False)
class ManySamples:
    """Scores of n mutants, finite, larger = worse, each row in a unit of its own.

    Args:
        clean: (n, clean runs).
        faulty: (n, faulty runs); a diverged run has the worst score seen in its row.
        plain: (n,), whether a row can be tested here; the others are degenerate, or so near to it
            that they need exact sums, and their values mean nothing.
    """

    clean: Floats
    faulty: Floats
    plain: Bools

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of clean and of faulty runs."""
        return self.clean.shape[1], self.faulty.shape[1]

    @property
    def gap(self) -> Floats:
        """Mean of the faulty minus mean of the clean scores, (n,)."""
        difference: Floats = self.faulty.mean(axis=1) - self.clean.mean(axis=1)
        return difference

    @property
    def variances(self) -> tuple[Floats, Floats]:
        """Variances of the clean and of the faulty scores (ddof = 1), (n,) each."""
        return self.clean.var(axis=1, ddof=1), self.faulty.var(axis=1, ddof=1)

    @property
    def pooled_variance(self) -> Floats:
        """Pooled variance (ddof = 1 in each sample), (n,)."""
        n_clean, n_faulty = self.sizes
        clean, faulty = self.variances
        return ((n_clean - 1) * clean + (n_faulty - 1) * faulty) / (n_clean + n_faulty - 2)

    @property
    def effect_size(self) -> Floats:
        """Cohen's d, positive where the faulty program is worse, (n,)."""
        return self.gap / np.sqrt(self.pooled_variance)

    def rows(self, chosen: Bools) -> ManySamples:
        """Return the samples of the chosen mutants only."""
        return ManySamples(self.clean[chosen], self.faulty[chosen], self.plain[chosen])


def prepare(clean: Floats, faulty: Floats, *, higher_is_better: bool) -> ManySamples:
    """Turn scores (n, clean runs) and (n, faulty runs) into samples to test.

    The division of a row by a power of two is exact, so that neither ranks nor p change with it.
    """
    sign = -1.0 if higher_is_better else 1.0
    left, right = sign * clean, sign * faulty
    diverged = ~np.isfinite(right)
    plain = np.isfinite(left).all(axis=1) & (2 * diverged.sum(axis=1) < right.shape[1])
    left = np.where(plain[:, None], left, 0.0)
    right = np.where(plain[:, None], right, 0.0)
    worst = np.maximum(left.max(axis=1), np.where(diverged, -np.inf, right).max(axis=1))
    right = np.where(diverged, worst[:, None], right)
    largest = np.maximum(np.abs(left).max(axis=1), np.abs(right).max(axis=1))
    shift = -np.frexp(largest)[1][:, None]
    samples = ManySamples(np.ldexp(left, shift), np.ldexp(right, shift), plain)
    spread = samples.pooled_variance >= SMALLEST_SPREAD**2
    return ManySamples(samples.clean, samples.faulty, plain & spread)
