"""From stored diagnoses and the truth to scored cases and rows of the table ``scores``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..datasets.corpus import reader
from ..datasets.program import content_hash
from .base import Diagnosis, Suspect
from .evaluation import ScoredCase, score_case
from .exams import Exam, exams
from .priors import constant_diagnosis, depth_prior, oracle_prior
from .versions import versions_of

BASELINES = (
    "random",
    "random-among-weighted",
    "first-layer",
    "last-layer",
    "largest-layer",
    "odd-one-out",
    "label-shuffle",
)
PRIORS = ("depth-prior", "oracle-prior")
KS = (1, 3, 5)
DEEPEST = "{} (ties=deepest)"
_PRIOR_VERSION = "1"


@dataclass(frozen=True)
class Answers:
    """Everything that one localiser said, scored.

    Args:
        localizer: name that tables show.
        version: of the localiser.
        mode: that it ran in, or None where it has but one.
        cases: the program and the score of each answer.
    """

    localizer: str
    version: str
    mode: str | None
    cases: tuple[tuple[Exam, ScoredCase], ...]


def score(root: Path, localizers: Sequence[str]) -> list[Answers]:
    """Score all stored diagnoses of mutants, and the priors.

    ``guider`` is scored a second time as ``guider (ties=deepest)``, the literature's tie rule.
    """
    by_id = {exam.mutant_id: exam for exam in exams(root) if exam.truth is not None}
    versions = versions_of(localizers)
    cases: dict[str, list[tuple[Exam, ScoredCase]]] = defaultdict(list)
    modes: dict[str, str | None] = {}
    for row in reader.rows(root, "diagnoses"):
        name, exam = row["localizer"], by_id.get(row["mutant_id"])
        if exam is None or exam.truth is None or versions.get(name) != row["version"]:
            continue
        diagnosis = diagnosis_of(row)
        modes[name] = row["mode"]
        cases[name].append((exam, score_case(diagnosis, exam.truth, exam.n_layers, KS)))
        if name == "guider":
            deepest = score_case(diagnosis, exam.truth, exam.n_layers, KS, ties="deepest")
            cases[DEEPEST.format(name)].append((exam, deepest))
    found = [
        Answers(shown, versions[name], modes[name], tuple(cases[shown]))
        for name in localizers
        for shown in (name, DEEPEST.format(name))
        if shown in cases
    ]
    return [*found, *_priors(list(by_id.values()))]


def _priors(sitting: Sequence[Exam]) -> list[Answers]:
    """Score the baselines that learn from the truth; their version tells what they learned from."""
    history = [(exam.truth, exam.n_layers) for exam in sitting if exam.truth is not None]
    learned = content_hash(sorted(truth.mutant_id for truth, _ in history))
    version = f"{_PRIOR_VERSION}+{len(history)}.{learned[:8]}"
    best = oracle_prior(truth for truth, _ in history)
    cases: dict[str, list[tuple[Exam, ScoredCase]]] = {name: [] for name in PRIORS}
    for exam in sitting:
        truth, n_layers = exam.truth, exam.n_layers
        assert truth is not None
        said = {
            "depth-prior": depth_prior(history, truth.data_group, n_layers),
            "oracle-prior": constant_diagnosis(best[truth.subject], n_layers),
        }
        for name, diagnosis in said.items():
            cases[name].append((exam, score_case(diagnosis, truth, n_layers, KS)))
    return [Answers(name, version, None, tuple(cases[name])) for name in PRIORS]


def diagnosis_of(row: Mapping[str, Any]) -> Diagnosis:
    """Read a row of the table ``diagnoses``."""
    return Diagnosis(
        row["status"],
        tuple(
            Suspect(
                suspect["score"],
                None if suspect["layer"] is None else int(suspect["layer"]),
                suspect["fault_type"],
            )
            for suspect in row["suspects"] or ()
        ),
        row["reason"] or "",
    )


def score_rows(scored: Iterable[Answers]) -> list[dict[str, Any]]:
    """Return rows of the table ``scores``: the mean over a mutant's cases."""
    rows = []
    for answers in scored:
        by_mutant: dict[Exam, list[ScoredCase]] = defaultdict(list)
        for exam, case in answers.cases:
            by_mutant[exam].append(case)
        for exam, group in by_mutant.items():
            rows.append(
                {
                    "localizer": answers.localizer,
                    "version": answers.version,
                    "mode": answers.mode,
                    **exam.keys(),
                    "answer_set_mode": "seeded",
                    "rank_expected": float(np.mean([case.first_rank for case in group])),
                    **{f"hit_{k}": float(np.mean([case.hit[k] for case in group])) for k in KS},
                    **{f"all_{k}": float(np.mean([case.whole[k] for case in group])) for k in KS},
                    "in_scope": True,
                    "seen": False,
                }
            )
    return rows


def new_rows(root: Path, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of the table ``scores`` that the corpus does not hold yet."""
    columns = ("localizer", "version", "mode", "mutant_id", "answer_set_mode")
    held = reader.read(root, "scores", columns=columns).to_pylist()
    stored = {tuple(row[name] for name in columns) for row in held}
    return [row for row in rows if tuple(row[name] for name in columns) not in stored]
