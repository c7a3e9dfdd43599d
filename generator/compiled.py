"""A model that is built, compiled and traced once and then trained many times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from ..datasets.arrays import Array, Rows
from ..datasets.build import (
    build_loss,
    build_model,
    build_optimizer,
    layers_by_path,
    weight_variables,
)
from ..datasets.program import Json, TrainingProgram
from .engine import Engine
from .initial import draw, layer_configs, recorded_weights, weights_of
from .streams import Streams

_CONVOLUTIONS = ("Conv", "SeparableConv", "DepthwiseConv")
_BATCH_LOSSES = ("circle", "dice", "tversky")
_ROWS_AT_ONCE = 256


class Compiled:
    """Model, optimizer and traced functions that programs with one graph key share.

    One step is Keras's: forward pass, `compute_loss`, gradients, ``optimizer.apply``. A whole
    epoch is one call; its batches are gathered in the graph. Rows have weights, and a row of
    weight zero pads the last partial batch to full size, where the weights of its other rows
    make up for it. Layers and losses that mix the rows of a batch would see the padding, so
    programs with one of them take the partial batch at its own size.

    Args:
        program: any of the programs that share the graph key.
    """

    engine: ClassVar[Engine] = "compiled"

    def __init__(self, program: TrainingProgram) -> None:
        document = program.document()
        with recorded_weights() as made:
            self.model = build_model(document["architecture"])
        self.batch_size: int = document["fit"]["batch_size"]
        self.layers: dict[str, Any] = layers_by_path(self.model)
        self._weights = weights_of(self.layers, made)
        parts = [part for layer in self.layers.values() for part in layer._flatten_layers()]
        self.xla = not any(type(part).__name__.startswith(_CONVOLUTIONS) for part in parts)
        self._loss_of_batches = _loss_mixes_rows(document["loss"]) or any(map(_adds_loss, parts))
        self.mixes_rows = self._loss_of_batches or any(map(_layer_mixes_rows, parts))
        self.optimizer = build_optimizer(document["optimizer"])
        self.model.compile(
            optimizer=self.optimizer, loss=build_loss(document["loss"]), jit_compile=self.xla
        )
        self.optimizer.build(self.model.trainable_variables)
        self._optimizer_start = [value.numpy() for value in self.optimizer.variables]
        self._random = list(_seed_generators(self.layers))
        # AutoGraph is off as it is in `fit`; it would change what our own errors look like.
        self._epoch = tf.function(self._epoch_body, autograph=False, jit_compile=self.xla)
        # Without XLA: compiling it for one step in an epoch would cost more than it saves.
        self._step_alone = tf.function(self._step, autograph=False)
        self._tested = tf.function(self._tested_body, autograph=False)
        self._forward = tf.function(self._forward_body, autograph=False, jit_compile=self.xla)

    def reset(self, program: TrainingProgram, streams: Streams) -> None:
        """Put weights, optimizer state, learning rate and random state at a run's start."""
        configs = layer_configs(program)
        for weight in self._weights:
            weight.variable.assign(draw(weight, configs, streams))
        for variable, start in zip(self.optimizer.variables, self._optimizer_start, strict=True):
            variable.assign(start)
        rate = program.document()["optimizer"]["config"].get("learning_rate")
        if isinstance(rate, (int, float)):
            self.set_learning_rate(float(rate))
        for path, generator in self._random:
            generator.state.assign([streams.keras_seed("dropout", path), 0])

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the steps to come."""
        self.optimizer.learning_rate.assign(rate)

    def learning_rate(self) -> float:
        """Return the learning rate of the next step."""
        return float(self.optimizer.learning_rate.numpy())

    def epoch(self, x: Any, y: Any, order: Array, weights: Array) -> float:
        """Train one epoch.

        Args:
            x: tensors, one for each input.
            y: tensors, one for each output.
            order: row numbers in the order of training, shape (rows,).
            weights: weight of each row of `x`, shape (n,).

        Returns:
            Mean loss over the rows, as `fit` logs it.
        """
        size, rows = self.batch_size, len(order)
        full, rest = divmod(rows, size)
        batches, row_weights, shares = [], [], []
        if full:
            batches.append(order[: full * size].reshape(full, size))
            row_weights.append(weights[order[: full * size]].reshape(full, size))
            shares.append(np.full(full, size))
        if rest and not self.mixes_rows:
            padded = np.concatenate([order[full * size :], np.full(size - rest, order[0])])
            scaled = np.zeros(size, np.float32)
            scaled[:rest] = weights[padded[:rest]] * (size / rest)
            batches.append(padded[None])
            row_weights.append(scaled[None])
            shares.append(np.array([rest]))
        total = 0.0
        if batches:
            capacity = -(-len(weights) // size)
            steps = sum(len(part) for part in batches)
            total += float(
                self._epoch(
                    x,
                    y,
                    _padded(np.concatenate(batches), capacity, np.int32),
                    _padded(np.concatenate(row_weights), capacity, np.float32),
                    _padded(np.concatenate(shares), capacity, np.float32),
                    tf.constant(steps, tf.int32),
                )
            )
        if rest and self.mixes_rows:
            tail = order[full * size :]
            total += rest * float(
                self._step_alone(x, y, tf.constant(tail, tf.int32), tf.constant(weights[tail]))
            )
        return total / rows

    def finish(self) -> None:
        """Put averaged weights in place, for optimizers that keep averages."""
        self.optimizer.finalize_variable_values(self.model.trainable_variables)

    def validation_loss(self, rows: Rows, outputs: list[Array]) -> float:
        """Return the loss as `evaluate` logs it, penalties included.

        Args:
            rows: with their weights.
            outputs: what `predict` returned for them.
        """
        if not self._loss_of_batches:
            targets, weights = _structured(list(rows.y)), rows.sample_weight
            spread = None if weights is None else [_spread(weights, output) for output in outputs]
            weighted = spread and _structured(spread)
            return float(self.model.compute_loss(None, targets, _structured(outputs), weighted))
        total = 0.0
        for start in range(0, len(rows), self.batch_size):
            batch = rows.take(np.arange(start, min(start + self.batch_size, len(rows))))
            x, y = list(map(tf.constant, batch.x)), list(map(tf.constant, batch.y))
            weights = np.ones(len(batch)) if batch.sample_weight is None else batch.sample_weight
            total += len(batch) * float(self._tested(x, y, tf.constant(weights, tf.float32)))
        return total / len(rows)

    def predict(self, x: tuple[Array, ...]) -> list[Array]:
        """Return the inference-mode outputs, one array for each output of the model.

        Rows go through in pieces of one size (the last one padded), so that one trace serves
        any number of rows.
        """
        rows = len(x[0])
        size = _ROWS_AT_ONCE
        pieces: list[list[Array]] = []
        for start in range(0, rows, size):
            piece = [array[start : start + size] for array in x]
            short = size - len(piece[0])
            if short:
                piece = [np.concatenate([a, np.repeat(a[:1], short, axis=0)]) for a in piece]
            outputs = self._forward([tf.constant(array) for array in piece])
            pieces.append([output.numpy()[: size - short] for output in outputs])
        return [np.concatenate(parts) for parts in zip(*pieces, strict=True)]

    def weights(self) -> list[Array]:
        """Return a copy of all weights of the model, in Keras's order."""
        return [np.array(variable.numpy()) for variable in weight_variables(self.model)]

    def set_weights(self, values: list[Array]) -> None:
        """Set all weights of the model, in the order that `weights` returns them."""
        for variable, value in zip(weight_variables(self.model), values, strict=True):
            variable.assign(value)

    def _epoch_body(self, x: Any, y: Any, order: Any, weights: Any, shares: Any, steps: Any) -> Any:
        def body(step: Any, total: Any) -> tuple[Any, Any]:
            loss = self._step(x, y, order[step], weights[step])
            return step + 1, total + loss * shares[step]

        _, total = tf.while_loop(
            lambda step, _: step < steps, body, (tf.constant(0), tf.constant(0.0))
        )
        return total

    def _step(self, x: Any, y: Any, rows: Any, weights: Any) -> Any:
        model = self.model
        inputs = [tf.gather(array, rows) for array in x]
        targets = [tf.gather(array, rows) for array in y]
        with tf.GradientTape() as tape:
            loss = self._loss(inputs, targets, weights, training=True)
        variables = model.trainable_variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    def _loss(self, x: Any, y: Any, weights: Any, *, training: bool) -> Any:
        outputs = self.model(_structured(x), training=training)
        spread = [_spread(weights, output) for output in _listed(outputs)]
        return self.model.compute_loss(None, _structured(y), outputs, _structured(spread))

    def _tested_body(self, x: Any, y: Any, weights: Any) -> Any:
        return self._loss(x, y, weights, training=False)

    def _forward_body(self, x: Any) -> list[Any]:
        return _listed(self.model(_structured(x), training=False))


def _layer_mixes_rows(layer: Any) -> bool:
    name = type(layer).__name__
    return "Normalization" in name and name != "LayerNormalization"


def _adds_loss(layer: Any) -> bool:
    """Whether a layer changes the loss by more than its weights do: by penalties or by masks.

    Keras divides the loss of a batch by the share that is not masked.
    """
    return (
        getattr(layer, "activity_regularizer", None) is not None
        or getattr(layer, "mask_zero", False)
        or type(layer).__name__ == "Masking"
    )


def _loss_mixes_rows(loss: Json) -> bool:
    """Whether a loss is anything but the mean of what each row gives."""
    if isinstance(loss, list):
        return any(map(_loss_mixes_rows, loss))
    if isinstance(loss, str):
        return loss in _BATCH_LOSSES
    changed = loss["config"].keys() & {"reduction", "ignore_class"}
    return bool(changed) or loss["class_name"].lower() in _BATCH_LOSSES


def _structured(arrays: list[Any]) -> Any:
    return arrays[0] if len(arrays) == 1 else arrays


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _spread(weights: Any, output: Any) -> Any:
    """Give every step or pixel of a row the row's weight, one for each value of the loss."""
    rank = len(output.shape)
    if rank <= 2:
        return weights
    column = tf.reshape(weights, [-1] + [1] * (rank - 2))
    return tf.broadcast_to(column, tf.shape(output)[:-1])


def _padded(array: Array, capacity: int, dtype: Any) -> Any:
    missing = [(0, max(0, capacity - len(array)))] + [(0, 0)] * (array.ndim - 1)
    return tf.constant(np.pad(array, missing).astype(dtype))


def _seed_generators(layers: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, layer in layers.items():
        for number, part in enumerate(layer._flatten_layers()):
            for position, generator in enumerate(part._seed_generators):
                yield f"{path}/{number}" + (f"/{position}" if position else ""), generator
