"""Keep TensorFlow's start-up messages off the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def muted() -> Iterator[None]:
    """Send what native code writes to standard error to nowhere, inside the block.

    TensorFlow logs about its build before any of its log settings are read.
    """
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)


def import_keras() -> None:
    """Import Keras and TensorFlow without their start-up messages."""
    with muted():
        import keras  # noqa: F401
