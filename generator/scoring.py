"""Score predictions: the judge metric and the loss, computed by us and not by the mutant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import keras
import numpy as np

from ..datasets.arrays import Array, Rows
from ..datasets.build import build_loss, build_metrics
from ..datasets.metric_direction import higher_is_better
from ..datasets.metric_names import metric_name
from ..datasets.program import Json, TrainingProgram

Task = Literal["classification", "regression"]


@dataclass(frozen=True)
class Judge:
    """The metric that decides whether a mutant is worse: the clean program's first, else its loss.

    Args:
        name: Keras's name of the metric, or ``loss``.
        metric: the metric as a program stores it, or None for the loss.
        loss: the clean program's loss.
        higher_is_better: direction.
        task: what the program learns.
    """

    name: str
    metric: Json
    loss: Json
    higher_is_better: bool
    task: Task

    @classmethod
    def of(cls, clean: TrainingProgram, task: Task) -> Judge:
        """Return the judge metric of a clean program (its first output's first metric)."""
        document = clean.document()
        return cls.on(_first(document["metrics"]), document["loss"], task)

    @classmethod
    def on(cls, metric: Json, loss: Json, task: Task = "classification") -> Judge:
        """Return the judge of a metric as a program stores it; None stands for the loss."""
        name = "loss" if metric is None else metric_name(metric)
        return cls(name, metric, loss, higher_is_better(name), task)

    def score(self, rows: Rows, outputs: list[Array]) -> float:
        """Return the metric on predictions of rows; NaN where a prediction is not finite."""
        if not _finite(outputs):
            return float("nan")
        if self.metric is None:
            return self.loss_of(rows, outputs)
        metric = _metric(self.metric, rows.y[0], outputs[0])
        metric.update_state(_like(rows.y[0], outputs[0], metric), outputs[0])
        # Some metrics give a value for each class or threshold; a judge needs one number.
        return float(np.mean(np.asarray(metric.result())))

    def loss_of(self, rows: Rows, outputs: list[Array]) -> float:
        """Return the clean program's loss on predictions, without regularisation penalties."""
        if not _finite(outputs):
            return float("nan")
        losses = build_loss(self.loss)
        losses = losses if isinstance(losses, list) else [losses] * len(outputs)
        total = 0.0
        for loss, target, output in zip(losses, rows.y, outputs, strict=True):
            wrapper = keras.losses.get(loss)
            values = wrapper(_with_column(target, output), output)
            total += float(np.mean(np.asarray(values)))
        return total

    def worst(self, rows: Rows) -> float:
        """Return the score of a diverged run: all wrong, or the error of the constant predictor."""
        if self.task == "classification" and self.higher_is_better:
            return 0.0
        if self.task == "regression":
            targets = [np.asarray(y, np.float32).reshape(len(rows), -1) for y in rows.y]
            constants = [np.tile(target.mean(0), (len(rows), 1)) for target in targets]
            return self.score(Rows(rows.x, tuple(targets)), constants)
        return float("inf")


def correct(task: Task, labels: Array, output: Array) -> Array:
    """Return which rows are answered right, shape (n,), bool.

    Classification compares classes (threshold 0.5 for one unit). Regression has no right
    answers of its own, so all are False.
    """
    if task == "regression":
        return np.zeros(len(labels), bool)
    return np.asarray(_classes(labels) == _classes(output, scores=True)).reshape(len(labels))


def values_and_confidence(task: Task, output: Array) -> tuple[Array, Array]:
    """Return the predicted class or value and its confidence for each row, shape (n,)."""
    flat = output.reshape(len(output), -1)
    if task == "regression":
        return flat[:, 0], np.full(len(flat), np.nan, np.float32)
    if flat.shape[1] == 1:
        return _classes(output, scores=True), np.maximum(flat[:, 0], 1 - flat[:, 0])
    return _classes(output, scores=True), flat.max(axis=1)


def _classes(array: Array, *, scores: bool = False) -> Array:
    flat = array.reshape(len(array), -1)
    if flat.shape[1] > 1:
        return np.asarray(flat.argmax(axis=1))
    column = flat[:, 0]
    return np.asarray((column > 0.5).astype(np.int64) if scores else column.astype(np.int64))


def _first(metrics: Json) -> Json:
    while isinstance(metrics, list):
        if not metrics:
            return None
        metrics = metrics[0]
    return metrics


def _metric(metric: Json, target: Array, output: Array) -> Any:
    if metric in ("accuracy", "acc"):
        if output.shape[-1] == 1:
            return keras.metrics.BinaryAccuracy()
        if target.ndim < output.ndim or target.shape[-1] == 1:
            return keras.metrics.SparseCategoricalAccuracy()
        return keras.metrics.CategoricalAccuracy()
    built = build_metrics(metric)
    if isinstance(built, str):
        built = keras.metrics.get(built)
    if isinstance(built, keras.metrics.Metric):
        return built
    return keras.metrics.MeanMetricWrapper(built)


def _like(target: Array, output: Array, metric: Any) -> Array:
    sparse = isinstance(metric, keras.metrics.SparseCategoricalAccuracy)
    return target if sparse else _with_column(target, output)


def _with_column(target: Array, output: Array) -> Array:
    if target.ndim == output.ndim - 1 and output.shape[-1] == 1:
        return target[..., None]
    return target


def _finite(outputs: list[Array]) -> bool:
    return all(bool(np.isfinite(output).all()) for output in outputs)
