"""What rules that look at single inputs decide from: who was right, run by run, input by input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...datasets.errors import ConfigError
from .base import Status, Verdict
from .effect import cohens_d

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Answers:
    """Whether each run of a program answered each input right.

    Args:
        clean: of the clean program, bool, (runs, inputs), in the order of k.
        faulty: of the mutant, likewise on the same inputs.

    Raises:
        ConfigError: the matrices are not two-dimensional and bool, are empty, or differ in the
            number of inputs.
    """

    clean: Flags
    faulty: Flags

    def __post_init__(self) -> None:
        for side, matrix in (("clean", self.clean), ("faulty", self.faulty)):
            if matrix.dtype != np.bool_ or matrix.ndim != 2 or 0 in matrix.shape:
                raise ConfigError(
                    f"answers: {side}: expected a bool array of at least one run by one input, "
                    f"received {matrix.dtype} of shape {matrix.shape}; "
                    "give one row for each run and one column for each input"
                )
        if self.clean.shape[1] != self.faulty.shape[1]:
            raise ConfigError(
                "answers: expected as many inputs for the mutant as for the clean program, "
                f"received {self.faulty.shape[1]} and {self.clean.shape[1]}; "
                "take both from the same rows"
            )

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return int(self.clean.shape[1])

    @property
    def accuracies(self) -> tuple[list[float], list[float]]:
        """Share of inputs that each clean and each faulty run answers right."""
        return self.clean.mean(axis=1).tolist(), self.faulty.mean(axis=1).tolist()

    def on(self, inputs: npt.NDArray[Any]) -> Answers:
        """Return the answers on some inputs, given by index or by a mask."""
        return Answers(self.clean[:, inputs], self.faulty[:, inputs])


class AnswersRule(Protocol):
    """A rule that says from answers to single inputs whether a mutant is killed."""

    @property
    def name(self) -> str:
        """The name under which decisions are stored."""

    def decide(self, answers: Answers) -> Verdict:
        """Decide from all runs."""


class InputRule(AnswersRule, Protocol):
    """A rule that also says which inputs kill."""

    def kills(self, answers: Answers) -> Flags:
        """Return which inputs kill the mutant, (inputs,)."""


def verdict(
    rule: str,
    answers: Answers,
    *,
    killed: bool | None,
    p: float | None,
    alpha: float,
    reason: str,
    degenerate: bool = False,
) -> Verdict:
    """Return the verdict of a rule on all runs; ``killed`` None says that there are too few.

    The effect size is that of the accuracies.
    """
    n_clean, n_faulty = len(answers.clean), len(answers.faulty)
    status: Status = "degenerate" if degenerate else "ok"
    few = n_clean + n_faulty < 3
    d = None if few else cohens_d(*answers.accuracies, higher_is_better=True)
    return Verdict(
        criterion=rule,
        decision="too_few_runs" if killed is None else "killed" if killed else "survived",
        status="too_few_runs" if killed is None else status,
        p_value=p,
        effect_size=d,
        alpha=alpha,
        n_clean=n_clean,
        n_faulty=n_faulty,
        reason=reason,
    )


def check_alpha(rule: str, alpha: float) -> None:
    """Raise ConfigError unless a significance level can be used."""
    if not 0.0 < alpha < 1.0:
        raise ConfigError(
            f"rule {rule!r}: alpha: expected a number between 0 and 1 (both excluded), "
            f"received {alpha!r}"
        )
