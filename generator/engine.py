"""Which engine trains a program: the compiled loop, or Keras's own `fit` where the loop cannot."""

from __future__ import annotations

from typing import Literal

from ..datasets.program import Json, TrainingProgram

Engine = Literal["compiled", "fit"]

FIT_ALONE = ("initial_epoch", "validation_freq", "validation_steps")
"""Arguments of `fit` that the loop does not know; a program has them where they are not default."""


def engine_of(program: TrainingProgram) -> Engine:
    """Return the engine of a program; it depends on nothing else, so that runs compare.

    The loop computes no metrics of training rows, so callbacks that monitor one need `fit`.
    """
    document = program.document()
    by_arguments = any(name in document["fit"] for name in FIT_ALONE)
    by_callbacks = any(map(_monitors_training_rows, document["callbacks"]))
    return "fit" if by_arguments or by_callbacks else "compiled"


def _monitors_training_rows(record: Json) -> bool:
    monitor: str = record["config"].get("monitor", "val_loss")
    return monitor != "loss" and not monitor.startswith("val_")
