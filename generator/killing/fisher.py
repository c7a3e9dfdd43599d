"""Fisher's exact test on each input: more tests never bring a killed mutant back to life."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...datasets.errors import ConfigError
from .answers import Answers, Flags, Floats, check_alpha, verdict
from .base import Verdict


@dataclass(frozen=True)
class Fisher:
    """Killed where some input is answered wrong significantly more often by the mutant's runs.

    Each input is tested one-sided on its counts of right and wrong runs. The level of an input
    depends on nothing but the settings, never on the inputs beside it: that is what makes the
    decision monotone, so that a larger test set kills whatever a smaller one killed. The price
    of the bare level `alpha` is that false kills grow with the test set: on the 719 judge rows of
    digits it kills the clean program compared with itself in about half of the splits of 40 runs.
    `most_inputs` divides the level by the size of the largest test set that will ever be compared,
    which holds the false-kill rate of every one of them at alpha and keeps the decision monotone.

    Kim, Humbatova, Jahangirova, Yoo, Tonella, arXiv 2507.11199, 2025 (that each input has a table
    of its own is inferred).

    Args:
        most_inputs: size of the largest test set, or None for the bare level on each input.
        alpha: one-sided level of a test set of `most_inputs` inputs.
    """

    most_inputs: int | None
    alpha: float = 0.05
    name: str = field(default="fisher", init=False)

    def __post_init__(self) -> None:
        check_alpha(self.name, self.alpha)
        if self.most_inputs is not None and self.most_inputs < 1:
            raise ConfigError(
                f"rule {self.name!r}: most_inputs: expected a whole number of at least 1, or None, "
                f"received {self.most_inputs!r}"
            )

    @property
    def level(self) -> float:
        """The p at which one input kills."""
        return self.alpha / (self.most_inputs or 1)

    def kills(self, answers: Answers) -> Flags:
        """Return which inputs kill the mutant, (inputs,).

        Raises:
            ConfigError: there are more inputs than `most_inputs`.
        """
        self._check(answers)
        return np.asarray(fisher_p(answers) <= self.level)

    def decide(self, answers: Answers) -> Verdict:
        """Decide from all runs; p is the smallest of all inputs, to be held against `level`."""
        self._check(answers)
        p = fisher_p(answers)
        smallest = _tail(0, len(answers.faulty), len(answers.clean), len(answers.faulty))
        if smallest > self.level:
            reason = (
                f"{len(answers.clean)} clean and {len(answers.faulty)} faulty runs cannot reach "
                f"p = {self.level:.3g}; their smallest is {smallest:.3g}"
            )
            return verdict(self.name, answers, killed=None, p=None, alpha=self.level, reason=reason)
        killing = int((p <= self.level).sum())
        return verdict(
            self.name,
            answers,
            killed=killing > 0,
            p=float(p.min()),
            alpha=self.level,
            reason=f"{killing} of {answers.n_inputs} inputs kill at p <= {self.level:.3g}",
        )

    def _check(self, answers: Answers) -> None:
        if self.most_inputs is not None and answers.n_inputs > self.most_inputs:
            raise ConfigError(
                f"rule {self.name!r}: expected at most most_inputs = {self.most_inputs} inputs, "
                f"received {answers.n_inputs}; set it to the size of the largest test set"
            )


def fisher_p(answers: Answers) -> Floats:
    """Return for each input the one-sided p of more wrong answers by the mutant, (inputs,)."""
    n_clean, n_faulty = len(answers.clean), len(answers.faulty)
    wrong = np.stack([(~answers.clean).sum(axis=0), (~answers.faulty).sum(axis=0)])
    # There are few different tables, however many inputs.
    tables, place = np.unique(wrong, axis=1, return_inverse=True)
    p = [_tail(int(c), int(f), n_clean, n_faulty) for c, f in tables.T]
    return np.asarray(p, np.float64)[place.reshape(-1)]


def _tail(wrong_clean: int, wrong_faulty: int, n_clean: int, n_faulty: int) -> float:
    """P(at least so many of the wrong answers fall on the mutant), given all margins.

    Whole numbers throughout, so that a p on the level is not lost to rounding.
    """
    wrong = wrong_clean + wrong_faulty
    ways = sum(
        math.comb(n_faulty, count) * math.comb(n_clean, wrong - count)
        for count in range(wrong_faulty, min(n_faulty, wrong) + 1)
    )
    return ways / math.comb(n_clean + n_faulty, wrong)
