"""Rows of ``subjects``, ``mutants`` and ``faults``, and of runs that never came back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from ..datasets.arrays import Array, rows_of
from ..datasets.build import build_model, layers_by_path
from ..datasets.capture import Subject
from ..datasets.program import TrainingProgram, content_hash
from ..operators.registry import operator
from .killing import Criterion
from .looks import next_look
from .plan import Mutant
from .runner import Done
from .schedule import Scheduled
from .scoring import Judge
from .scripts import mutant_scripts
from .verdicts import KILLED, Outcome

Row = dict[str, Any]

_KILLED_BY = {"killed": "yes", "survived": "no", "too_few_runs": "too_few_runs"}


def mutant_rows(
    subject: Subject, mutant: Mutant, outcome: Outcome, seed: int
) -> dict[str, list[Row]]:
    """Return the rows of one decided mutant: one of ``mutants`` and one per fault.

    Args:
        subject: of the mutant.
        mutant: what was planned.
        outcome: what was decided.
        seed: of the campaign, for its scripts.
    """
    scripts = mutant_scripts(subject.program, mutant.program, mutant.faults, seed)
    keys = {
        "mutant_id": mutant.mutant_id,
        "subject": subject.name,
        "data_group": subject.data_group,
        "split": "train",
        "operator": mutant.operator,
    }
    verdict = outcome.verdict
    if _contradicts(mutant.search_killed, outcome):
        said = "killed" if mutant.search_killed else "survived"
        reason = f"{said} in the search, not on fresh runs: {outcome.reason}"
        outcome = replace(outcome, name="unstable", reason=reason)
    row: Row = {
        **keys,
        "program_id": mutant.program.program_id,
        "clean_program_id": subject.program.program_id,
        "arity": len(mutant.mutations),
        "stage": mutant.stage,
        "mutations": [
            {
                "code": mutation.code,
                "name": operator(mutation.code).name,
                "layer": mutation.site.layer,
                "layer_index": mutation.site.layer_index,
                "parameters": json.dumps(dict(mutation.parameters), sort_keys=True),
            }
            for mutation in mutant.mutations
        ],
        "outcome": outcome.name,
        "search": mutant.search,
        "flags": [],
        "clean_script": scripts.clean,
        "faulty_script": scripts.faulty,
        "patch": scripts.patch,
        "program_json": mutant.program.text,
        "reason": outcome.reason,
    }
    if verdict is not None:
        row |= {
            "p": verdict.p_value,
            "effect_size": verdict.effect_size,
            "criterion": verdict.criterion,
            "alpha": verdict.alpha,
            "n_clean": verdict.n_clean,
            "n_faulty": verdict.n_faulty,
            "killed_by_judge": _KILLED_BY[verdict.decision],
        }
    if outcome.by_train is not None:
        row["killed_by_train"] = _KILLED_BY[outcome.by_train.decision]
    faults = [
        {
            **keys,
            "answer_set": 0,
            "ordinal": ordinal,
            "is_minimal": True,
            "fault_type": fault.fault_type,
            "granularity": fault.granularity,
            "layer": fault.layer,
            "clean_layer": fault.clean_layer,
            "layer_index": fault.layer_index,
            "acceptable": list(fault.acceptable),
            "position": fault.position,
            "neurons": list(fault.neurons),
            "slot": fault.slot,
            "old": fault.old,
            "new": fault.new,
            "lines": lines,
            "layer_localisable": fault.layer_localisable,
        }
        for ordinal, (fault, lines) in enumerate(zip(mutant.faults, scripts.lines, strict=True))
    ]
    return {"mutants": [row], "faults": faults}


def _contradicts(search_killed: bool | None, outcome: Outcome) -> bool:
    if search_killed is None or outcome.name not in (*KILLED, "survived"):
        return False
    return search_killed != (outcome.name in KILLED)


def failed_runs(unit: Scheduled, rule: Criterion, done: Done) -> Iterator[Row]:
    """Yield rows of ``runs`` for the trainings of a unit whose worker brought nothing back.

    Of a mutant these are the runs up to the next look, the ones that were certainly wanted.
    """
    assert done.failure is not None
    batch = unit.batch
    for order in batch.orders:
        end = next_look(rule, order.first) if unit.mutants else order.first + order.runs
        for k in range(order.first, end):
            yield {
                "run_id": content_hash([batch.key, order.mutant_id, k, done.failure.outcome]),
                "program_id": TrainingProgram(order.program).program_id,
                "mutant_id": order.mutant_id,
                "subject": batch.subject,
                "data_group": batch.data_group,
                "split": "train",
                "operator": order.operator,
                "role": order.role,
                "k": k,
                "metric_name": unit.planned.judge.name,
                "metric_judge": None,
                "outcome": done.failure.outcome,
                "error": done.failure.error,
                "worker": done.worker,
                "attempts": done.attempts,
            }


def subject_row(
    subject: Subject,
    judge: Judge,
    arrays: dict[str, Array],
    clean_scores: Sequence[float],
    sham_killed: Sequence[bool],
) -> Row:
    """Return the row of a subject, with its clean scores and its measured false-kill rate."""
    data = subject.program.document()["data"]
    sizes = {
        f"n_{role}": len(rows_of(record, arrays)) if record else 0 for role, record in data.items()
    }
    low, high = (
        proportion_confint(sum(sham_killed), len(sham_killed), method="wilson")
        if sham_killed
        else (None, None)
    )
    return {
        "subject": subject.name,
        "program_id": subject.program.program_id,
        "data_group": subject.data_group,
        "split": "train",
        "task": subject.task,
        "dataset_name": subject.data_set.get("name"),
        "dataset_version": subject.data_set.get("version"),
        "dataset_origin": subject.data_set.get("origin"),
        "dataset_licence": subject.data_set.get("licence"),
        "dataset_hashes": json.dumps(data, sort_keys=True),
        "data_embedded": False,
        **sizes,
        "judge_test_disjoint": subject.disjoint,
        "layers": _layers(subject),
        "clean_metric_name": judge.name,
        "clean_metric_mean": float(np.mean(clean_scores)) if clean_scores else None,
        "clean_metric_sd": float(np.std(clean_scores, ddof=1)) if len(clean_scores) > 1 else None,
        "clean_metric_n": len(clean_scores),
        "sham_kill_rate": float(np.mean(sham_killed)) if sham_killed else None,
        "sham_kill_low": low,
        "sham_kill_high": high,
        "script": subject.script,
        "program_json": subject.program.text,
    }


def _layers(subject: Subject) -> list[Row]:
    built = layers_by_path(build_model(subject.program.document()["architecture"]))
    return [
        {
            "name": layer.name,
            "class": layer.class_name,
            "index": layer.index,
            "units": layer.config.get("units", layer.config.get("filters")),
            "params": built[layer.name].count_params(),
        }
        for layer in subject.program.layers()
    ]
