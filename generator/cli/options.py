"""Options that several commands share."""

from __future__ import annotations

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
Limit = Annotated[int | None, typer.Option(help="Mutants per operator and subject.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the campaign.")]
Budget = Annotated[
    str | None, typer.Option(help="Wall time after which nothing is started, for example 2h.")
]
Workers = Annotated[int | None, typer.Option(help="Units at once; 0 works in this process.")]
Address = Annotated[str | None, typer.Option(help="Address of a Ray cluster.")]
CleanReplicates = Annotated[int | None, typer.Option(help="Runs of each clean program.")]
FaultyReplicates = Annotated[int | None, typer.Option(help="Runs of each mutant.")]
ShamMutants = Annotated[int | None, typer.Option(help="SHAM mutants per subject.")]


def campaign_config(
    subjects: list[str] | None, config: Path | None, operators: str | None, **settings: Any
) -> Any:
    """Merge a configuration file with options; options win."""
    from ..config import load_config

    chosen: Any = None
    if operators is not None:
        names = tuple(name.strip() for name in operators.split(",") if name.strip())
        chosen = "all" if names == ("all",) else names
    named = tuple(subjects) if subjects else None
    return load_config(config, subjects=named, operators=chosen, **settings)
