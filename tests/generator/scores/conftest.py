"""A corpus made by hand: five mutants whose scores are worked out in the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.corpus.writer import StagingWriter, check_or_create
from faultloom.operators.cases import small_program

RUNS, ROWS = 8, 100
CONFIG = {"criterion": "deepcrime", "clean_replicates": RUNS, "faulty_replicates": RUNS}

# mutant: operator, layer, parameters, outcome, d, rows that all its runs get wrong, train accuracy
MUTANTS: dict[str, tuple[str, str | None, dict[str, Any], str, float | None, range, float]] = {
    "ten": ("HNE", None, {"epochs": 10}, "survived", 0.1, range(0), 0.5),
    "two": ("HNE", None, {"epochs": 2}, "killed", 5.0, range(10, 40), 0.4),
    "one": ("HNE", None, {"epochs": 1}, "killed", None, range(100), 0.3),
    "tanh": ("ACH", "dense", {"activation": "tanh"}, "killed", 1.0, range(10, 30), 0.5),
    "elu": ("ACH", "dense", {"activation": "elu"}, "survived", 0.0, range(0), 0.95),
    "sham": ("SHAM", None, {"salt": 0}, "survived", 0.0, range(0), 0.95),
}


def clean_run(k: int) -> np.ndarray:
    """Run k of the clean program gets the first k modulo 4 rows wrong."""
    right = np.ones(ROWS, bool)
    right[: k % 4] = False
    return right


def prediction(run_id: str, mutant_id: str | None, right: np.ndarray) -> dict[str, Any]:
    # Half of the rows are predicted with confidence 1: the weak test set.
    confidence = np.where((np.arange(ROWS) >= 35) & (np.arange(ROWS) < 85), 1.0, 0.7)
    return {
        "run_id": run_id,
        "mutant_id": mutant_id,
        "subject": "toy",
        "n_judge": ROWS,
        "correct_judge": np.packbits(right).tobytes(),
        "confidence_judge": confidence.tolist(),
    }


def run(run_id: str, mutant_id: str | None, k: int, train: float) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "program_id": "p",
        "mutant_id": mutant_id,
        "subject": "toy",
        "role": "clean" if mutant_id is None else "faulty",
        "k": k,
        "metric_train": train + k / 1000,
        "outcome": "completed",
    }


def mutant_row(mutant_id: str) -> dict[str, Any]:
    code, layer, parameters, outcome, d, _, _ = MUTANTS[mutant_id]
    mutation = {
        "code": code,
        "name": code.lower(),
        "layer": layer,
        "layer_index": None if layer is None else 0,
        "parameters": json.dumps(parameters),
    }
    return {
        "mutant_id": mutant_id,
        "subject": "toy",
        "operator": code,
        "mutations": [mutation],
        "outcome": outcome,
        "p": None if d is None else 0.01,
        "effect_size": d,
        "n_clean": RUNS,
        "n_faulty": RUNS,
    }


def tables(**subject: Any) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables; fields of the subject can be replaced."""
    runs, predictions = [], []
    for k in range(RUNS):
        runs.append(run(f"clean-{k}", None, k, 0.95))
        predictions.append(prediction(f"clean-{k}", None, clean_run(k)))
        for mutant_id, (*_, wrong, train) in MUTANTS.items():
            runs.append(run(f"{mutant_id}-{k}", mutant_id, k, train))
            right = clean_run(k)
            right[list(wrong)] = False
            predictions.append(prediction(f"{mutant_id}-{k}", mutant_id, right))
    row = {
        "subject": "toy",
        "program_id": "p",
        "task": "classification",
        "clean_metric_name": "accuracy",
        "data_embedded": False,
        "judge_test_disjoint": True,
        "program_json": small_program().text,
    }
    return {
        "subjects": [row | subject],
        "mutants": [mutant_row(mutant_id) for mutant_id in MUTANTS],
        "runs": runs,
        "predictions": predictions,
    }


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., Path]:
    """Make the corpus; ``change`` edits the tables, other arguments are fields of the subject."""

    def make(
        change: Callable[[dict[str, list[dict[str, Any]]]], None] | None = None, **subject: Any
    ) -> Path:
        root = tmp_path / "toy"
        check_or_create(root, CONFIG)
        rows = tables(**subject)
        if change is not None:
            change(rows)
        StagingWriter(root).commit("unit", rows)
        return root

    return make
