"""DeepCrime's rule, literally: Gaussian GLM p < .05 and Cohen's d >= .5, twenty runs a side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from scipy import stats

from ...datasets.errors import ConfigError
from .base import Verdict, check_settings
from .degenerate import settle
from .effect import mean, pooled_variance


@dataclass(frozen=True)
class DeepCrime:
    """Killed where the two-sided p is below alpha and the faulty runs are worse by d.

    The GLM with identity link is a z-test with pooled variance; its p is computed exactly and
    not read from a printed table. Unlike the released code, diverged runs and samples without
    variance are decided beforehand.
    """

    alpha: float = 0.05
    n_clean: int = 20
    n_faulty: int = 20
    min_effect: float = 0.5
    name: str = field(default="deepcrime", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        if not 0.0 <= self.min_effect < math.inf:
            raise ConfigError(
                f"criterion {self.name!r}: min_effect: expected a finite number of at least 0, "
                f"received {self.min_effect!r}"
            )

    @property
    def looks(self) -> tuple[int, ...]:
        """One: all runs are wanted before anything is decided."""
        return (self.n_faulty,)

    def decide(
        self, clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool
    ) -> Verdict:
        """Decide from the first `n_clean` and `n_faulty` scores."""
        samples = settle(self, clean, faulty, higher_is_better=higher_is_better)
        if isinstance(samples, Verdict):
            return samples
        p = glm_p(samples.clean, samples.faulty)
        d = samples.effect_size
        # d > 0 as well: with min_effect = 0 an improving mutant must still survive
        killed = p < self.alpha and d >= self.min_effect and d > 0.0
        return Verdict(
            criterion=self.name,
            decision="killed" if killed else "survived",
            status="ok",
            p_value=p,
            effect_size=d,
            alpha=self.alpha,
            n_clean=len(samples.clean),
            n_faulty=len(samples.faulty),
            reason=f"GLM p = {p:.4g}, d = {d:.3g}{samples.note}",
        )


def glm_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of the group in a Gaussian GLM with identity link; needs some variance."""
    error = math.sqrt(pooled_variance(first, second) * (1 / len(first) + 1 / len(second)))
    return float(2.0 * stats.norm.sf(abs(mean(second) - mean(first)) / error))
