"""DeepCrime's other rule, WLX: Wilcoxon's signed ranks p < .05 and Cohen's d >= .5."""

from dataclasses import dataclass, field

from scipy import stats

from .base import Verdict, check_min_effect, check_paired, check_reach, check_settings
from .degenerate import Samples
from .fixed import FixedSample
from .linear import large_enough


@dataclass(frozen=True)
class Wilcoxon(FixedSample):
    """Killed where the two-sided p is below alpha and the faulty runs are worse by d.

    Clean run k is paired with faulty run k. p is that of SciPy with its defaults, as the released
    code has it: equal pairs are dropped, there is no correction for continuity, and p is exact
    up to 50 pairs that are neither equal nor tied (by enumeration up to 13 pairs that are), else
    that of the normal approximation. Older versions of SciPy choose
    otherwise between the two, so that published p-values may differ where pairs are tied.

    Unlike the released code, diverged runs, samples without variance and pairs that are all equal
    (p = 1) are decided beforehand.
    """

    alpha: float = 0.05
    n_clean: int = 20
    n_faulty: int = 20
    min_effect: float = 0.5
    name: str = field(default="wilcoxon", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        check_min_effect(self.name, self.min_effect)
        check_paired(self.name, self.n_clean, self.n_faulty)
        smallest = 2.0 ** (1 - self.n_faulty)
        check_reach(self.name, smallest, self.alpha, self.n_clean, self.n_faulty)

    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
        if samples.clean == samples.faulty:
            reason = "every faulty run scores as its clean run"
            return samples.verdict(self, 1.0, killed=False, reason=reason, status="degenerate")
        p = float(stats.wilcoxon(samples.clean, samples.faulty).pvalue)
        d = samples.effect_size
        return samples.verdict(
            self,
            p,
            killed=p < self.alpha and large_enough(d, self.min_effect),
            reason=f"Wilcoxon p = {p:.4g}, d = {d:.3g}",
        )
