#!/usr/bin/env python
"""Seconds per training: faultloom's trainer against a fresh build, compile and `model.fit`.

Both sides train the same program in the same process with one thread, in turn, several times; the
median of the paired ratios counts. The trainer is warm: its first run, which builds and traces, is
not counted there, but it is in the rows about mutants that share a trace.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from typing import Any

os.environ |= {
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
}

import keras
import numpy as np
from faultloom.datasets.arrays import Rows, by_hash
from faultloom.datasets.build import build
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.capture.recorder import record
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.subjects.catalogue import subject_info
from faultloom.generator.graph_key import graph_key
from faultloom.generator.scoring import Judge
from faultloom.generator.streams import Streams
from faultloom.generator.trainer import Trainer, pin_threads
from faultloom.operators.registry import operator

Arrays = dict[str, np.ndarray[Any, Any]]


def large_cnn(rows: int) -> tuple[TrainingProgram, Arrays]:
    """A 28x28 network of the size of published subjects, one epoch, on synthetic images."""
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(10, activation="softmax"),
        ]
    )
    rng = np.random.default_rng(0)
    x, y = rng.random((rows, 28, 28, 1), np.float32), rng.integers(0, 10, rows)
    train, held = Rows((x,), (y,)), Rows((x[:256],), (y[:256],))
    program = canonicalize(
        {
            "architecture": canonical_model(model),
            "callbacks": [],
            "data": {
                "train": train.record(),
                "validation": None,
                "judge": held.record(),
                "test": held.record(),
            },
            "fit": {"batch_size": 128, "class_weight": None, "epochs": 1, "shuffle": True},
            "initial_weights": None,
            "loss": "sparse_categorical_crossentropy",
            "metrics": ["accuracy"],
            "optimizer": keras.saving.serialize_keras_object(keras.optimizers.Adam()),
            "transforms": [],
            "weight_edits": [],
        }
    )
    return program, by_hash([train, held])


def with_epochs(program: TrainingProgram, epochs: int) -> TrainingProgram:
    document = program.document()
    document["fit"]["epochs"] = epochs
    return TrainingProgram.of(document)


def fit(program: TrainingProgram, arrays: Arrays) -> None:
    """What every other tool does for each training: build, compile, fit, predict."""
    document = program.document()
    train, judge = document["data"]["train"], document["data"]["judge"]
    model = build(program)
    model.fit(
        arrays[train["x"][0]],
        arrays[train["y"][0]],
        batch_size=document["fit"]["batch_size"],
        epochs=document["fit"]["epochs"],
        verbose=0,
    )
    model.predict(arrays[judge["x"][0]], batch_size=512, verbose=0)


def compare(
    name: str, program: TrainingProgram, arrays: Arrays, target: float, turns: int, runs: int
) -> dict[str, Any]:
    trainer = Trainer(arrays, Judge.of(program, "classification"))
    trainer.train(program, [Streams(0, 0)])
    ours, theirs = [], []
    for turn in range(turns):
        start = time.perf_counter()
        trainer.train(program, [Streams(0, 1 + turn * runs + k) for k in range(runs)])
        ours.append((time.perf_counter() - start) / runs)
        start = time.perf_counter()
        fit(program, arrays)
        theirs.append(time.perf_counter() - start)
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    return {
        "what": f"{name}: one training against build + compile + fit",
        "ours": statistics.median(ours),
        "theirs": statistics.median(theirs),
        "unit": "s",
        "ratio": ratio,
        "target": target,
        "better": "higher",
        "met": ratio >= target,
    }


def sharing(
    what: str, program: TrainingProgram, arrays: Arrays, codes: list[str], count: int
) -> dict[str, Any]:
    """Time of mutants that share a graph key, tracing included, over the trainings' own time."""
    mutants = [
        acting.apply(program, site, parameters)
        for acting in map(operator, codes)
        for site in acting.sites(program)
        for parameters in acting.variants(program, site)
    ]
    mutants = mutants[:: len(mutants) // count][:count]
    assert len(mutants) == count
    assert len({graph_key(mutant) for mutant in mutants}) == 1
    trainer = Trainer(arrays, Judge.of(program, "classification"))

    def train_all() -> float:
        start = time.perf_counter()
        for mutant in mutants:
            trainer.train(mutant, [Streams(0, k) for k in range(5)])
        return time.perf_counter() - start

    total, own = train_all(), train_all()
    return {
        "what": f"{count} {what} mutants x 5 runs: first time over a repeat without tracing",
        "ours": total,
        "theirs": own,
        "unit": "s",
        "ratio": total / own,
        "target": 1.6,
        "better": "lower",
        "met": total / own <= 1.6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a rough answer within a minute")
    options = parser.parse_args()
    pin_threads()
    turns = 2 if options.quick else 7
    rows = []
    for name, epochs, target in (
        ("digits-mlp", 20, 15.0),
        ("digits-lstm", 4, 10.0),
        ("digits-cnn", 4, 4.0),
    ):
        with contextlib.redirect_stdout(sys.stderr):
            subject, arrays = record(subject_info(name).script, name=name)
        program = with_epochs(subject.program, epochs)
        rows.append(compare(f"{name}, {epochs} epochs", program, arrays, target, turns, 5))
        if name == "digits-mlp":
            rows.append(sharing("initialiser", program, arrays, ["WCI"], 12))
            rows.append(sharing("training-data", program, arrays, ["TCL", "TRD"], 5))
    program, arrays = large_cnn(2048)
    rows.append(compare("28x28 CNN, batch 128", program, arrays, 1.2, min(turns, 3), 1))
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return
    for row in rows:
        verdict = "met" if row["met"] else "MISSED"
        print(
            f"{row['what']:75} {row['ours']:8.3f} {row['theirs']:8.3f} {row['unit']}   "
            f"ratio {row['ratio']:5.2f}   target {row['target']:g} {verdict}"
        )


if __name__ == "__main__":
    main()
