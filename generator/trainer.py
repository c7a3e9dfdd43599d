"""Train a program many times: built, compiled and traced once."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import tensorflow as tf

from ..datasets.arrays import Array, Rows, rows_of
from ..datasets.errors import TrainingFailed
from ..datasets.program import Json, TrainingProgram, content_hash
from ..datasets.transforms import apply_transforms
from ..datasets.weight_edits import apply_weight_edit, edited_layers
from .blame import raised_by_keras, whole_tracebacks
from .compiled import Compiled
from .engine import Engine, engine_of
from .feeding import epoch_order, row_weights
from .fitting import Fitted
from .graph_key import graph_key
from .labels import check_labels
from .scoring import Judge
from .stopping import Callbacks, validation_logs
from .streams import Streams

_CAUSE = "Exception encountered: "
_WRAPPERS = ("Exception encountered when calling ", "Detected at node ", "[[")


@dataclass(frozen=True)
class RunResult:
    """One training.

    Args:
        k: number of the run.
        outcome: ``completed`` or ``diverged`` (weights or predictions are not finite).
        metric: judge metric by role (train, validation, judge); the worst score if diverged.
        loss: loss by role, NaN where it is not finite.
        epochs: epochs that were trained.
        steps: optimizer steps that were taken.
        engine: what trained it.
        outputs: predictions by role (judge, test), one array for each output.
        weights: final weights in Keras's order, after weight edits.
        wall_s: seconds of wall time.
        cpu_s: seconds of processor time.
    """

    k: int
    outcome: Literal["completed", "diverged"]
    metric: Mapping[str, float]
    loss: Mapping[str, float]
    epochs: int
    steps: int
    engine: Engine
    outputs: Mapping[str, list[Array]]
    weights: list[Array]
    wall_s: float
    cpu_s: float


class Trainer:
    """Trains programs and keeps the last few models compiled, by graph key.

    The result of a run depends on the program, the arrays, the campaign's seed and k alone: all
    state is put at its start before each run.

    Args:
        arrays: arrays by content hash.
        judge: the metric of the clean program.
        keep: number of compiled models to keep.
    """

    def __init__(self, arrays: Mapping[str, Array], judge: Judge, keep: int = 2) -> None:
        self._arrays = arrays
        self._judge = judge
        self._keep = keep
        self._compiled: dict[str, Compiled] = {}

    def train(self, program: TrainingProgram, runs: Sequence[Streams]) -> list[RunResult]:
        """Train a program once for each set of random streams.

        Raises:
            TrainingFailed: the program does not build, compile or take its first step; such a
                mutant is `incompetent`.
            MemoryError: memory ran out.
        """
        with whole_tracebacks():
            try:
                compiled = self.compiled(program)
                return [self._run(compiled, program, streams) for streams in runs]
            except (MemoryError, tf.errors.ResourceExhaustedError) as error:
                # About the worker, and no verdict on the program.
                raise MemoryError(_telling_line(error)) from error
            except Exception as error:
                if not raised_by_keras(error):
                    raise
                raise TrainingFailed(_telling_line(error)) from error

    def compiled(self, program: TrainingProgram) -> Compiled:
        """Return the compiled model of a program, made now or shared with an earlier one."""
        key, engine = graph_key(program), engine_of(program)
        if engine == "fit":
            key = content_hash([key, engine, program.document()["metrics"]])
        if key not in self._compiled:
            while len(self._compiled) >= self._keep:
                del self._compiled[next(iter(self._compiled))]
            self._compiled[key] = (Fitted if engine == "fit" else Compiled)(program)
        return self._compiled[key]

    def _run(self, compiled: Compiled, program: TrainingProgram, streams: Streams) -> RunResult:
        wall, cpu = time.perf_counter(), time.process_time()
        document = program.document()
        roles = {
            role: rows_of(record, self._arrays)
            for role, record in document["data"].items()
            if record is not None
        }
        roles, kept = _transformed(roles, document["transforms"], streams)
        _check_labels(compiled, document, roles, kept)
        compiled.reset(program, streams)
        if isinstance(compiled, Fitted):
            epochs, steps = compiled.fit(document, roles, kept, streams)
        else:
            epochs, steps = _fit(compiled, document, roles, kept, streams)
        weights = compiled.weights()
        if document["weight_edits"]:
            weights = _edited(compiled, document["weight_edits"], streams)
        outputs = {role: compiled.predict(rows.x) for role, rows in roles.items()}
        finite = all(
            bool(np.isfinite(array).all())
            for array in [*weights, *(a for parts in outputs.values() for a in parts)]
            if array.dtype.kind == "f"
        )
        scored = {role: rows for role, rows in roles.items() if role != "test"}
        judge = self._judge
        return RunResult(
            k=streams.k,
            outcome="completed" if finite else "diverged",
            metric={
                role: judge.score(rows, outputs[role]) if finite else judge.worst(rows)
                for role, rows in scored.items()
            },
            loss={role: judge.loss_of(rows, outputs[role]) for role, rows in scored.items()},
            epochs=epochs,
            steps=steps,
            engine=compiled.engine,
            outputs={role: outputs[role] for role in ("judge", "test")},
            weights=weights,
            wall_s=time.perf_counter() - wall,
            cpu_s=time.process_time() - cpu,
        )


def _telling_line(error: BaseException) -> str:
    """Return type and reason, out of what Keras and TensorFlow wrap around the reason."""
    kind = type(error).__name__
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    if text.startswith(("in user code:", "Graph execution error:")):
        *_, last = re.split(r'^ *File ".*$', text, flags=re.MULTILINE)
        text = last.partition("\n\n")[2] or last
    text = text.rpartition(_CAUSE)[2]
    lines = (line.strip().removeprefix(f"{kind}: ") for line in text.splitlines())
    found = next((line for line in lines if line and not line.startswith(_WRAPPERS)), "")
    return f"{kind}: {found}"[:300]


def pin_threads() -> None:
    """Give TensorFlow one thread; the number of threads changes results, so it is fixed.

    Call it before TensorFlow has run anything.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)


def _transformed(
    roles: Mapping[str, Rows], transforms: Json, streams: Streams
) -> tuple[dict[str, Rows], Array | None]:
    """Apply data transforms; deletion and repetition of training rows come as an index."""
    if not transforms:
        return dict(roles), None
    changed: dict[str, Rows] = {}
    kept: Array | None = None
    for role, rows in roles.items():
        result = apply_transforms(
            rows,
            transforms,
            role,
            lambda position: streams.generator("data", content_hash(transforms[position])),
            roles.__getitem__,
        )
        if role == "train":
            changed[role], kept = result.rows, result.index
        else:
            changed[role] = result.materialized()
    return changed, kept


def _check_labels(
    compiled: Compiled, document: Json, roles: Mapping[str, Rows], kept: Array | None
) -> None:
    for role in roles.keys() & {"train", "validation"}:
        targets = roles[role].y
        if role == "train" and kept is not None:
            targets = tuple(array[kept] for array in targets)
        check_labels(document["loss"], compiled.model.outputs, targets)


def _fit(
    compiled: Compiled,
    document: Json,
    roles: Mapping[str, Rows],
    kept: Array | None,
    streams: Streams,
) -> tuple[int, int]:
    train, fit = roles["train"], document["fit"]
    x = [tf.constant(array) for array in train.x]
    y = [tf.constant(array) for array in train.y]
    weights = row_weights(train, fit["class_weight"])
    weights = np.ones(len(train), np.float32) if weights is None else weights
    rows = np.arange(len(train)) if kept is None else kept
    callbacks = Callbacks(document["callbacks"], compiled)
    validation = roles.get("validation")
    steps = -(-len(rows) // compiled.batch_size)
    done = 0
    for epoch in range(fit["epochs"]):
        order = epoch_order(rows, epoch, streams, shuffle=fit["shuffle"])
        loss = compiled.epoch(x, y, order, weights)
        done += 1
        if not callbacks:
            continue
        logs = {} if validation is None else validation_logs(compiled, document, validation)
        if not callbacks.epoch_ended(epoch, {"loss": loss, **logs}):
            break
    compiled.finish()
    callbacks.training_ended()
    return done, done * steps


def _edited(compiled: Compiled, edits: Json, streams: Streams) -> list[Array]:
    """Apply trained-stage edits to the layers that they name."""
    for edit in edits:
        named = {
            f"{path}/{variable.path.rpartition(layer.name + '/')[2]}": variable
            for path, layer in ((path, compiled.layers[path]) for path in edited_layers(edit))
            for variable in layer.weights
        }
        before = {name: np.array(variable.numpy()) for name, variable in named.items()}
        after = apply_weight_edit(edit, before, streams.generator("data", content_hash(edit)))
        for name, variable in named.items():
            variable.assign(after[name])
    return compiled.weights()
