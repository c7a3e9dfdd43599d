"""One-sided Welch test: is the mean of the faulty runs worse, with unequal variances?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from scipy import stats

from .base import Verdict, check_settings
from .degenerate import Samples
from .effect import mean, satterthwaite, variance
from .fixed import FixedSample


@dataclass(frozen=True)
class Welch(FixedSample):
    """Killed where the one-sided p is below alpha."""

    alpha: float = 0.025
    n_clean: int = 20
    n_faulty: int = 10
    name: str = field(default="welch", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        p = welch_p(samples.clean, samples.faulty)
        d = samples.effect_size
        return samples.verdict(
            self,
            p,
            killed=p < self.alpha and d > 0.0,
            reason=f"one-sided Welch p = {p:.4g}, d = {d:.3g}",
        )


def welch_p(first: Sequence[float], second: Sequence[float]) -> float:
    """One-sided p for a larger mean of `second`; needs some variance."""
    a, b = variance(first) / len(first), variance(second) / len(second)
    t = (mean(second) - mean(first)) / math.sqrt(a + b)
    return float(stats.t.sf(t, satterthwaite(a, b, len(first), len(second))))
