"""Tables and JSON on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table


def show(rows: Sequence[dict[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """Print rows: all fields as JSON, or some columns as a table."""
    if as_json:
        json.dump(list(rows), sys.stdout, indent=2, default=str)
        sys.stdout.write("\n")
        return
    table = Table(*(column.replace("_", " ") for column in columns), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def show_one(row: dict[str, Any], *, as_json: bool) -> None:
    """Print one row with all its fields: as JSON, or one field after the other."""
    if as_json:
        json.dump(row, sys.stdout, indent=2, default=str)
        sys.stdout.write("\n")
        return
    for name, value in row.items():
        text = _cell(value).rstrip()
        separator = "\n" if "\n" in text else " "
        sys.stdout.write(f"{name.replace('_', ' ')}:{separator}{text}\n")


@contextmanager
def resumable(corpus: Path) -> Iterator[None]:
    """Turn Ctrl-C into one line that says how to go on, and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(f"\nstopped; finished work is in {corpus}: run it again to resume\n")
        raise typer.Exit(130) from None


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value) or "-"
    return str(value)
