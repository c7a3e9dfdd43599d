"""Tables of an evaluation: estimates, breakdowns, and whom clean programs make suspect."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..datasets.corpus import reader
from .base import Diagnosis
from .evaluation import Estimate, false_blame, summarise
from .exams import exams
from .scoring import KS, Answers, diagnosis_of
from .versions import versions_of


def summary_rows(scored: Iterable[Answers], seed: int) -> list[dict[str, Any]]:
    """Return one row per localiser: its estimates as dictionaries, None where undefined.

    Columns are ``hit@k`` and ``all@k``, the ``gain`` over chance, the mean ``first_rank``, and
    ``no_answer``, the number of cases whose status is not ``ok``.
    """
    rows = []
    for answers in scored:
        summary = summarise([case for _, case in answers.cases], np.random.default_rng(seed), KS)
        estimates = {
            **{f"hit@{k}": summary.hit[k] for k in KS},
            **{f"all@{k}": summary.whole[k] for k in KS},
            "gain": summary.gain,
            "first_rank": summary.first_rank,
        }
        rows.append(
            {
                "localizer": answers.localizer,
                **{column: _undefined_as_none(found) for column, found in estimates.items()},
                "no_answer": sum(n for status, n in summary.statuses.items() if status != "ok"),
            }
        )
    return rows


def _undefined_as_none(estimate: Estimate) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(estimate).items()
    }


def breakdown_rows(scored: Iterable[Answers], by: str) -> list[dict[str, Any]]:
    """Return hit@1 of every localiser by ``operator`` or by ``position`` of the layer."""
    groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    mutants: dict[str, set[str]] = defaultdict(set)
    for answers in scored:
        for exam, case in answers.cases:
            group = case.truth.position if by == "position" else str(exam.operator)
            groups[group][answers.localizer].append(case.hit[1])
            mutants[group].add(case.truth.mutant_id)
    return [
        {
            by: group,
            "mutants": len(mutants[group]),
            **{name: float(np.mean(values)) for name, values in groups[group].items()},
        }
        for group in sorted(groups)
    ]


def clean_rows(root: Path, localizers: Sequence[str]) -> list[dict[str, Any]]:
    """Return whom each localiser blames on the clean programs, where nothing is wrong."""
    clean = {exam.subject: exam for exam in exams(root) if exam.truth is None}
    versions = versions_of(localizers)
    found: dict[str, list[tuple[str, int, Diagnosis]]] = defaultdict(list)
    for row in reader.rows(root, "diagnoses"):
        if row["mutant_id"] is None and versions.get(row["localizer"]) == row["version"]:
            subject = row["subject"]
            found[row["localizer"]].append((subject, clean[subject].n_layers, diagnosis_of(row)))
    rows = []
    for name in sorted(found):
        for subject, blame in sorted(false_blame(found[name]).items()):
            top = int(np.argmax(blame.frequency))
            rows.append(
                {
                    "localizer": name,
                    "subject": subject,
                    "cases": blame.n_cases,
                    "silent": blame.silent,
                    "most_blamed_layer": top,
                    "its_share": blame.frequency[top],
                    "frequency": list(blame.frequency),
                }
            )
    return rows
