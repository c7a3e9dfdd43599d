"""``subjects``, ``operators`` and ``localizers``: what there is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from .output import show

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("subjects")(subjects)
    app.command("operators")(operators)
    app.command("localizers")(localizers)


def subjects(as_json: AsJson = False) -> None:
    """List the subjects: clean programs that can be mutated."""
    from ...datasets.subjects.catalogue import subjects as known

    rows = [{**asdict(info), "script": str(info.script)} for info in known().values()]
    show(rows, ("name", "task", "data_group", "origin", "summary"), as_json=as_json)


def operators(as_json: AsJson = False) -> None:
    """List the mutation operators."""
    from ...operators.base import listing
    from ...operators.registry import operators as known

    rows = [listing(operator) for operator in known(reserved=True)]
    show(rows, ("code", "name", "group", "stage", "fault_type", "summary"), as_json=as_json)


def localizers(as_json: AsJson = False) -> None:
    """List the fault localisers."""
    from ...localizers.registry import LOCALIZERS

    rows = []
    for name in LOCALIZERS.names():
        kind = LOCALIZERS.load(name)
        made = kind()
        rows.append(
            {
                "name": name,
                "version": made.version,
                "granularity": made.granularity,
                "needs": sorted(made.needs),
                "modes": list(made.modes),
                "deterministic": made.deterministic,
                "summary": (kind.__doc__ or "").strip().split("\n")[0],
            }
        )
    show(rows, ("name", "granularity", "needs", "modes", "summary"), as_json=as_json)
