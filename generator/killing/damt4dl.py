"""DAMT4DL's killing, of the whole test set and of each input: DeepCrime's test, both ways."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from ...datasets.errors import ConfigError
from .answers import Answers, Flags, Floats, check_alpha, verdict
from .base import Verdict


@dataclass(frozen=True)
class Damt4dl:
    """Killed where the GLM's two-sided p is below alpha and Cohen's d is large either way.

    Unlike DeepCrime's own rule it also kills a mutant that is *better* than its clean program.
    On one input the score of a run is 1 for right and 0 for wrong; the vector of all inputs is
    the mutant's d-vector. Not monotone: adding inputs can un-kill a mutant as a whole.

    DAMT4DL, diversity-aware mutation testing, 2024.

    Args:
        alpha: two-sided level.
        min_effect: smallest absolute Cohen's d.
    """

    alpha: float = 0.05
    min_effect: float = 0.5
    name: str = field(default="damt4dl", init=False)

    def __post_init__(self) -> None:
        check_alpha(self.name, self.alpha)

    def kills(self, answers: Answers) -> Flags:
        """Return the d-vector: which inputs tell the mutant from its clean program, (inputs,).

        Raises:
            ConfigError: a side has only one run, which has no variance.
        """
        if _too_few(answers):
            raise ConfigError(
                f"rule {self.name!r}: expected at least 2 runs a side, received "
                f"{len(answers.clean)} clean and {len(answers.faulty)} faulty; train more"
            )
        p, d = glm_columns(answers.clean.astype(np.float64), answers.faulty.astype(np.float64))
        return np.asarray((p < self.alpha) & (np.abs(d) >= self.min_effect))

    def decide(self, answers: Answers) -> Verdict:
        """Decide from the accuracies of all runs."""
        if _too_few(answers):
            reason = "wants 2 runs a side: one has no variance"
            return verdict(self.name, answers, killed=None, p=None, alpha=self.alpha, reason=reason)
        clean, faulty = (np.asarray(side)[:, None] for side in answers.accuracies)
        (p,), (d,) = glm_columns(clean, faulty)
        return verdict(
            self.name,
            answers,
            killed=bool(p < self.alpha and abs(d) >= self.min_effect),
            p=float(p),
            alpha=self.alpha,
            reason=f"two-sided GLM p = {p:.4g}, d = {d:.3g}",
            degenerate=bool(np.ptp(clean) == np.ptp(faulty) == 0.0),
        )


def _too_few(answers: Answers) -> bool:
    return min(len(answers.clean), len(answers.faulty)) < 2


def glm_columns(clean: Floats, faulty: Floats) -> tuple[Floats, Floats]:
    """Return the two-sided GLM p and Cohen's d of each column, positive where faulty is lower.

    Args:
        clean: scores, (..., runs, columns), of at least two runs.
        faulty: likewise.

    Returns:
        p and d, (..., columns). Where neither side varies, p is 1 and d 0 for equal values, and
        p is 0 and d infinite for different ones.
    """
    m, n = clean.shape[-2], faulty.shape[-2]
    gap = clean.mean(axis=-2) - faulty.mean(axis=-2)
    squares = (m - 1) * clean.var(axis=-2, ddof=1) + (n - 1) * faulty.var(axis=-2, ddof=1)
    spread = np.sqrt(squares / (m + n - 2))
    # Rounding makes means of equal values differ in the last place.
    largest = np.maximum(np.abs(clean).max(axis=-2), np.abs(faulty).max(axis=-2))
    none, equal = spread <= 1e-12 * largest, np.abs(gap) <= 1e-12 * largest
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.where(none, np.where(equal, 0.0, np.copysign(np.inf, gap)), gap / spread)
    return 2.0 * stats.norm.sf(np.abs(d) / np.sqrt(1 / m + 1 / n)), d
