"""Whose an exception is: Keras's, about the program that it was given, or a fault of our own."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import keras
import tensorflow as tf


def _folder(path: Path) -> str:
    return str(path) + os.sep


_THEIRS = tuple(_folder(Path(module.__file__).parent) for module in (keras, tf))
_OURS = tuple(_folder(Path(__file__).parents[1] / room) for room in ("datasets", "generator"))


@contextmanager
def whole_tracebacks() -> Iterator[None]:
    """Keep the frames of Keras and TensorFlow, which both hide, in exceptions of the block."""
    hidden = keras.config.is_traceback_filtering_enabled()
    hidden_by_tensorflow = tf.debugging.is_traceback_filtering_enabled()
    keras.config.disable_traceback_filtering()
    tf.debugging.disable_traceback_filtering()
    try:
        yield
    finally:
        if hidden:
            keras.config.enable_traceback_filtering()
        if hidden_by_tensorflow:
            tf.debugging.enable_traceback_filtering()


def raised_by_keras(error: BaseException) -> bool:
    """Whether Keras or TensorFlow raised an exception, and not our code that calls them.

    The innermost frame that belongs to either side decides: when TensorFlow traces a function
    of ours, frames of both sides alternate, and what both call (NumPy, say) belongs to its caller.

    Args:
        error: caught within `whole_tracebacks`.
    """
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if file.startswith(_OURS):
            return False
        if file.startswith(_THEIRS):
            return True
    return False
