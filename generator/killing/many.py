"""Many mutants graded at once, with the decisions that a criterion takes one by one.

What is degenerate, or so close to a bound that rounding could turn the decision, is handed to the
criterion's own `decide`; so is everything where the criterion is none of `many_rules.TESTS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...datasets.errors import ConfigError
from .base import Criterion, Decision, Status, Verdict
from .many_rules import TESTS, Answers, Test
from .many_samples import Bools, Floats, Ints, prepare

BLOCK = 4096
"""Mutants that are worked on together: their scores stay in the cache."""

DECISIONS: tuple[Decision, ...] = ("killed", "survived", "too_few_runs")
STATUSES: tuple[Status, ...] = ("ok", "degenerate", "too_few_runs")


@dataclass(frozen=True, eq=False)
class Grades:
    """The verdicts of one criterion on n mutants, as columns.

    Args:
        criterion: its name.
        alpha: its level.
        decision: (n,), names out of `DECISIONS`.
        status: (n,), names out of `STATUSES`.
        p_value: (n,), NaN where nothing was computed.
        effect_size: Cohen's d, positive where the faulty program is worse, (n,); NaN likewise.
        n_clean: clean runs that each decision rests on, (n,).
        n_faulty: faulty runs that each decision rests on, (n,).
    """

    criterion: str
    alpha: float
    decision: npt.NDArray[np.str_]
    status: npt.NDArray[np.str_]
    p_value: Floats
    effect_size: Floats
    n_clean: Ints
    n_faulty: Ints

    def __len__(self) -> int:
        return len(self.decision)

    @property
    def killed(self) -> Bools:
        """Which mutants are killed, (n,)."""
        killed: Bools = self.decision == "killed"
        return killed

    def verdict(self, row: int) -> Verdict:
        """Return the verdict on one mutant; its reason names the numbers only."""
        p, d = (
            None if math.isnan(value) else float(value)
            for value in (self.p_value[row], self.effect_size[row])
        )
        computed = "nothing was computed" if p is None else f"p = {p:.4g}, d = {d:.3g}"
        return Verdict(
            criterion=self.criterion,
            decision=cast(Decision, str(self.decision[row])),
            status=cast(Status, str(self.status[row])),
            p_value=p,
            effect_size=d,
            alpha=self.alpha,
            n_clean=int(self.n_clean[row]),
            n_faulty=int(self.n_faulty[row]),
            reason=f"{self.status[row]}: {computed}",
        )


def grade(
    criterion: Criterion,
    clean: npt.ArrayLike,
    faulty: npt.ArrayLike,
    *,
    higher_is_better: bool,
    runs: npt.ArrayLike | None = None,
) -> Grades:
    """Decide many mutants by a criterion.

    Args:
        criterion: that decides; its first `n_clean` and `n_faulty` runs count, as in `decide`.
        clean: scores of the clean programs, (n, clean runs), or of one pool, (clean runs,).
        faulty: scores of the mutants, (n, faulty runs), in the order of the runs; a run that
            diverged is NaN or infinite.
        higher_is_better: whether larger scores are better.
        runs: how many runs each mutant has, (n,), where they differ; what `faulty` holds after
            them is not looked at.

    Returns:
        The decisions of `decide`; p-values agree with its own to 1e-9.

    Raises:
        ConfigError: the shapes do not fit, or a clean score that counts is not finite.
    """
    left, right, counts = _checked(clean, faulty, runs)
    table = _Table(criterion, left, right[:, : criterion.n_faulty], counts, higher_is_better)
    test = TESTS.get(criterion.name)
    for start in range(0, len(right), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(right)))
        table.one_by_one(rows if test is None else table.at_once(test, rows))
    return table.grades


class _Table:
    """Scores and the grades that are being filled in."""

    def __init__(
        self, criterion: Criterion, clean: Floats, faulty: Floats, runs: Ints, higher: bool
    ) -> None:
        self._criterion, self._higher = criterion, higher
        self._clean, self._faulty, self._runs = clean, faulty, runs
        n = len(faulty)
        self.grades = Grades(
            criterion=criterion.name,
            alpha=criterion.alpha,
            decision=np.full(n, "", dtype=f"<U{max(map(len, DECISIONS))}"),
            status=np.full(n, "", dtype=f"<U{max(map(len, STATUSES))}"),
            p_value=np.full(n, np.nan),
            effect_size=np.full(n, np.nan),
            n_clean=np.zeros(n, dtype=np.int64),
            n_faulty=np.zeros(n, dtype=np.int64),
        )

    def at_once(self, test: Test, rows: Ints) -> Ints:
        """Decide rows look by look; return those that are left to the criterion itself."""
        wanted = self._criterion.n_clean
        if self._clean.shape[-1] < wanted:
            return rows
        left: list[Ints] = []
        for look in self._criterion.looks:
            enough = (self._runs[rows] >= look) & (self._faulty.shape[1] >= look)
            left.append(rows[~enough])
            rows = rows[enough]
            if not len(rows):
                break
            samples = prepare(
                np.broadcast_to(self._clean_of(rows)[..., :wanted], (len(rows), wanted)),
                self._faulty[rows, :look],
                higher_is_better=self._higher,
            )
            left.append(rows[~samples.plain])
            rows = rows[samples.plain]
            answers = test(self._criterion, samples.rows(samples.plain))
            left.append(rows[~answers.sure])
            self._write(rows, answers, answers.sure & ~answers.open, look)
            rows = rows[answers.sure & answers.open]
        return np.concatenate(left)

    def _write(self, rows: Ints, answers: Answers, decided: Bools, look: int) -> None:
        rows, grades = rows[decided], self.grades
        grades.decision[rows] = np.where(answers.killed[decided], "killed", "survived")
        grades.status[rows] = "ok"
        grades.p_value[rows] = answers.p_value[decided]
        grades.effect_size[rows] = answers.effect_size[decided]
        grades.n_clean[rows] = self._criterion.n_clean
        grades.n_faulty[rows] = look

    def one_by_one(self, rows: Ints) -> None:
        """Decide rows by the criterion itself."""
        grades = self.grades
        for row in np.sort(rows).tolist():
            try:
                verdict = self._criterion.decide(
                    self._clean_of(row).tolist(),
                    self._faulty[row, : self._runs[row]].tolist(),
                    higher_is_better=self._higher,
                )
            except ConfigError as error:
                if self._clean.ndim == 1:
                    raise
                raise ConfigError(f"mutant {row}: {error}") from error
            grades.decision[row] = verdict.decision
            grades.status[row] = verdict.status
            grades.n_clean[row] = verdict.n_clean
            grades.n_faulty[row] = verdict.n_faulty
            if verdict.p_value is not None:
                grades.p_value[row] = verdict.p_value
            if verdict.effect_size is not None:
                grades.effect_size[row] = verdict.effect_size

    def _clean_of(self, rows: Ints | int) -> Floats:
        return self._clean if self._clean.ndim == 1 else self._clean[rows]


def _checked(
    clean: npt.ArrayLike, faulty: npt.ArrayLike, runs: npt.ArrayLike | None
) -> tuple[Floats, Floats, Ints]:
    left, right = np.asarray(clean, dtype=np.float64), np.asarray(faulty, dtype=np.float64)
    if right.ndim != 2 or left.ndim not in (1, 2) or (left.ndim == 2 and len(left) != len(right)):
        raise _misfit(
            "clean and faulty",
            "(mutants, runs) for faulty, and (mutants, runs) or (runs,) for clean",
            f"{right.shape} and {left.shape}",
        )
    n, width = right.shape
    if runs is None:
        return left, right, np.full(n, width, dtype=np.int64)
    counts: npt.NDArray[Any] = np.asarray(runs)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        raise _misfit("runs", f"whole numbers, ({n},)", f"{counts.dtype}, {counts.shape}")
    if n and not 0 <= counts.min() <= counts.max() <= width:
        raise _misfit(
            "runs", f"0 to {width}, the runs of faulty", f"{counts.min()} to {counts.max()}"
        )
    return left, right, counts.astype(np.int64)


def _misfit(what: str, expected: str, received: str) -> ConfigError:
    return ConfigError(f"grading of many mutants: {what}: expected {expected}, received {received}")
