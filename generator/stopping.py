"""What callbacks do between epochs, from their records in the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import keras

from ..datasets.arrays import Rows
from ..datasets.capture.rows import output_names
from ..datasets.errors import SubjectError
from ..datasets.metric_direction import higher_is_better
from ..datasets.metric_names import logged_names
from ..datasets.program import Json
from .scoring import Judge


@dataclass
class _Handle:
    """What Keras's callbacks see of a model: weights, optimizer and the wish to stop."""

    compiled: Any
    stop_training: bool = False
    metrics: list[Any] = field(default_factory=list)

    @property
    def optimizer(self) -> Any:
        return self.compiled.optimizer

    def get_weights(self) -> Any:
        return self.compiled.weights()

    def set_weights(self, weights: Any) -> None:
        self.compiled.set_weights(weights)


class Callbacks:
    """Keras's own callback classes, driven by the training loop.

    Args:
        records: ``class_name`` and ``config`` of each callback.
        compiled: the model in training.
    """

    def __init__(self, records: Json, compiled: Any) -> None:
        self._handle = _Handle(compiled)
        self._callbacks = [keras_callback(record) for record in records]
        for callback in self._callbacks:
            callback.set_model(self._handle)
            callback.on_train_begin({})

    def __bool__(self) -> bool:
        return bool(self._callbacks)

    def epoch_ended(self, epoch: int, logs: Mapping[str, float]) -> bool:
        """Tell the callbacks; return whether training goes on."""
        for callback in self._callbacks:
            # An epoch is one call, so TerminateOnNaN looks at its end and not at each batch.
            callback.on_batch_end(epoch, {"loss": logs["loss"]})
            callback.on_epoch_end(epoch, dict(logs))
        return not self._handle.stop_training

    def training_ended(self) -> None:
        """Tell the callbacks, which may put the best weights back."""
        for callback in self._callbacks:
            callback.on_train_end({})


def validation_logs(compiled: Any, document: Json, rows: Rows) -> dict[str, float]:
    """Return what `fit` logs about validation rows after an epoch, by Keras's names.

    Args:
        compiled: the model in training.
        document: its program.
        rows: the validation rows.
    """
    outputs = compiled.predict(rows.x)
    logs = {"val_loss": compiled.validation_loss(rows, outputs)}
    metrics = document["metrics"] if len(outputs) > 1 else [document["metrics"]]
    names = logged_names(document["metrics"], output_names(compiled.model))
    for position, (listed, named) in enumerate(zip(metrics, names, strict=False)):
        target = Rows(rows.x, (rows.y[position],))
        for metric, name in zip(listed, named, strict=True):
            judge = Judge.on(metric, document["loss"])
            logs[f"val_{name}"] = judge.score(target, [outputs[position]])
    return logs


def keras_callback(record: Json) -> Any:
    """Return Keras's callback of a record.

    Raises:
        SubjectError: the record is of a callback that a program cannot hold.
    """
    name = record["class_name"]
    if name not in ("EarlyStopping", "ReduceLROnPlateau", "TerminateOnNaN"):
        raise SubjectError(
            "callback: expected EarlyStopping, ReduceLROnPlateau or TerminateOnNaN; "
            f"received {name}"
        )
    if name == "TerminateOnNaN":
        # Without `raise_error`: undefined numbers are the outcome of a run, not a failure.
        return keras.callbacks.TerminateOnNaN()
    config = dict(record["config"])
    if config.get("mode", "auto") == "auto":
        # Keras finds no direction for metrics that are functions, as programs hold them.
        monitor = config.get("monitor", "val_loss")
        config["mode"] = "max" if higher_is_better(monitor) else "min"
    return getattr(keras.callbacks, name)(**config)
