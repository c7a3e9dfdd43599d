"""Ray itself: its import, and the cluster that the tasks run on."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ..datasets.errors import RunnerError

__all__ = ["connect", "cpus", "import_ray"]

_STORE_BYTES: Final = 300 * 1024 * 1024
_ANSWER_S: Final = 5.0
_DRIVER_ENV: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # Ray warns about its own future handling of accelerators; this is that future handling.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


def import_ray() -> Any:
    """Ray, imported when first needed, with its reporting and its guesses about uv off."""
    for name, value in _DRIVER_ENV.items():
        os.environ.setdefault(name, value)
    import ray

    return ray


def cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def connect(ray: Any, address: str | None, slots: int, shared_bytes: int) -> None:
    """Start a private cluster, or reach the one at an address.

    Args:
        ray: the module.
        address: of a running cluster, as ``ray.init`` takes it; None for a private one.
        slots: CPUs of a private cluster.
        shared_bytes: size of the arrays that a private cluster's object store must hold.

    Raises:
        RunnerError: it cannot be started or does not answer.
    """
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        options |= {
            "address": "local",
            "num_cpus": slots,
            "include_dashboard": False,
            "object_store_memory": max(_STORE_BYTES, 2 * shared_bytes),
            "_node_ip_address": "127.0.0.1",
        }
    else:
        options["address"] = address
    try:
        if address is not None:
            _check_answers(address)
        with _own_sigterm():
            ray.init(**options)
    except Exception as error:
        where = "a local Ray cluster" if address is None else address
        text = " ".join(str(error).split())[:300]
        advice = "the free memory" if address is None else "the address"
        raise RunnerError(
            f"Ray: expected to start or reach {where}, received "
            f"{type(error).__name__}: {text}; check {advice}"
        ) from error


@contextmanager
def _own_sigterm() -> Iterator[None]:
    """Keep this program's handler of SIGTERM: Ray's prints a native trace and aborts."""
    kept = signal.getsignal(signal.SIGTERM)
    yield
    if callable(kept) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, kept)


def _check_answers(address: str) -> None:
    """Fail within seconds where nobody listens; Ray itself would try for many minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_S).close()
