"""From stored runs to outcomes: pure functions, so that any verdict can be computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .killing import Criterion, Verdict

Row = Mapping[str, Any]

_DONE = ("completed", "diverged")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    Args:
        name: one of the design's outcomes of a mutant.
        verdict: the criterion's decision, None where none was needed or possible.
        reason: for people.
    """

    name: str
    verdict: Verdict | None
    reason: str


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
    usable = [row["metric_judge"] for row in clean if row["outcome"] in _DONE]
    verdict = criterion.decide(
        usable, [row["metric_judge"] for row in trained], higher_is_better=higher_is_better
    )
    if verdict.decision == "too_few_runs":
        if broken:
            return Outcome("unfinished", verdict, f"{broken[0]['outcome']}: {broken[0]['error']}")
        return Outcome("undecided", verdict, verdict.reason)
    used = trained[: criterion.n_faulty]
    diverged = sum(row["outcome"] == "diverged" for row in used)
    if verdict.decision == "killed" and 2 * diverged >= len(used):
        return Outcome("diverged", verdict, f"{diverged} of {len(used)} runs diverged")
    return Outcome(verdict.decision, verdict, verdict.reason)


def _k(row: Row) -> int:
    return int(row["k"])
