"""From stored runs to outcomes: pure functions, so that any verdict can be computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .killing import Criterion, Verdict

Row = Mapping[str, Any]

KILLED = ("killed", "diverged")
"""Outcomes of a mutant that is worse than its clean program."""

_DONE = ("completed", "diverged")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    Args:
        name: one of the design's outcomes of a mutant.
        verdict: the criterion's decision, None where none was needed or possible.
        reason: for people.
        by_train: the criterion's decision on the training rows of the same runs. A mutant that
            they kill and the judge rows do not tells a weak test set from an equivalent mutant.
    """

    name: str
    verdict: Verdict | None
    reason: str
    by_train: Verdict | None = None


def outcome_of(
    clean: Sequence[Row], faulty: Sequence[Row], criterion: Criterion, *, higher_is_better: bool
) -> Outcome:
    """Decide a mutant from rows of the table ``runs``.

    Runs are taken in the order of k; only those that the criterion asks for count, so that runs
    which were added later change nothing.
    """
    clean = sorted(clean, key=_k)
    faulty = sorted(faulty, key=_k)
    trained = [row for row in faulty if row["outcome"] in _DONE]
    broken = [row for row in (*faulty, *clean) if row["outcome"] not in _DONE]
    usable = [row for row in clean if row["outcome"] in _DONE]

    def decided(column: str) -> Verdict:
        scores = ([row[column] for row in rows] for rows in (usable, trained))
        return criterion.decide(*scores, higher_is_better=higher_is_better)

    verdict = decided("metric_judge")
    if verdict.decision == "too_few_runs":
        if broken:
            return Outcome("unfinished", verdict, f"{broken[0]['outcome']}: {broken[0]['error']}")
        return Outcome("undecided", verdict, verdict.reason)
    used = trained[: verdict.n_faulty]
    diverged = sum(row["outcome"] == "diverged" for row in used)
    if verdict.decision == "killed" and 2 * diverged >= len(used):
        reason = f"{diverged} of {len(used)} runs diverged"
        return Outcome("diverged", verdict, reason, decided("metric_train"))
    return Outcome(verdict.decision, verdict, verdict.reason, decided("metric_train"))


def _k(row: Row) -> int:
    return int(row["k"])


def by_mutant(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Group rows of mutants by ``mutant_id``."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["mutant_id"]].append(row)
    return found


class CleanRuns:
    """The clean runs of every subject, with which its mutants are compared.

    Args:
        criterion: that decides.
    """

    def __init__(self, criterion: Criterion) -> None:
        self._criterion = criterion
        self._rows: dict[str, list[Row]] = defaultdict(list)

    def add(self, rows: Iterable[Row]) -> None:
        """Take note of clean rows of the table ``runs``."""
        for row in rows:
            self._rows[row["subject"]].append(row)

    def complete(self, subject: str) -> bool:
        """Whether as many clean runs have ended as the criterion asks for, well or badly."""
        return len(self._rows[subject]) >= self._criterion.n_clean

    def scores(self, subject: str) -> list[float]:
        """Return the judge metric of the clean runs in the order of k, without failed ones."""
        rows = sorted(self._rows[subject], key=_k)
        return [row["metric_judge"] for row in rows if row["metric_judge"] is not None]

    def enough(self, subject: str) -> bool:
        """Whether as many clean runs have a score as the criterion asks for."""
        return len(self.scores(subject)) >= self._criterion.n_clean

    def outcome(self, subject: str, faulty: Sequence[Row], *, higher_is_better: bool) -> Outcome:
        """Decide a mutant of a subject from rows of the table ``runs``."""
        return outcome_of(
            self._rows[subject], faulty, self._criterion, higher_is_better=higher_is_better
        )
