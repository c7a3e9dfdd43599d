"""SIGTERM, which schedulers and clusters send, ends work as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def terminable() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` inside the block when SIGTERM comes."""
    if threading.current_thread() is not threading.main_thread():  # only that one gets signals
        yield
        return
    kept = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)
