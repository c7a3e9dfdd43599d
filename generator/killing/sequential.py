"""A rank test that looks at few runs first and trains on only while the answer is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...datasets.errors import ConfigError
from .base import Verdict, check_reach, check_settings
from .degenerate import Samples, settle
from .ranks import rank_sum, separated_p, upper_tail, without_ties

LOOKS = (4, 6, 9, 14, 20)
"""Numbers of faulty runs at which the evidence is weighed."""

FUTILE = (0.7, 0.5, 0.3, 0.12)
"""One-sided p above which a look ends in ``survived``; the last look always ends."""

LAST_LEVEL = ((40, 0.0150), (0, 0.0137))
"""One-sided level of the last look for clean pools up to a size, and for all larger ones."""


@dataclass(frozen=True)
class Sequential:
    """Killed at the first look whose rank-sum p is at most that look's level.

    The levels grow in step with the number of runs, and are such that a program that is not
    worse is killed with probability at most alpha over the whole path, futility aside; since
    ranks alone are looked at, this holds for every distribution of scores. Equal but wider
    scores are not covered: a mutant that varies twice as much is killed more often than alpha.
    `scripts/simulate_killing.py` shows both, and what was compared to choose this rule.

    Group-sequential tests: Jennison and Turnbull, Group Sequential Methods, 1999.
    """

    n_clean: int = 40
    n_faulty: int = 20
    alpha: float = field(default=0.025, init=False)
    name: str = field(default="sequential", init=False)

    def __post_init__(self) -> None:
        check_settings(self.name, self.alpha, self.n_clean, self.n_faulty)
        if self.n_faulty > LOOKS[-1]:
            raise ConfigError(
                f"criterion {self.name!r}: n_faulty: expected at most {LOOKS[-1]} runs, for which "
                f"its levels hold, received {self.n_faulty}; use that or another criterion"
            )
        smallest = separated_p(self.n_clean, self.n_faulty)
        level = self.level(self.n_faulty)
        check_reach(self.name, smallest, level, self.n_clean, self.n_faulty)

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of faulty runs at which a decision can fall."""
        return (*(look for look in LOOKS if look < self.n_faulty), self.n_faulty)

    def level(self, look: int) -> float:
        """Return the one-sided p at which a look kills."""
        last = next(level for size, level in LAST_LEVEL if self.n_clean <= size or not size)
        return last * look / LOOKS[-1]

    def decide(
        self, clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool
    ) -> Verdict:
        """Decide at the first look that decides; without the runs for it, ask for more."""
        for position, look in enumerate(self.looks):
            found = settle(self, clean, faulty, higher_is_better=higher_is_better, n_faulty=look)
            if isinstance(found, Verdict):
                return found
            verdict = self._look(found, look, last=position + 1 == len(self.looks))
            if verdict is not None:
                return verdict
        raise AssertionError("the last look decides")

    def _look(self, samples: Samples, look: int, *, last: bool) -> Verdict | None:
        clean, faulty = samples.clean, samples.faulty
        u = without_ties(rank_sum(clean, faulty), clean, faulty)
        p = upper_tail(u, len(clean), len(faulty))
        killed = p <= self.level(look)
        if not (killed or last or p > FUTILE[LOOKS.index(look)]):
            return None
        return samples.verdict(
            self,
            p,
            killed=killed,
            reason=(
                f"rank-sum p = {p:.4g} after {look} runs, level {self.level(look):.4g}, "
                f"d = {samples.effect_size:.3g}"
            ),
        )
