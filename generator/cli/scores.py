"""``scores``: what the mutants of a corpus say of its test sets, and of each other."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .lists import AsJson
from .output import show
from .quiet import import_keras

_TOTALS = (
    *("subject", "criterion", "mutants", "killed", "k_score", "d_score", "mutation_score"),
    *("mutation_score_published", "sensitivity", "instability", "trivial", "redundant"),
)
_OPERATORS = (
    *("operator", "layer", "kind", "mutants", "undecided", "killed_train", "killed_test"),
    *("score", "score_published", "sensitivity", "instability", "killability", "monotone"),
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("scores")(scores)


def scores(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    deepcrime_csv: Annotated[
        Path | None, typer.Option("--deepcrime-csv", help="Folder for DeepCrime's CSV files.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show mutation score, killability, instability, triviality, redundancy and sensitivity.

    Scores are corrected, and as published where that differs. What cannot be computed is listed
    with the reason.
    """
    from ...datasets.corpus import reader

    reader.read(corpus, "subjects", columns=["subject"])
    import_keras()
    from ..scores.deepcrime_csv import export
    from ..scores.gathering import gather
    from ..scores.report import report_of

    found = gather(corpus)
    if deepcrime_csv is not None:
        for one in found:
            export(one, deepcrime_csv)
    tables = report_of(found)
    if as_json:
        json.dump(tables, sys.stdout, indent=2, allow_nan=False)
        sys.stdout.write("\n")
        return
    show(tables["subjects"], _TOTALS, as_json=False)
    for subject in tables["subjects"]:
        _print_subject(subject)


def _print_subject(subject: dict[str, Any]) -> None:
    sys.stdout.write(f"\n{subject['subject']}: scores by operator\n")
    show(subject["operators"], _OPERATORS, as_json=False)
    if subject["weak"]:
        weak = subject["weak"]
        sys.stdout.write(
            f"weak test set: {weak['inputs']} of {weak['of']} judge rows ({weak['construction']})\n"
        )
    for missing in subject["not_computed"]:
        sys.stdout.write(f"not computed: {missing['score']}: {missing['reason']}\n")
