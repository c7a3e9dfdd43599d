"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

import typer

Subjects = Annotated[
    list[str] | None,
    typer.Argument(
        help="Names of bundled subjects, paths of Keras scripts, or folders of captured subjects."
    ),
]
Out = Annotated[Path, typer.Option("--out", help="Folder of the corpus.")]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]
Operators = Annotated[
    str | None, typer.Option(help="Operator codes with commas between them, or 'all'.")
]
CriterionName = Annotated[str | None, typer.Option("--criterion", help="Killing criterion.")]
KeepModels = Annotated[int | None, typer.Option(help="Runs per program whose weights are kept.")]
SearchName = Annotated[
    str | None,
    typer.Option(
        "--search",
        help="Search parameters with a range for the mildest value that kills: none, bisection "
        "or deepcrime.",
    ),
]
Limit = Annotated[int | None, typer.Option(help="Mutants per operator and subject.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the campaign.")]
Budget = Annotated[
    str | None, typer.Option(help="Wall time after which nothing is started, for example 2h.")
]
Workers = Annotated[
    int | None,
    typer.Option(help="Units at once; 0 works in this process, where no unit has a deadline."),
]
Address = Annotated[str | None, typer.Option(help="Address of a Ray cluster.")]
CleanReplicates = Annotated[int | None, typer.Option(help="Runs of each clean program.")]
FaultyReplicates = Annotated[int | None, typer.Option(help="Runs of each mutant.")]
ShamMutants = Annotated[int | None, typer.Option(help="SHAM mutants per subject.")]


Configure = Callable[..., Any]
"""Makes the `CampaignConfig`; takes settings that only one command has."""


def campaign_config(
    subjects: Subjects = None,
    config: ConfigFile = None,
    operators: Operators = None,
    criterion: CriterionName = None,
    clean_replicates: CleanReplicates = None,
    faulty_replicates: FaultyReplicates = None,
    sham_mutants: ShamMutants = None,
    keep_models: KeepModels = None,
    limit: Limit = None,
    search: SearchName = None,
    seed: Seed = None,
    **more: Any,
) -> Any:
    """Merge a configuration file with options; options win."""
    from ..config import load_config

    chosen: Any = None
    if operators is not None:
        names = tuple(name.strip() for name in operators.split(",") if name.strip())
        chosen = "all" if names == ("all",) else names
    return load_config(
        config,
        subjects=tuple(subjects) if subjects else None,
        operators=chosen,
        criterion=criterion,
        clean_replicates=clean_replicates,
        faulty_replicates=faulty_replicates,
        sham_mutants=sham_mutants,
        keep_models=keep_models,
        limit=limit,
        search=search,
        seed=seed,
        **more,
    )


def with_campaign_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the parameters of `campaign_config` in place of its own ``configure``.

    Args:
        command: takes ``configure``, a `Configure` that has the values of these parameters.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())
    own = [parameter for parameter in own if parameter.name != "configure"]
    shared = list(inspect.signature(campaign_config, eval_str=True).parameters.values())[:-1]

    @wraps(command)
    def configured(**given: Any) -> None:
        settings = {parameter.name: given.pop(parameter.name) for parameter in shared}
        command(configure=partial(campaign_config, **settings), **given)

    # Typer reads parameters from the signature; those that must be given come first in its help.
    parameters = [parameter for parameter in own if parameter.default is parameter.empty]
    parameters += shared + [parameter for parameter in own if parameter not in parameters]
    signature = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY) for p in parameters])
    vars(configured)["__signature__"] = signature
    return configured
