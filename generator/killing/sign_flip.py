"""Exact one-sided sign-flip test of the differences between runs of the same seed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...datasets.errors import ConfigError
from .base import Verdict, check_paired, check_reach, check_settings
from .degenerate import Samples
from .effect import ROUNDING
from .fixed import FixedSample

MOST_PAIRS = 20
"""Pairs up to which all signs are gone through."""


@dataclass(frozen=True)
class SignFlip(FixedSample):
    """Killed where the one-sided p is at most alpha.

    Clean run k is paired with faulty run k, which starts from the same seed. p is the share of
    all 2^n ways to sign the n differences whose sum is at least the observed one, so that a
    mutant whose differences are symmetric about 0 is killed with a probability of at most alpha,
    whatever their distribution. That holds for runs that are not matched too; matching only
    makes a fault easier to see.

    The defaults are those of DEFault++ (2026): five seeds, where p is at least 1/32.
    """

    alpha: float = 0.05
    n_clean: int = 5
    n_faulty: int = 5
    name: str = field(default="sign-flip", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        check_paired(self.name, self.n_clean, self.n_faulty)
        if self.n_faulty > MOST_PAIRS:
            raise ConfigError(
                f"criterion {self.name!r}: n_faulty: expected at most {MOST_PAIRS} runs, whose "
                f"signs can all be gone through, received {self.n_faulty}; use fewer or the "
                "criterion wilcoxon"
            )
        smallest = 2.0**-self.n_faulty
        check_reach(self.name, smallest, self.alpha, self.n_clean, self.n_faulty)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        if samples.clean == samples.faulty:
            reason = "every faulty run scores as its clean run"
            return samples.verdict(self, 1.0, killed=False, reason=reason, status="degenerate")
        p = sign_flip_p([b - a for a, b in zip(samples.clean, samples.faulty, strict=True)])
        return samples.verdict(
            self,
            p,
            killed=p <= self.alpha,
            reason=f"exact sign-flip p = {p:.4g}, d = {samples.effect_size:.3g}",
        )


def sign_flip_p(differences: Sequence[float]) -> float:
    """Return the share of signs that give at least the sum of the differences.

    Sums of one half of the differences are looked up among the sorted sums of the other half, so
    that twenty differences take a thousand look-ups instead of a million sums.
    """
    sizes = np.abs(np.asarray(differences, dtype=np.float64))
    half = len(sizes) // 2
    left, right = _signed_sums(sizes[:half]), np.sort(_signed_sums(sizes[half:]))
    # Sums that differ by rounding only are equal: 0.9 - 0.8 is not quite 0.8 - 0.7.
    wanted = float(np.sum(differences)) - ROUNDING * float(np.sum(sizes))
    below = np.searchsorted(right, wanted - left, side="left")
    return float(np.sum(len(right) - below)) / 2.0 ** len(sizes)


def _signed_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums
