"""``plan``: what would be done and what it will cost."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from . import options
from .lists import AsJson
from .output import show
from .quiet import import_keras


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan)


@options.with_campaign_options
def plan(configure: options.Configure, out: options.Out, as_json: AsJson = False) -> None:
    """Show how many mutants and trainings a campaign would have; subjects are captured."""
    settings = configure()
    from ...datasets.corpus.writer import CONFIG_NAME

    import_keras()
    from ..schedule import criterion_of
    from .setup import prepare

    rows = []
    with TemporaryDirectory() as scratch:
        # A plan alone must not pin the settings of a corpus that is not there yet.
        there = (out / CONFIG_NAME).exists()
        planned = prepare(out if there else Path(scratch) / "corpus", settings)
    for part in planned:
        planned_ones = [(m.operator, m.equivalence is not None) for m in part.mutants()]
        counts = Counter(code for code, _ in planned_ones)
        equivalent = Counter(code for code, untrained in planned_ones if untrained)
        for code, count in sorted(counts.items()):
            rows.append(
                {
                    "subject": part.subject.name,
                    "operator": code,
                    "mutants": count,
                    "equivalent": equivalent[code],
                    "trainings": (count - equivalent[code]) * settings.faulty_replicates,
                }
            )
        rows.append(
            {
                "subject": part.subject.name,
                "operator": "(clean)",
                "mutants": 0,
                "equivalent": 0,
                "trainings": settings.clean_replicates,
            }
        )
    show(rows, ("subject", "operator", "mutants", "equivalent", "trainings"), as_json=as_json)
    if not as_json:
        mutants, trainings = (sum(row[name] for row in rows) for name in ("mutants", "trainings"))
        # A rule with several looks stops training a mutant that is decided.
        bound = "at most " if len(criterion_of(settings).looks) > 1 else ""
        sys.stdout.write(f"\n{mutants} mutants, {bound}{trainings} trainings\n")
