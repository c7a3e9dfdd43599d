"""``plan``: what would be done and what it will cost."""

from __future__ import annotations

from collections import Counter

import typer

from . import options
from .lists import AsJson
from .output import show


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan)


def plan(
    out: options.Out,
    subjects: options.Subjects = None,
    config: options.ConfigFile = None,
    operators: options.Operators = None,
    criterion: options.CriterionName = None,
    limit: options.Limit = None,
    seed: options.Seed = None,
    as_json: AsJson = False,
) -> None:
    """Show how many mutants and trainings a campaign would have; subjects are captured."""
    settings = options.campaign_config(
        subjects, config, operators, criterion=criterion, limit=limit, seed=seed
    )
    from .setup import prepare

    rows = []
    for part in prepare(out, settings):
        counts = Counter(mutant.operator for mutant in part.mutants)
        for code, count in sorted(counts.items()):
            rows.append(
                {
                    "subject": part.subject.name,
                    "operator": code,
                    "mutants": count,
                    "trainings": count * settings.faulty_replicates,
                }
            )
        rows.append(
            {
                "subject": part.subject.name,
                "operator": "(clean)",
                "mutants": 0,
                "trainings": settings.clean_replicates,
            }
        )
    show(rows, ("subject", "operator", "mutants", "trainings"), as_json=as_json)
