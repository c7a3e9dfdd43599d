"""``status``: what a corpus holds, by outcome."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from .lists import AsJson
from .output import show

CLEAN = "(clean)"
FIXED = 20
"""Trainings that the published rule spends on every mutant."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(status)


def status(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")], as_json: AsJson = False
) -> None:
    """Show runs and mutants of a corpus by subject, operator and outcome."""
    summary(corpus, as_json=as_json)


def summary(corpus: Path, *, as_json: bool) -> None:
    """Print the mutants of each subject by operator and outcome."""
    from ...datasets.corpus import reader

    mutated = reader.read(corpus, "mutants", columns=["subject", "operator", "outcome"])
    run = reader.read(corpus, "runs", columns=["subject", "operator", "role"])
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    for row in mutated.to_pylist():
        key = (row["subject"], row["operator"])
        outcomes.setdefault(key, Counter())[row["outcome"]] += 1
    trained: Counter[tuple[str, str]] = Counter()
    trials: Counter[tuple[str, str]] = Counter()
    for row in run.to_pylist():
        counted = trials if row["role"] == "trial" else trained
        counted[row["subject"], row["operator"] or CLEAN] += 1
    rows = []
    for subject, operator in sorted(trained.keys() | trials.keys() | outcomes.keys()):
        counts = outcomes.get((subject, operator), Counter())
        rows.append(
            {
                "subject": subject,
                "operator": operator,
                "runs": trained[subject, operator],
                "trials": trials[subject, operator],
                "mutants": sum(counts.values()),
                "killed": counts["killed"] + counts["diverged"],
                "survived": counts["survived"],
                "incompetent": counts["incompetent"],
                "other": sum(
                    count
                    for name, count in counts.items()
                    if name not in ("killed", "diverged", "survived", "incompetent")
                ),
                "outcomes": dict(counts),
            }
        )
    columns = ("subject", "operator", "runs", "mutants", "killed", "survived", "incompetent")
    show(rows, (*columns, "other"), as_json=as_json)
    if outcomes and not as_json:
        sys.stdout.write(f"\n{_spent(rows)}\n")


def _spent(rows: list[dict[str, Any]]) -> str:
    mutants = sum(row["mutants"] for row in rows)
    trained = sum(row["runs"] for row in rows if row["operator"] != CLEAN)
    clean = sum(row["runs"] for row in rows if row["operator"] == CLEAN)
    trials = sum(row["trials"] for row in rows)
    searched = f"; searches took {trials}" if trials else ""
    return (
        f"{mutants} mutants took {trained} trainings, {trained / mutants:.1f} each; a fixed sample "
        f"of {FIXED} would take {FIXED * mutants} ({trained / mutants / FIXED:.0%}); "
        f"clean programs took {clean}{searched}"
    )
