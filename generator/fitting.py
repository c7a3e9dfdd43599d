"""Keras's own `fit` as the engine of programs that the compiled loop cannot express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from ..datasets.arrays import Array, Rows
from ..datasets.build import build_loss, build_metrics
from ..datasets.program import Json, TrainingProgram
from .compiled import Compiled
from .engine import FIT_ALONE, Engine
from .feeding import epoch_order, row_weights
from .stopping import keras_callback
from .streams import Streams


class Fitted(Compiled):
    """A model that `fit` trains: it starts and predicts as `Compiled` does, and has metrics.

    Args:
        program: any of the programs that share graph key and metrics.
    """

    engine: ClassVar[Engine] = "fit"

    def __init__(self, program: TrainingProgram) -> None:
        super().__init__(program)
        document = program.document()
        # Without XLA, whose compilation would cost more than it saves here. Dropout draws other
        # masks with it, from the same seed.
        self.model.compile(
            optimizer=self.optimizer,
            loss=build_loss(document["loss"]),
            metrics=build_metrics(document["metrics"]) or None,
            jit_compile=False,
        )

    def fit(
        self, document: Json, roles: Mapping[str, Rows], kept: Array | None, streams: Streams
    ) -> tuple[int, int]:
        """Train one run; weights and states are as `reset` left them.

        Args:
            document: the program.
            roles: transformed rows by role.
            kept: row numbers of the training rows that are trained, or None for all.
            streams: of the run.

        Returns:
            epochs and optimizer steps.
        """
        train, setting = roles["train"], document["fit"]
        rows = np.arange(len(train)) if kept is None else kept
        first = setting.get("initial_epoch", 0)
        orders = [
            epoch_order(rows, epoch, streams, shuffle=setting["shuffle"])
            for epoch in range(first, setting["epochs"])
        ]
        weights = row_weights(train, setting["class_weight"])
        history = self.model.fit(
            _batches(train, weights, orders, self.batch_size),
            # One stream of batches for all epochs: what was fetched early is still in order.
            steps_per_epoch=-(-len(rows) // self.batch_size),
            epochs=setting["epochs"],
            shuffle=False,
            validation_data=_validation(roles.get("validation")),
            validation_batch_size=self.batch_size,
            callbacks=[keras_callback(record) for record in document["callbacks"]],
            verbose=0,
            **{name: setting[name] for name in FIT_ALONE if name in setting},
        )
        return len(history.epoch), int(self.optimizer.iterations.numpy())


def _batches(train: Rows, weights: Array | None, orders: list[Array], size: int) -> Any:
    """Return batches of all epochs; an epoch's last one is short where rows are left over."""
    x, y = (tuple(map(tf.constant, arrays)) for arrays in (train.x, train.y))
    weighing = () if weights is None else (tf.constant(weights),)

    def batch(rows: Any) -> Any:
        parts = [tuple(tf.gather(array, rows) for array in part) for part in (x, y)]
        scaled = [(tf.gather(array, rows),) * len(y) for array in weighing]
        return tuple(_structured(part) for part in (*parts, *scaled))

    def epoch(order: Any) -> Any:
        return tf.data.Dataset.from_tensor_slices(order).batch(size)

    shape = (len(orders), len(orders[0]) if orders else 0)
    table = tf.constant(np.array(orders, np.int32).reshape(shape))
    return tf.data.Dataset.from_tensor_slices(table).flat_map(epoch).map(batch)


def _validation(rows: Rows | None) -> Any:
    if rows is None:
        return None
    x, y = _structured(rows.x), _structured(rows.y)
    return (x, y) if rows.sample_weight is None else (x, y, rows.sample_weight)


def _structured(arrays: tuple[Any, ...]) -> Any:
    return arrays[0] if len(arrays) == 1 else arrays
