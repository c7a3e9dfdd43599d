"""Probabilistic mutation testing: how sure is it that a test kills, over populations of runs?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...datasets.errors import ConfigError
from .answers import Answers, Floats, check_alpha, verdict
from .base import Verdict
from .damt4dl import glm_columns
from .posterior import Beta, bagged, jackknife_error, leave_one_out


@dataclass(frozen=True)
class PmtEstimate:
    """What is known of the probability that the test kills.

    Args:
        posterior: of that probability.
        probability: its mean.
        error: standard error of the mean from having drawn only so many bootstraps.
        low: lower end of the 95 % credible interval.
        high: upper end.
        ratio: Hellinger distance to the ideal healthy posterior over that to the ideal mutant's;
            above 1 leans towards a mutant.
    """

    posterior: Beta
    probability: float
    error: float
    low: float
    high: float
    ratio: float


@dataclass(frozen=True)
class Pmt:
    """Killed where the posterior of the killing probability is nearer to a mutant's than a clean's.

    Each bootstrap draws a population of clean and one of faulty runs with replacement; in each
    trial DeepCrime's test compares as many runs of either, drawn without replacement. The number
    of trials that kill gives a Beta posterior; the bootstraps' posteriors are averaged and refitted
    to one Beta (by moments; the released code fits a curve on a grid). The ideal healthy and
    mutant posteriors are those of no and of all trials killing. With populations of `sample` runs
    every trial of a bootstrap sees the same runs, so that only the bootstrap varies; the published
    populations have 25 to 200.

    Tambon, Khomh, Antoniol, Information and Software Technology, 2023.

    Args:
        seed: of the draws.
        bootstraps: populations that are drawn.
        trials: tests in each of them.
        sample: runs of either side in a test.
        alpha: two-sided level of the test.
        min_effect: smallest Cohen's d.
        two_sided: as published, so that a better mutant is killed too; False kills only a worse.
    """

    seed: int
    bootstraps: int = 100
    trials: int = 100
    sample: int = 20
    alpha: float = 0.05
    min_effect: float = 0.5
    two_sided: bool = True
    name: str = field(default="pmt", init=False)

    def __post_init__(self) -> None:
        check_alpha(self.name, self.alpha)
        least = {"seed": 0, "bootstraps": 2, "trials": 1, "sample": 2}
        for setting, smallest in least.items():
            value = getattr(self, setting)
            if isinstance(value, bool) or not isinstance(value, int) or value < smallest:
                raise ConfigError(
                    f"rule {self.name!r}: {setting}: expected a whole number of at least "
                    f"{smallest}, received {value!r}"
                )

    def estimate(
        self, clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool
    ) -> PmtEstimate:
        """Return the posterior of the probability that the test kills.

        Args:
            clean: a finite score of each clean run.
            faulty: likewise of the mutant; give a diverged run the worst score.
            higher_is_better: direction of the scores.

        Raises:
            ConfigError: a side has fewer runs than one test wants, or a score is not finite.
        """
        for side, scores in (("clean", clean), ("faulty", faulty)):
            if len(scores) < self.sample or not np.isfinite(scores).all():
                raise ConfigError(
                    f"rule {self.name!r}: expected at least {self.sample} finite {side} scores, "
                    f"received {len(scores)}, {int(np.isfinite(scores).sum())} of them finite; "
                    "train more runs, or give a diverged run the worst score"
                )
        successes = self._successes(np.asarray(clean), np.asarray(faulty), higher_is_better)
        posterior = bagged(successes, self.trials)
        low, high = posterior.interval()
        means = [other.mean for other in leave_one_out(successes, self.trials)]
        return PmtEstimate(
            posterior=posterior,
            probability=posterior.mean,
            error=jackknife_error(means),
            low=low,
            high=high,
            ratio=self._ratio(posterior),
        )

    def decide(self, answers: Answers) -> Verdict:
        """Decide from the accuracies of all runs."""
        runs = min(len(answers.clean), len(answers.faulty))
        if runs < self.sample:
            reason = f"wants {self.sample} runs a side, has {runs} of one"
            return verdict(self.name, answers, killed=None, p=None, alpha=self.alpha, reason=reason)
        found = self.estimate(*answers.accuracies, higher_is_better=True)
        return verdict(
            self.name,
            answers,
            killed=found.ratio > 1.0,
            p=None,
            alpha=self.alpha,
            reason=(
                f"killing probability {found.probability:.3f} [{found.low:.3f}, {found.high:.3f}], "
                f"Hellinger ratio {found.ratio:.3g}"
            ),
        )

    def _successes(self, clean: Floats, faulty: Floats, higher_is_better: bool) -> Floats:
        """Number of trials of each bootstrap that kill, (bootstraps,)."""
        rng = np.random.default_rng(self.seed)
        found = []
        for _ in range(self.bootstraps):
            left, right = (
                rng.permuted(
                    np.tile(rng.choice(side, len(side)), (self.trials, 1)),
                    axis=1,
                )[:, : self.sample]
                for side in (clean, faulty)
            )
            p, d = glm_columns(left.T, right.T)
            worse = d if higher_is_better else -d
            effect = np.abs(d) if self.two_sided else worse
            found.append(np.count_nonzero((p < self.alpha) & (effect >= self.min_effect)))
        return np.asarray(found, np.float64)

    def _ratio(self, posterior: Beta) -> float:
        healthy = posterior.hellinger(Beta(1, self.trials + 1))
        mutant = posterior.hellinger(Beta(self.trials + 1, 1))
        return healthy / mutant if mutant > 0.0 else math.inf
