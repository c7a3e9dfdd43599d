"""``capture``: an ordinary Keras script becomes a subject."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .lists import AsJson
from .output import show


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("capture")(capture)


def capture(
    script: Annotated[Path, typer.Argument(help="A Keras training script.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="Arguments of the script, after --.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the subject; default: subjects/NAME.")
    ] = None,
    fit: Annotated[int | None, typer.Option(help="Which fit, from 1, if there are many.")] = None,
    test: Annotated[
        Path | None, typer.Option(help="Held-out rows: an .npz file with x and y.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a script with its training intercepted and store the program that it would train."""
    from ...datasets.capture import capture as capture_script

    name = script.stem.replace("_", "-")
    subject = capture_script(
        script,
        out or Path("subjects") / name,
        name=name,
        args=tuple(arguments or ()),
        fit=fit,
        test=test,
    )
    row = {
        "name": subject.name,
        "task": subject.task,
        "layers": len(subject.program.layers()),
        "held_out": subject.held_out_source,
        "program_id": subject.program.program_id,
        "notes": list(subject.notes),
    }
    show([row], tuple(row), as_json=as_json)
