"""The runner on Ray Core: one task for each unit, on this machine or on a cluster.

Every task is a streaming generator of two items: that it has started (where, when), then its
value. The deadline of a unit therefore counts from its start as its worker reports it (clipped to
the time between submission and the report, should the clocks disagree), and time in the queue is
free. A unit that has not started while nothing of this runner runs is given up as ``lost`` after
:data:`START_LIMIT_S`.

Ray itself retries nothing. A crashed or lost attempt is submitted again and counted here, up to
``max_attempts``; an overrun deadline or exhausted memory ends the unit at once. Crashed and lost
attempts get a deadline of their own. Deadlines are enforced inside ``next_done`` only: a unit
that ends late while nobody waits keeps its value.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from ..datasets.errors import RunnerError
from .runner import (
    Arrays,
    Done,
    Failure,
    FailureOutcome,
    Unit,
    check_submission,
    nothing_pending,
    read_only,
    resolve_work,
    work_error,
)

__all__ = ["START_LIMIT_S", "RayRunner"]

START_LIMIT_S: Final = 1800.0
_POLL_S: Final = 1.0
_STORE_BYTES: Final = 300 * 1024 * 1024
_WORKER_ENV: Final = {
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_DRIVER_ENV: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # Ray warns about its own future handling of accelerators; this is that future handling.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


def _ray() -> Any:
    """Ray, imported when first needed, with its reporting and its guesses about uv off."""
    for name, value in _DRIVER_ENV.items():
        os.environ.setdefault(name, value)
    import ray

    return ray


def _cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_unit(work: str, payload: Any, boxed: list[Any]) -> Iterator[tuple[Any, ...]]:
    """The task: report the start, then the value. ``boxed`` holds the reference to the arrays."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    yield (f"{node[:8]}/{os.getpid()}", time.time())
    function = resolve_work(work)
    arrays = read_only(ray.get(boxed[0]))
    started = time.perf_counter()
    value = function(payload, arrays)
    yield (value, time.perf_counter() - started)


@dataclass(slots=True)
class _Attempt:
    unit: Unit
    shared: Any
    stream: Any
    number: int
    submitted: float
    started: float | None = None
    worker: str = ""


class RayRunner:
    """Runs units as Ray tasks; starts a private local cluster unless one is given or running.

    A cluster that this process is already connected to is used and left running. The private one
    is started by the first unit, so that its object store can fit what was shared before.
    """

    def __init__(
        self,
        address: str | None = None,
        slots: int | None = None,
        deadline_s: float | None = 600.0,
        max_calls: int = 12,
        max_attempts: int = 3,
    ) -> None:
        for name, number in (("slots", slots), ("max_attempts", max_attempts)):
            if number is not None and number < 1:
                raise RunnerError(f"{name}: expected at least 1, received {number}; raise it")
        self._address = address
        self._slots = slots
        self._deadline_s = deadline_s
        self._max_calls = max_calls
        self._max_attempts = max_attempts
        self._waiting: dict[str, Arrays] = {}
        self._shared: dict[str, Any] = {}
        self._running: dict[str, _Attempt] = {}
        self._backlog: deque[tuple[Unit, Any]] = deque()
        self._limit: int | None = None
        self._ready: deque[Done | RunnerError] = deque()
        self._ready_keys: set[str] = set()
        self._ray: Any = None
        self._task: Any = None
        self._owned = False
        self._last_event = time.time()

    @property
    def slots(self) -> int:
        """How many units run at the same time."""
        if self._slots is None:
            if self._address is not None or self._ray is not None or _ray().is_initialized():
                # Not a limit: others may come and go, and Ray itself queues.
                self._slots = max(1, int(self._started().cluster_resources().get("CPU", 1)))
            else:
                self._slots = _cpus()
        return self._slots

    def share(self, name: str, arrays: Arrays) -> None:
        """Put arrays into the object store once; units get a reference to them."""
        frozen = read_only(arrays)
        if self._ray is None:
            self._waiting[name] = frozen
        else:
            self._put(name, frozen)

    def submit(self, unit: Unit) -> None:
        """Queue a unit."""
        check_submission(
            unit,
            unit.key in self._running
            or unit.key in self._ready_keys
            or any(unit.key == other.key for other, _ in self._backlog),
            unit.shared in self._shared or unit.shared in self._waiting,
        )
        self._started()
        if not self._running:
            self._last_event = time.time()
        self._backlog.append((unit, self._shared[unit.shared]))
        self._fill()

    def pending(self) -> int:
        """How many units were submitted and have not yet been returned."""
        return len(self._backlog) + len(self._running) + len(self._ready)

    def next_done(self) -> Done:
        """Wait for the next unit to finish; raises for one whose work raised."""
        while not self._ready:
            if not self._running:
                raise nothing_pending()
            self._poll()
        result = self._ready.popleft()
        if isinstance(result, RunnerError):
            raise result
        self._ready_keys.discard(result.unit.key)
        return result

    def cancel(self) -> None:
        """Stop everything that is pending, by force."""
        self._backlog.clear()
        for attempt in self._running.values():
            self._kill(attempt)
        self._running.clear()
        self._ready.clear()
        self._ready_keys.clear()

    def close(self) -> None:
        """Stop everything, drop the shared arrays, and end the cluster if it is ours."""
        try:
            self.cancel()
        finally:
            self._waiting.clear()
            self._shared.clear()
            ray, self._ray, self._task = self._ray, None, None
            if self._owned and ray is not None:
                self._owned = False
                ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _started(self) -> Any:
        """Ray, connected; whatever was shared until now is put into its store."""
        if self._ray is not None:
            return self._ray
        ray = _ray()
        if not ray.is_initialized():
            options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
            if self._address is None:
                size = sum(a.nbytes for s in self._waiting.values() for a in s.values())
                options |= {
                    "address": "local",
                    "num_cpus": self._slots or _cpus(),
                    "include_dashboard": False,
                    "object_store_memory": max(_STORE_BYTES, 2 * size),
                    "_node_ip_address": "127.0.0.1",
                }
            else:
                options["address"] = self._address
            try:
                ray.init(**options)
            except Exception as error:
                where = "a local Ray cluster" if self._address is None else self._address
                text = " ".join(str(error).split())[:300]
                raise RunnerError(
                    f"Ray: expected to start or reach {where}, received "
                    f"{type(error).__name__}: {text}; check the address and the free memory"
                ) from error
            self._owned = True
        self._task = ray.remote(
            num_cpus=1,
            max_retries=0,
            max_calls=self._max_calls,
            num_returns="streaming",
            runtime_env={"env_vars": dict(_WORKER_ENV)},
        )(_run_unit)
        # A private cluster has as many CPUs as slots; on another, our tasks are counted here.
        self._limit = None if self._owned and self._address is None else self._slots
        self._ray = ray
        for name, arrays in self._waiting.items():
            self._put(name, arrays)
        self._waiting.clear()
        return ray

    def _put(self, name: str, arrays: Arrays) -> None:
        self._shared[name] = self._ray.put(
            # Only contiguous arrays are mapped by workers instead of copied.
            {key: np.asarray(array, order="C") for key, array in arrays.items()}
        )

    def _send(self, unit: Unit, shared: Any, number: int) -> None:
        stream = self._task.remote(unit.work, unit.payload, [shared])
        self._running[unit.key] = _Attempt(unit, shared, stream, number, time.time())

    def _kill(self, attempt: _Attempt) -> None:
        try:
            self._ray.cancel(attempt.stream, force=True)
        except Exception as error:  # it is gone already, or the cluster is
            logging.getLogger(__name__).debug("cancelling %s: %s", attempt.unit.key, error)

    def _poll(self) -> None:
        """Wait for something to happen, for a moment at most, and take note of it."""
        by_stream = {attempt.stream: attempt for attempt in self._running.values()}
        streams = list(by_stream)
        happened, _ = self._ray.wait(streams, num_returns=1, timeout=self._patience())
        if happened and len(streams) > 1:
            happened, _ = self._ray.wait(streams, num_returns=len(streams), timeout=0)
        for stream in happened:
            self._last_event = time.time()
            self._advance(by_stream[stream])
        self._enforce()

    def _patience(self) -> float:
        """How long to wait: until the next deadline, and never longer than a moment."""
        wait = _POLL_S
        if self._deadline_s is not None:
            now = time.time()
            for attempt in self._running.values():
                if attempt.started is not None:
                    wait = min(wait, attempt.started + self._deadline_s - now)
        return max(0.01, wait)

    def _advance(self, attempt: _Attempt) -> None:
        """Take the next item of a task: its start, its value or its end."""
        errors = self._ray.exceptions
        try:
            item = self._ray.get(next(attempt.stream))
        except StopIteration:
            self._again(attempt, "lost", "the task ended without a value")
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            if isinstance(cause, MemoryError):
                self._fail(attempt, "out_of_memory", f"MemoryError: {cause}")
            else:
                self._raise(attempt, cause, str(error))
        except errors.OutOfMemoryError as error:
            self._fail(attempt, "out_of_memory", str(error))
        except errors.TaskCancelledError as error:
            self._again(attempt, "lost", str(error))
        except errors.WorkerCrashedError as error:
            self._again(attempt, "crashed", str(error))
        except (
            errors.ObjectLostError,
            errors.NodeDiedError,
            errors.LocalRayletDiedError,
            errors.TaskUnschedulableError,
        ) as error:
            self._again(attempt, "lost", str(error))
        except errors.RayError as error:
            self._raise(attempt, error, "")
        else:
            if attempt.started is None:
                attempt.worker, at = item
                attempt.started = min(max(at, attempt.submitted), time.time())
            else:
                value, wall_s = item
                self._finish(attempt, value, None, wall_s)

    def _enforce(self) -> None:
        """End what has overrun its deadline, and what will never start."""
        now = time.time()
        idle = all(attempt.started is None for attempt in self._running.values())
        for attempt in list(self._running.values()):
            if attempt.started is None:
                if idle and now - max(attempt.submitted, self._last_event) > START_LIMIT_S:
                    self._kill(attempt)
                    self._fail(attempt, "lost", f"not started within {START_LIMIT_S:g} s")
            elif self._deadline_s is not None and now - attempt.started > self._deadline_s:
                if self._ray.wait([attempt.stream], timeout=0)[0]:
                    continue  # it ended while nobody asked: the next poll takes what it brought
                self._kill(attempt)
                self._fail(attempt, "timed_out", f"ran past its deadline of {self._deadline_s:g} s")

    def _again(self, attempt: _Attempt, outcome: FailureOutcome, text: str) -> None:
        """Try once more, or give the unit up."""
        if attempt.number < self._max_attempts:
            self._send(attempt.unit, attempt.shared, attempt.number + 1)
        else:
            self._fail(attempt, outcome, text)

    def _fail(self, attempt: _Attempt, outcome: FailureOutcome, text: str) -> None:
        wall_s = 0.0 if attempt.started is None else time.time() - attempt.started
        first = (text.strip().splitlines() or [outcome])[0]
        self._finish(attempt, None, Failure(outcome, first), wall_s)

    def _finish(
        self, attempt: _Attempt, value: Any, failure: Failure | None, wall_s: float
    ) -> None:
        unit = attempt.unit
        self._release(unit)
        self._ready_keys.add(unit.key)
        self._ready.append(Done(unit, value, failure, attempt.number, attempt.worker, wall_s))

    def _release(self, unit: Unit) -> None:
        """Forget a task, its result with it, and send what waits for its slot."""
        del self._running[unit.key]
        self._fill()

    def _fill(self) -> None:
        while self._backlog and (self._limit is None or len(self._running) < self._limit):
            unit, shared = self._backlog.popleft()
            self._send(unit, shared, 1)

    def _raise(self, attempt: _Attempt, cause: Exception, trace: str) -> None:
        """Have ``next_done`` raise for this unit, with the worker's traceback as a note."""
        self._release(attempt.unit)
        if trace:
            cause.add_note(trace)
        error = work_error(attempt.unit, cause)
        error.__cause__ = cause
        self._ready.append(error)
