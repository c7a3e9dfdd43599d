"""What a killing criterion is, and what it answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ...datasets.errors import ConfigError

Decision = Literal["killed", "survived", "too_few_runs"]
Status = Literal["ok", "degenerate", "too_few_runs"]


@dataclass(frozen=True)
class Verdict:
    """The answer of one criterion on the runs of one mutant.

    `effect_size` is Cohen's d, positive where the faulty program is worse; it may be infinite.
    `p_value` and `effect_size` are None where nothing was computed. `n_clean` and `n_faulty` are
    the numbers of runs that the answer rests on.
    """

    criterion: str
    decision: Decision
    status: Status
    p_value: float | None
    effect_size: float | None
    alpha: float
    n_clean: int
    n_faulty: int
    reason: str


class Criterion(Protocol):
    """A rule that says from stored scores whether a mutant is killed."""

    @property
    def name(self) -> str:
        """The name under which decisions are stored."""

    @property
    def alpha(self) -> float:
        """The significance level."""

    @property
    def n_clean(self) -> int:
        """How many clean runs the rule wants; later ones are not looked at."""

    @property
    def n_faulty(self) -> int:
        """How many faulty runs the rule wants at most; later ones are not looked at."""

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of faulty runs at which a decision can fall; the last one is `n_faulty`."""

    def decide(
        self, clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool
    ) -> Verdict:
        """Decide from the first `n_clean` and `n_faulty` scores, in the order of the runs."""


def check_settings(name: str, alpha: float, n_clean: int, n_faulty: int) -> None:
    """Raise ConfigError unless the settings of a criterion can be used."""
    if not 0.0 < alpha < 1.0:
        raise ConfigError(
            f"criterion {name!r}: alpha: expected a number between 0 and 1 (both excluded), "
            f"received {alpha!r}"
        )
    for label, n in (("n_clean", n_clean), ("n_faulty", n_faulty)):
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise ConfigError(
                f"criterion {name!r}: {label}: expected a whole number of at least 2 runs "
                f"(one run has no variance), received {n!r}"
            )


def check_min_effect(name: str, min_effect: float) -> None:
    """Raise ConfigError unless a smallest Cohen's d can be used."""
    if not 0.0 <= min_effect < math.inf:
        raise ConfigError(
            f"criterion {name!r}: min_effect: expected a finite number of at least 0, "
            f"received {min_effect!r}"
        )


def check_paired(name: str, n_clean: int, n_faulty: int) -> None:
    """Raise ConfigError unless every clean run has its faulty run."""
    if n_clean != n_faulty:
        raise ConfigError(
            f"criterion {name!r}: n_clean and n_faulty: expected equal numbers, since clean run k "
            f"is paired with faulty run k, received {n_clean} and {n_faulty}; make them equal"
        )


def check_reach(name: str, smallest: float, level: float, n_clean: int, n_faulty: int) -> None:
    """Raise ConfigError where the smallest p that the runs permit is above the level."""
    if smallest > level:
        raise ConfigError(
            f"criterion {name!r}: n_clean and n_faulty: expected enough runs to kill a mutant, "
            f"received {n_clean} and {n_faulty}, whose smallest p is {smallest:.2g}; "
            "ask for more runs or for the criterion welch"
        )
