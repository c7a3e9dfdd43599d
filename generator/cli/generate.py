"""``generate``: make a corpus, or go on with one."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

import typer

from . import options
from .output import resumable
from .quiet import import_keras


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate)


def generate(
    out: options.Out,
    subjects: options.Subjects = None,
    config: options.ConfigFile = None,
    operators: options.Operators = None,
    criterion: options.CriterionName = None,
    clean_replicates: options.CleanReplicates = None,
    faulty_replicates: options.FaultyReplicates = None,
    sham_mutants: options.ShamMutants = None,
    keep_models: options.KeepModels = None,
    limit: options.Limit = None,
    seed: options.Seed = None,
    budget: options.Budget = None,
    workers: options.Workers = None,
    address: options.Address = None,
) -> None:
    """Mutate subjects, train the mutants, decide which are really worse, store everything.

    Run the same command again to resume.

    Example: faultloom generate digits-mlp --out corpus/ --limit 10
    """
    settings = options.campaign_config(
        subjects,
        config,
        operators,
        criterion=criterion,
        clean_replicates=clean_replicates,
        faulty_replicates=faulty_replicates,
        sham_mutants=sham_mutants,
        keep_models=keep_models,
        limit=limit,
        seed=seed,
        budget_s=budget,
        workers=workers,
        address=address,
    )
    with resumable(out):
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
