"""DeepCrime's rule, literally: Gaussian GLM p < .05 and Cohen's d >= .5, twenty runs a side."""

from dataclasses import dataclass, field

from .base import Verdict, check_min_effect, check_settings
from .degenerate import Samples
from .fixed import FixedSample
from .linear import glm_p, large_enough


@dataclass(frozen=True)
class DeepCrime(FixedSample):
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
        check_min_effect(self.name, self.min_effect)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        p = glm_p(samples.clean, samples.faulty)
        d = samples.effect_size
        killed = p < self.alpha and large_enough(d, self.min_effect)
        return samples.verdict(self, p, killed=killed, reason=f"GLM p = {p:.4g}, d = {d:.3g}")
