"""What a worker does with a batch: train, score, and return rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..datasets.arrays import Array, Rows, rows_of
from ..datasets.corpus.models import encode
from ..datasets.errors import TrainingFailed
from ..datasets.program import Json, TrainingProgram
from .environment import environment
from .killing import criterion
from .looks import until_decided
from .scoring import Judge, correct, values_and_confidence
from .streams import Streams
from .trainer import RunResult, Trainer
from .units import TRIAL, Batch, Order, Task, run_id

TABLES = ("runs", "predictions", "models")


def train_batch(payload: Any, arrays: Mapping[str, Array]) -> dict[str, Json]:
    """Train a batch.

    Args:
        payload: of a `Task`.
        arrays: the subject's arrays by hash; may be read-only.

    Returns:
        rows by table, the environment's row, ``incompetent``: mutant id to the reason why
        its program does not build, compile or take its first step, and ``refused``: the reason
        why the clean program does not, else None.
    """
    task = Task.of(payload)
    batch = task.batch
    trainer = Trainer(arrays, Judge(**batch.judge))
    tables: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    incompetent: dict[str, str] = {}
    here = environment()
    for order in batch.orders:
        program = TrainingProgram(order.program)
        try:
            results = _trained(trainer, task, order, program)
        except TrainingFailed as failure:
            if order.mutant_id is None:
                return {"refused": str(failure)}
            incompetent[order.mutant_id] = str(failure)
            continue
        for result in results:
            rows = _rows(batch, order, program, result, here["environment_id"], arrays)
            for table, row in rows.items():
                tables[table].append(row)
    return {"tables": tables, "environment": here, "incompetent": incompetent, "refused": None}


def _trained(
    trainer: Trainer, task: Task, order: Order, program: TrainingProgram
) -> list[RunResult]:
    def train(first: int, end: int) -> list[RunResult]:
        return trainer.train(
            program, [Streams(task.batch.seed, k, order.salt) for k in range(first, end)]
        )

    if order.mutant_id is None:
        return train(order.first, order.first + order.runs)
    rule = task.batch.criterion
    return until_decided(
        train,
        lambda result: result.metric["judge"],
        criterion(rule["name"], n_clean=rule["n_clean"], n_faulty=rule["n_faulty"]),
        task.clean,
        task.before.get(order.mutant_id, ()),
        higher_is_better=task.batch.judge["higher_is_better"],
    )


def _rows(
    batch: Batch,
    order: Order,
    program: TrainingProgram,
    result: RunResult,
    environment_id: str,
    arrays: Mapping[str, Array],
) -> dict[str, dict[str, Any]]:
    keys = {
        "run_id": run_id(program, batch.seed, result.k, order.salt, environment_id),
        "program_id": program.program_id,
        "mutant_id": order.mutant_id,
        "subject": batch.subject,
        "data_group": batch.data_group,
        "split": "train",
        "operator": order.operator,
    }
    run = {
        **keys,
        "role": order.role,
        "k": result.k,
        "metric_name": batch.judge["name"],
        **{f"metric_{role}": value for role, value in result.metric.items()},
        **{f"loss_{role}": value for role, value in result.loss.items()},
        "epochs": result.epochs,
        "steps": result.steps,
        "engine": result.engine,
        "outcome": result.outcome,
        "error": None,
        "wall_s": result.wall_s,
        "cpu_s": result.cpu_s,
        "environment_id": environment_id,
    }
    if order.role == TRIAL:
        return {"runs": run}
    data = program.document()["data"]
    predictions: dict[str, Any] = dict(keys)
    for role in ("judge", "test"):
        rows = rows_of(data[role], arrays)
        predictions |= _predictions(role, batch.judge["task"], rows, result.outputs[role][0])
    rows_by_table = {"runs": run, "predictions": predictions}
    if result.k < batch.keep_models:
        blob = encode(result.weights)
        rows_by_table["models"] = {
            **keys,
            "k": result.k,
            "architecture": json.dumps(program.document()["architecture"], sort_keys=True),
            "weights": blob,
            "sha256": hashlib.sha256(blob).hexdigest(),
            "n_params": sum(int(weight.size) for weight in result.weights),
            "dtype": "float32",
        }
    return rows_by_table


def _predictions(role: str, task: Any, rows: Rows, output: Array) -> dict[str, Any]:
    values, confidence = values_and_confidence(task, output)
    return {
        f"n_{role}": len(rows),
        f"correct_{role}": np.packbits(correct(task, rows.y[0], output)).tobytes(),
        f"values_{role}": values.astype(np.float32).tolist(),
        f"confidence_{role}": confidence.astype(np.float32).tolist(),
    }
