"""DeepCrime's rule with the p of Student's distribution and the power of the right effect size."""

from dataclasses import dataclass, field

from .base import Verdict, check_min_effect, check_settings
from .degenerate import Samples
from .fixed import FixedSample
from .linear import anova_power, cohens_f, large_enough, student_p


@dataclass(frozen=True)
class DeepCrimeCorrected(FixedSample):
    """Killed where the two-sided p is below alpha and the faulty runs are worse by d.

    It differs from ``deepcrime`` in two ways: p is that of Student's distribution, so that a
    program which is not worse is killed with a probability of at most alpha / 2 however few the
    runs (scores being normal); and the power that the reason names is that of Cohen's f = d / 2.
    A mutant is killed as diverged from half of the runs on. The power is told, not asked for.
    """

    alpha: float = 0.05
    n_clean: int = 20
    n_faulty: int = 20
    min_effect: float = 0.5
    name: str = field(default="deepcrime-corrected", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        check_min_effect(self.name, self.min_effect)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        p = student_p(samples.clean, samples.faulty)
        d = samples.effect_size
        f = cohens_f(d, self.n_clean, self.n_faulty)
        power = anova_power(f, self.n_clean + self.n_faulty, self.alpha)
        return samples.verdict(
            self,
            p,
            killed=p < self.alpha and large_enough(d, self.min_effect),
            reason=f"two-sided Student p = {p:.4g}, d = {d:.3g}, power = {power:.3g}",
        )
