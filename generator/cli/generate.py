"""``generate``: make a corpus, or go on with one."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

import typer

from ...datasets.errors import ConfigError
from . import options
from .left_as_found import left_as_found
from .output import resumable
from .quiet import import_keras
from .termination import terminable


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate)


@options.with_campaign_options
def generate(
    configure: options.Configure,
    out: options.Out,
    budget: options.Budget = None,
    workers: options.Workers = None,
    address: options.Address = None,
) -> None:
    """Mutate subjects, train the mutants, decide which are really worse, store everything.

    Run the same command again to resume.

    Example: faultloom generate digits-mlp --out corpus/ --limit 10
    """
    settings = configure(budget_s=budget, workers=workers, address=address)
    check_deadline(settings)
    with resumable(out), terminable(), left_as_found(out):
        import_keras()
        from .. import campaign
        from ..stored import unfinished
        from .progress import progress
        from .setup import prepare

        # The runner comes first: it sets the number of threads before TensorFlow does anything.
        with runner_of(settings) as runner:
            planned = prepare(out, settings)
            with progress("trainings") as report:
                complete = campaign.run(out, planned, settings, runner, report)
    from .status import summary

    if not complete:
        sys.stderr.write(f"budget used; finished work is in {out}: run it again to resume\n")
    summary(out, as_json=False)
    if complete and unfinished(out):
        raise typer.Exit(3)


def check_deadline(settings: Any) -> None:
    """Refuse a deadline that nothing would hold.

    Raises:
        ConfigError: a deadline was asked for, and units run in this process.
    """
    if settings.workers == 0 and "deadline_s" in settings.model_fields_set:
        raise ConfigError(
            "deadline_s: expected none with workers = 0, where nothing can stop a unit; received "
            f"{settings.deadline_s:g} s; remove it or use workers of 1 or more"
        )


def runner_of(settings: Any) -> AbstractContextManager[Any]:
    """Return the runner that the settings ask for."""
    if settings.workers == 0:
        from ..runner import InProcessRunner
        from ..trainer import pin_threads

        pin_threads()
        return InProcessRunner()
    from ..ray_runner import RayRunner

    return RayRunner(
        address=settings.address, slots=settings.workers, deadline_s=settings.deadline_s
    )
