"""One-sided Mann-Whitney test: do the faulty runs tend to score worse?"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .base import Verdict, check_reach, check_settings
from .degenerate import Samples
from .fixed import FixedSample
from .ranks import has_ties, normal_tail, rank_sum, separated_p, upper_tail

EXACT = 50
"""Runs a side up to which p comes from the exact distribution where no scores are tied."""


@dataclass(frozen=True)
class MannWhitney(FixedSample):
    """Killed where the one-sided p is at most alpha.

    Without ties and with at most 50 runs a side p is exact, and a program that is not worse is
    killed with a probability of at most alpha whatever the distribution of scores; otherwise it
    is that of the normal approximation, corrected for ties and for continuity. The reason says
    which. Equal but wider scores are not covered, for which there is ``brunner-munzel``.

    Mann and Whitney, Annals of Mathematical Statistics 18, 1947.
    """

    alpha: float = 0.025
    n_clean: int = 20
    n_faulty: int = 10
    name: str = field(default="mann-whitney", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        smallest = separated_p(self.n_clean, self.n_faulty)
        check_reach(self.name, smallest, self.alpha, self.n_clean, self.n_faulty)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        p, method = mann_whitney_p(samples.clean, samples.faulty)
        return samples.verdict(
            self,
            p,
            killed=p <= self.alpha,
            reason=f"one-sided Mann-Whitney p = {p:.4g} ({method}), d = {samples.effect_size:.3g}",
        )


def mann_whitney_p(first: Sequence[float], second: Sequence[float]) -> tuple[float, str]:
    """Return the one-sided p for larger scores of `second`, and whether it is exact.

    Needs scores that are not all equal.
    """
    u = rank_sum(first, second)
    if max(len(first), len(second)) <= EXACT and not has_ties(first, second):
        return upper_tail(u, len(first), len(second)), "exact"
    return normal_tail(u, first, second), "asymptotic"
