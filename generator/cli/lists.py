"""``subjects``, ``operators`` and ``localizers``: what there is, and ``show`` for one of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from .output import show, show_one

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Row = dict[str, Any]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    _add(
        app,
        "subjects",
        "List the subjects: clean programs that can be mutated.",
        ("name", "task", "data_group", "origin", "summary"),
        _subjects,
        _subject,
    )
    _add(
        app,
        "operators",
        "List the mutation operators.",
        ("code", "name", "group", "stage", "fault_type", "summary"),
        _operators,
        _operator,
    )
    _add(
        app,
        "localizers",
        "List the fault localisers.",
        ("name", "granularity", "needs", "modes", "summary"),
        _localizers,
        _localizer,
    )


def _add(
    app: typer.Typer,
    kind: str,
    text: str,
    columns: Sequence[str],
    everything: Callable[[], list[Row]],
    one: Callable[[str], Row],
) -> None:
    group = typer.Typer(help=text, invoke_without_command=True)

    @group.callback()
    def list_all(context: typer.Context, as_json: AsJson = False) -> None:
        if context.invoked_subcommand is None:
            show(everything(), columns, as_json=as_json)

    @group.command("show", help=f"Show one of the {kind} with its source and licence.")
    def show_named(
        name: Annotated[str, typer.Argument(help="Its name.")], as_json: AsJson = False
    ) -> None:
        show_one(one(name), as_json=as_json)

    app.add_typer(group, name=kind)


def _subjects() -> list[Row]:
    from ...datasets.subjects.catalogue import subjects as known

    return [{**asdict(info), "script": str(info.script)} for info in known().values()]


def _subject(name: str) -> Row:
    from ...datasets.subjects.catalogue import subject_info

    info = subject_info(name)
    return {
        **asdict(info),
        "script": str(info.script),
        "source": info.script.read_text(encoding="utf-8"),
    }


def _operators() -> list[Row]:
    from ...operators.base import listing
    from ...operators.registry import operators as known

    return [listing(operator) for operator in known(reserved=True)]


def _operator(name: str) -> Row:
    from ...operators.base import listing
    from ...operators.registry import operator

    found = operator(name)
    description = inspect.getdoc(type(found)) or ""
    return {**listing(found), "description": description, "licence": _licence(type(found))}


def _localizers() -> list[Row]:
    from ...localizers.registry import LOCALIZERS

    rows = [_localizer(name) for name in LOCALIZERS.names()]
    return [
        {key: value for key, value in row.items() if key not in ("description", "licence")}
        for row in rows
    ]


def _localizer(name: str) -> Row:
    from ...localizers.registry import LOCALIZERS

    kind = LOCALIZERS.load(name)
    made = LOCALIZERS.create(name)
    description = inspect.getdoc(kind) or ""
    return {
        "name": name,
        "version": made.version,
        "granularity": made.granularity,
        "needs": sorted(made.needs),
        "modes": list(made.modes),
        "deterministic": made.deterministic,
        "summary": description.split("\n")[0],
        "source": getattr(made, "source", ""),
        "description": description,
        "licence": _licence(kind),
    }


def _licence(kind: type) -> str:
    """The licence of the package that a plug-in comes from, as it states it."""
    from importlib.metadata import metadata, packages_distributions

    for package in packages_distributions().get(kind.__module__.partition(".")[0], ()):
        stated = metadata(package)
        for field in ("License-Expression", "License"):
            if field in stated:
                return str(stated[field])
    return "not stated"
