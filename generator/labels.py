"""Labels that a program's outputs have no class for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..datasets.arrays import Array
from ..datasets.errors import TrainingFailed
from ..datasets.program import Json


def check_labels(loss: Json, outputs: Sequence[Any], targets: Sequence[Array]) -> None:
    """Refuse integer labels outside the classes of an output, as `fit` does on a processor.

    Under XLA such a label makes the loss undefined instead, and the run would seem to diverge.

    Args:
        loss: of the program.
        outputs: the model's symbolic outputs.
        targets: of the rows to train, one array for each output.

    Raises:
        TrainingFailed: there is such a label.
    """
    losses = loss if isinstance(loss, list) else [loss] * len(outputs)
    for part, output, labels in zip(losses, outputs, targets, strict=False):
        config = _config_of_sparse(part)
        if config is None:
            continue
        classes, ignored = output.shape[-1], config.get("ignore_class")
        outside = (labels < 0) | (labels >= classes)
        if ignored is not None:
            outside &= labels != ignored
        if outside.any():
            raise TrainingFailed(
                f"labels: expected 0 to {classes - 1} for an output of {classes} classes; "
                f"received {labels[outside][0]}"
            )


def _config_of_sparse(loss: Json) -> Json:
    """Return the configuration of a loss that takes integer labels, or None for other losses."""
    if isinstance(loss, str):
        return {} if loss == "sparse_categorical_crossentropy" else None
    return loss["config"] if loss["class_name"] == "SparseCategoricalCrossentropy" else None
