"""From a corpus to scores: which cases there are, their truth, and the tables of results."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..datasets.corpus import reader
from ..datasets.errors import ConfigError, CorpusError
from ..datasets.program import TrainingProgram, content_hash
from .base import Diagnosis, Localizer, Suspect
from .evaluation import (
    Estimate,
    ScoredCase,
    Truth,
    false_blame,
    score_case,
    summarise,
)
from .priors import constant_diagnosis, depth_prior, oracle_prior
from .registry import LOCALIZERS

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
_KILLED = ("killed", "diverged")


@dataclass(frozen=True)
class Exam:
    """One program whose kept runs are diagnosed.

    Args:
        program: its text.
        subject: name.
        data_group: of the subject.
        task: what it learns.
        truth: of a mutant; None for a clean program.
        mutant_id: None for a clean program.
        operator: code; None for a clean program.
    """

    program: str
    subject: str
    data_group: str
    task: str
    truth: Truth | None
    mutant_id: str | None
    operator: str | None

    @property
    def n_layers(self) -> int:
        """Number of candidates."""
        return len(TrainingProgram(self.program).layers())


def exams(root: Path) -> tuple[Exam, ...]:
    """Return the clean programs and the killed mutants whose fault a layer can answer for."""
    found = []
    tasks = {}
    for row in reader.rows(root, "subjects"):
        tasks[row["subject"]] = row["task"]
        found.append(
            Exam(
                row["program_json"],
                row["subject"],
                row["data_group"],
                row["task"],
                None,
                None,
                None,
            )
        )
    faults: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in reader.rows(root, "faults"):
        if row["layer_localisable"] and row["layer_index"] is not None:
            faults[row["mutant_id"]].append(row)
    for row in reader.rows(root, "mutants"):
        seeded = [fault for fault in faults[row["mutant_id"]] if fault["answer_set"] == 0]
        if row["outcome"] not in _KILLED or not seeded:
            continue
        truth = Truth(
            mutant_id=row["mutant_id"],
            subject=row["subject"],
            data_group=row["data_group"],
            fault_type=seeded[0]["fault_type"],
            position=seeded[0]["position"] or "middle",
            answer_sets=(frozenset(fault["layer_index"] for fault in seeded),),
        )
        found.append(
            Exam(
                row["program_json"],
                row["subject"],
                row["data_group"],
                tasks[row["subject"]],
                truth,
                row["mutant_id"],
                row["operator"],
            )
        )
    if len(found) == len(tasks):
        raise CorpusError(
            f"{root}: expected killed layer faults to evaluate on; received none; "
            "generate with layer operators such as ACH, ARM, WCI"
        )
    return tuple(found)


def payloads(
    root: Path, sitting: Iterable[Exam], localizers: Sequence[str], done: frozenset[str]
) -> Iterator[tuple[str, Exam, dict[str, Any]]]:
    """Yield unit key, exam and work payload of every exam and the localisers it still lacks."""
    versions = _versions(localizers)
    columns = ["subject", "mutant_id", "localizer", "version"]
    stored = {tuple(row[name] for name in columns) for row in _columns(root, "diagnoses", columns)}
    for exam in sitting:
        missing = [
            [name, version]
            for name, version in versions.items()
            if (exam.subject, exam.mutant_id, name, version) not in stored
        ]
        key = content_hash(["diagnoses", exam.program, exam.mutant_id, exam.subject, missing])
        if not missing or key in done:
            continue
        column = "program_id" if exam.mutant_id is None else "mutant_id"
        value = exam.mutant_id or TrainingProgram(exam.program).program_id
        models = reader.read(root, "models", filters=[(column, "==", value)]).to_pylist()
        models = [row for row in models if row["mutant_id"] == exam.mutant_id]
        if not models:
            raise CorpusError(
                f"{root}: expected kept models of {exam.mutant_id or exam.subject}; received none; "
                "generate a corpus with keep_models of at least 1"
            )
        payload = {
            "program": exam.program,
            "task": exam.task,
            "localizers": [name for name, _ in missing],
            "models": models,
            "seed": 0,
        }
        yield key, exam, payload


def _versions(localizers: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in localizers:
        made = LOCALIZERS.create(name)
        if not isinstance(made, Localizer):
            raise ConfigError(
                f"localizer {name!r}: expected a class with name, version, needs, granularity, "
                f"modes, deterministic and localize; received {type(made).__name__}; add them"
            )
        found[name] = made.version
    return found


def _columns(root: Path, table: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    return reader.read(root, table, columns=columns).to_pylist()


def with_keys(exam: Exam, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Add the keys of the program to rows of ``diagnoses``."""
    keys = {
        "program_id": TrainingProgram(exam.program).program_id,
        "mutant_id": exam.mutant_id,
        "subject": exam.subject,
        "data_group": exam.data_group,
        "split": "train",
        "operator": exam.operator,
    }
    return [{**row, **keys} for row in rows]


def score(root: Path, localizers: Sequence[str]) -> dict[str, list[tuple[Exam, ScoredCase]]]:
    """Score all stored diagnoses of mutants, and the priors, by localiser.

    ``guider`` is scored a second time as ``guider (ties=deepest)``, the literature's tie rule.
    """
    by_id = {exam.mutant_id: exam for exam in exams(root) if exam.truth is not None}
    versions = _versions(localizers)
    cases: dict[str, list[tuple[Exam, ScoredCase]]] = defaultdict(list)
    for row in reader.rows(root, "diagnoses"):
        exam = by_id.get(row["mutant_id"])
        if exam is None or exam.truth is None or versions.get(row["localizer"]) != row["version"]:
            continue
        diagnosis = diagnosis_of(row)
        cases[row["localizer"]].append((exam, score_case(diagnosis, exam.truth, exam.n_layers, KS)))
        if row["localizer"] == "guider":
            deepest = score_case(diagnosis, exam.truth, exam.n_layers, KS, ties="deepest")
            cases[DEEPEST.format("guider")].append((exam, deepest))
    history = [(exam.truth, exam.n_layers) for exam in by_id.values() if exam.truth is not None]
    best = oracle_prior(truth for truth, _ in history)
    for truth, n_layers in history:
        exam = by_id[truth.mutant_id]
        priors = {
            "depth-prior": depth_prior(history, truth.data_group, n_layers),
            "oracle-prior": constant_diagnosis(best[truth.subject], n_layers),
        }
        for name, diagnosis in priors.items():
            cases[name].append((exam, score_case(diagnosis, truth, n_layers, KS)))
    order = [*(twin for name in localizers for twin in (name, DEEPEST.format(name))), *PRIORS]
    return {name: cases[name] for name in order if name in cases}


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
    )


def score_rows(cases: Mapping[str, Sequence[tuple[Exam, ScoredCase]]]) -> list[dict[str, Any]]:
    """Return rows of the table ``scores``: the mean over a mutant's cases."""
    rows = []
    for name, scored in cases.items():
        by_mutant: dict[str, list[tuple[Exam, ScoredCase]]] = defaultdict(list)
        for exam, case in scored:
            by_mutant[case.truth.mutant_id].append((exam, case))
        for mutant_id, group in by_mutant.items():
            exam = group[0][0]
            rows.append(
                {
                    "localizer": name,
                    "mode": None,
                    "mutant_id": mutant_id,
                    "subject": exam.subject,
                    "data_group": exam.data_group,
                    "split": "train",
                    "operator": exam.operator,
                    "answer_set_mode": "seeded",
                    "rank_expected": float(np.mean([case.first_rank for _, case in group])),
                    **{f"hit_{k}": float(np.mean([c.hit[k] for _, c in group])) for k in KS},
                    **{f"all_{k}": float(np.mean([c.whole[k] for _, c in group])) for k in KS},
                    "in_scope": True,
                    "seen": False,
                }
            )
    return rows


def new_rows(root: Path, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of the table ``scores`` that the corpus does not hold yet."""
    columns = ("localizer", "mode", "mutant_id", "answer_set_mode")
    stored = {tuple(row[name] for name in columns) for row in _columns(root, "scores", columns)}
    return [row for row in rows if tuple(row[name] for name in columns) not in stored]


def summary_rows(
    cases: Mapping[str, Sequence[tuple[Exam, ScoredCase]]], seed: int
) -> list[dict[str, Any]]:
    """Return one row per localiser: its estimates as dictionaries, None where undefined.

    Columns are ``hit@k`` and ``all@k``, the ``gain`` over chance, the mean ``first_rank``, and
    ``no_answer``, the number of cases whose status is not ``ok``.
    """
    rows = []
    for name, scored in cases.items():
        summary = summarise([case for _, case in scored], np.random.default_rng(seed), KS)
        estimates = {
            **{f"hit@{k}": summary.hit[k] for k in KS},
            **{f"all@{k}": summary.whole[k] for k in KS},
            "gain": summary.gain,
            "first_rank": summary.first_rank,
        }
        rows.append(
            {
                "localizer": name,
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


def breakdown_rows(
    cases: Mapping[str, Sequence[tuple[Exam, ScoredCase]]], by: str
) -> list[dict[str, Any]]:
    """Return hit@1 of every localiser by ``operator`` or by ``position`` of the layer."""
    groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    mutants: dict[str, set[str]] = defaultdict(set)
    for name, scored in cases.items():
        for exam, case in scored:
            group = case.truth.position if by == "position" else str(exam.operator)
            groups[group][name].append(case.hit[1])
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
    versions = _versions(localizers)
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
