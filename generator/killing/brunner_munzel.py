"""One-sided Brunner-Munzel test: is a faulty run more likely worse than better than a clean one?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from scipy import stats

from .base import Verdict, check_reach, check_settings
from .degenerate import Samples
from .effect import satterthwaite
from .fixed import FixedSample
from .ranks import placement_errors, rank_sum, separated_p


@dataclass(frozen=True)
class BrunnerMunzel(FixedSample):
    """Killed where the one-sided p is at most alpha.

    Unlike ``mann-whitney`` it allows for scores that are equal in the middle but wider. p is that
    of Student's distribution with estimated degrees of freedom. Where all faulty runs are worse
    than all clean ones there is no variance to estimate; p is then that of the permutation test,
    the share of one among all ways to choose the faulty runs. Where all are better, p is 1.

    The distribution is an approximation: with the default numbers of runs a program that is not
    worse was killed with a rate of .027 in place of .025 in a simulation of 8,000 campaigns, and
    with 5 faulty runs in place of 10 with one of .036.

    Brunner and Munzel, Biometrical Journal 42, 2000.
    """

    alpha: float = 0.025
    n_clean: int = 20
    n_faulty: int = 10
    name: str = field(default="brunner-munzel", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        smallest = separated_p(self.n_clean, self.n_faulty)
        check_reach(self.name, smallest, self.alpha, self.n_clean, self.n_faulty)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        p, method = brunner_munzel_p(samples.clean, samples.faulty)
        return samples.verdict(
            self,
            p,
            killed=p <= self.alpha,
            reason=(
                f"one-sided Brunner-Munzel p = {p:.4g} ({method}), d = {samples.effect_size:.3g}"
            ),
        )


def brunner_munzel_p(first: Sequence[float], second: Sequence[float]) -> tuple[float, str]:
    """Return the one-sided p for larger scores of `second`, and where it comes from.

    Needs two scores a side that are not all equal. The test is Welch's on the placements, the
    shares of the other sample that lie below each score.
    """
    m, n = len(first), len(second)
    worse = rank_sum(first, second) / (m * n)
    a, b = placement_errors(first, second)
    if a == b == 0.0:  # no pair of scores contradicts another
        return (separated_p(m, n) if worse == 1.0 else 1.0), "fully separated"
    t = (worse - 0.5) / math.sqrt(a + b)
    return float(stats.t.sf(t, satterthwaite(a, b, m, n))), "Student"
