"""What a corpus already holds of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..datasets.corpus import reader
from .plan import Mutant
from .schedule import Planned, schedule
from .units import TRIAL
from .verdicts import by_mutant

Row = dict[str, Any]

_DECIDED_BY = (
    "subject",
    "mutant_id",
    "role",
    "k",
    "outcome",
    "error",
    "metric_judge",
    "metric_train",
)


def clean_runs(root: Path) -> list[Row]:
    """Return what decisions need of the clean runs."""
    which = [("role", "==", "clean")]
    return reader.read(root, "runs", columns=_DECIDED_BY, filters=which).to_pylist()


def runs_of(root: Path, subject: str, mutants: Sequence[Mutant]) -> dict[str, list[Row]]:
    """Return what decisions need of the runs of some mutants, in the order of k, by their ids."""
    if not mutants:
        return {}
    ids = [mutant.mutant_id for mutant in mutants]
    return _runs(
        root, [("subject", "==", subject), ("mutant_id", "in", ids), ("role", "!=", TRIAL)]
    )


def trial_runs(root: Path, subject: str) -> dict[str, list[Row]]:
    """Return what decisions need of the runs that searches made, in the order of k, by mutant."""
    return _runs(root, [("subject", "==", subject), ("role", "==", TRIAL)])


def _runs(root: Path, which: list[tuple[str, str, Any]]) -> dict[str, list[Row]]:
    rows = reader.read(root, "runs", columns=_DECIDED_BY, filters=which).to_pylist()
    return by_mutant(sorted(rows, key=itemgetter("k")))


def undecided(root: Path, planned: Sequence[Planned], done: frozenset[str]) -> set[str]:
    """Return the mutants that were trained, in units that are done, and not decided."""
    decided = set(reader.read(root, "mutants", columns=["mutant_id"])["mutant_id"].to_pylist())
    return {
        mutant.mutant_id
        for unit in schedule(planned)
        if unit.batch.key in done
        for mutant in unit.mutants
        if mutant.mutant_id not in decided
    }


def outcomes(root: Path, subject: str) -> dict[str, str]:
    """Return the outcomes of a subject's mutants that have their row, by their ids."""
    which = [("subject", "==", subject)]
    rows = reader.read(root, "mutants", columns=["mutant_id", "outcome"], filters=which)
    return {str(row["mutant_id"]): str(row["outcome"]) for row in rows.to_pylist()}


def subjects(root: Path) -> frozenset[str]:
    """Return the subjects that have their row."""
    return frozenset(
        map(str, reader.read(root, "subjects", columns=["subject"])["subject"].to_pylist())
    )


def sham_outcomes(root: Path, subject: str) -> list[str]:
    """Return the outcomes of a subject's SHAM mutants."""
    which = [("subject", "==", subject), ("operator", "==", "SHAM")]
    rows = reader.read(root, "mutants", columns=["outcome"], filters=which)
    return [str(outcome) for outcome in rows["outcome"].to_pylist()]


def unfinished(root: Path) -> int:
    """Return the number of mutants that infrastructure gave up on."""
    which = [("outcome", "==", "unfinished")]
    return int(reader.read(root, "mutants", columns=["outcome"], filters=which).num_rows)
