"""``evaluate``: put localisers to the cases of a corpus and score their answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .lists import AsJson
from .output import resumable, show
from .quiet import import_keras


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("evaluate")(evaluate)


def evaluate(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    localizers: Annotated[
        str, typer.Option(help="Names, or package.module:Class, with commas between them.")
    ] = "guider",
    workers: options.Workers = None,
    address: options.Address = None,
    as_json: AsJson = False,
) -> None:
    """Measure how often localisers name the faulty layer first, beside all baselines.

    Only killed mutants whose fault a layer can answer for count. Diagnoses are stored, so
    running it again does only what is missing.
    """
    from ...datasets.corpus.writer import StagingWriter, compact
    from ...datasets.program import content_hash
    from ...localizers import exams, scoring, summaries

    chosen = [name.strip() for name in localizers.split(",") if name.strip()]
    names = list(dict.fromkeys([*chosen, *scoring.BASELINES]))
    sitting = exams.exams(corpus)
    staging = StagingWriter(corpus)
    with resumable(corpus):
        _diagnose(corpus, sitting, names, staging, workers, address)
    scored = scoring.score(corpus, names)
    if rows := scoring.new_rows(corpus, scoring.score_rows(scored)):
        staging.commit(f"scores-{content_hash(rows)}", {"scores": rows})
    compact(corpus)
    tables: dict[str, list[dict[str, Any]]] = {
        "summary": summaries.summary_rows(scored, seed=0),
        "by_operator": summaries.breakdown_rows(scored, "operator"),
        "by_position": summaries.breakdown_rows(scored, "position"),
        "clean": summaries.clean_rows(corpus, names),
    }
    if as_json:
        json.dump(tables, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    estimates = (*(f"hit@{k}" for k in scoring.KS), "gain", "first_rank")
    _heading(
        "hit@k [95 % interval], over cases with more than 2k layers: "
        + "; ".join(_counts(k, tables["summary"][0][f"hit@{k}"]) for k in scoring.KS)
        + "\nintervals resample data groups, or (subject, fault type, position) cells where "
        "there is one group"
    )
    show(
        [
            {**row, **{column: _with_interval(row[column]) for column in estimates}}
            for row in tables["summary"]
        ],
        ("localizer", *estimates, "no_answer"),
        as_json=False,
    )
    few = ("guider", "random", "last-layer", "depth-prior", "label-shuffle", "oracle-prior")
    answered = {answers.localizer for answers in scored}
    shown = [name for name in dict.fromkeys([*chosen, *few]) if name in answered]
    for by in ("operator", "position"):
        _heading(f"hit@1 by {by}")
        show(tables[f"by_{by}"], (by, "mutants", *shown), as_json=False)
    _heading("whom it blames on clean programs, where nothing is wrong")
    clean = [row for row in tables["clean"] if row["localizer"] in chosen]
    blamed = ("localizer", "subject", "cases", "silent", "most_blamed_layer", "its_share")
    show(clean, blamed, as_json=False)


def _counts(k: int, estimate: dict[str, Any]) -> str:
    cases, mutants, groups = (estimate[f"n_{what}"] for what in ("cases", "mutants", "groups"))
    return f"n@{k} = {cases} of {mutants} mutants in {groups} data group{'s' * (groups != 1)}"


def _with_interval(estimate: dict[str, Any]) -> str:
    if estimate["value"] is None:
        return "-"
    if estimate["low"] is None:
        return f"{estimate['value']:.2f} [-]"
    return f"{estimate['value']:.2f} [{estimate['low']:.2f}, {estimate['high']:.2f}]"


def _heading(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")


def _diagnose(
    corpus: Path,
    sitting: Any,
    names: list[str],
    staging: Any,
    workers: int | None,
    address: str | None,
) -> None:
    from ...datasets.capture import load_arrays
    from ...datasets.errors import RunnerError
    from ...localizers import diagnosing, exams

    import_keras()
    from ..campaign import Progress
    from ..config import load_config
    from ..runner import Unit
    from ..window import windowed
    from .generate import runner_of
    from .progress import progress
    from .setup import SUBJECTS

    done = staging.done()
    pending = {}

    def units() -> Iterator[Unit]:
        for key, exam, payload in exams.payloads(corpus, sitting, names, done):
            pending[key] = exam
            yield Unit(key, diagnosing.WORK, payload, exam.subject)

    waiting = units()
    first = next(waiting, None)
    if first is None:
        return
    subjects = tuple(sorted({exam.subject for exam in sitting}))
    settings = load_config(None, subjects=subjects, workers=workers, address=address)
    with runner_of(settings) as runner, progress("programs") as report:
        for subject in subjects:
            runner.share(subject, load_arrays(corpus / SUBJECTS / subject))
        finished = enumerate(windowed(chain([first], waiting), runner, None), start=1)
        for count, result in finished:
            if result.failure is not None:
                raise RunnerError(
                    f"diagnosing {result.unit.key}: {result.failure.outcome}: "
                    f"{result.failure.error}; run it again to resume"
                )
            exam = pending.pop(result.unit.key)
            rows = exams.with_keys(exam, result.value or ())
            staging.commit(result.unit.key, {"diagnoses": rows})
            report(Progress(count, len(sitting), count, len(sitting)))
