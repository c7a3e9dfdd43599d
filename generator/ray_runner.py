"""The runner on Ray Core: one task for each unit, on this machine or on a cluster.

A crashed or lost attempt is submitted again and counted here, up to ``max_attempts``; an overrun
deadline or exhausted memory ends the unit at once. Every attempt has a deadline of its own.
Deadlines are enforced inside ``next_done`` only: a unit that ends late while nobody waits keeps
its value. A unit that has not started while nothing of this runner runs is given up as ``lost``
in the end.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from typing import Any

import numpy as np

from ..datasets.errors import RunnerError
from .ray_attempts import START_LIMIT_S, Attempt, never_started, overrun, patience
from .ray_cluster import connect, cpus, import_ray
from .ray_task import Ended, Raised, next_answer, remote_task
from .runner import (
    Arrays,
    Done,
    Failure,
    Runner,
    Unit,
    check_submission,
    nothing_pending,
    read_only,
    work_error,
)

__all__ = ["RayRunner"]


class RayRunner(Runner):
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
        self._running: dict[str, Attempt] = {}
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
            if self._address is not None or self._ray is not None or import_ray().is_initialized():
                # Not a limit: others may come and go, and Ray itself queues.
                self._slots = max(1, int(self._started().cluster_resources().get("CPU", 1)))
            else:
                self._slots = cpus()
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

    def _started(self) -> Any:
        """Ray, connected; whatever was shared until now is put into its store."""
        if self._ray is not None:
            return self._ray
        ray = import_ray()
        if not ray.is_initialized():
            size = sum(a.nbytes for s in self._waiting.values() for a in s.values())
            connect(ray, self._address, self._slots or cpus(), size)
            self._owned = True
        self._task = remote_task(ray, self._max_calls)
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
        self._running[unit.key] = Attempt(unit, shared, stream, number, time.time())

    def _kill(self, attempt: Attempt) -> None:
        try:
            self._ray.cancel(attempt.stream, force=True)
        except Exception as error:  # it is gone already, or the cluster is
            logging.getLogger(__name__).debug("cancelling %s: %s", attempt.unit.key, error)

    def _poll(self) -> None:
        """Wait for something to happen, for a moment at most, and take note of it."""
        by_stream = {attempt.stream: attempt for attempt in self._running.values()}
        streams = list(by_stream)
        wait = patience(self._running.values(), self._deadline_s, time.time())
        happened, _ = self._ray.wait(streams, num_returns=1, timeout=wait)
        if happened and len(streams) > 1:
            happened, _ = self._ray.wait(streams, num_returns=len(streams), timeout=0)
        for stream in happened:
            self._last_event = time.time()
            self._advance(by_stream[stream])
        self._enforce()

    def _advance(self, attempt: Attempt) -> None:
        """Take the next item of a task: its start, its value or its end."""
        answer = next_answer(self._ray, attempt.stream)
        if isinstance(answer, Raised):
            self._raise(attempt, answer)
        elif isinstance(answer, Ended):
            if answer.again and attempt.number < self._max_attempts:
                self._send(attempt.unit, attempt.shared, attempt.number + 1)
            else:
                self._fail(attempt, answer.failure)
        elif attempt.started is None:
            worker, at = answer
            attempt.start(worker, at, time.time())
        else:
            value, wall_s = answer
            self._finish(attempt, value, None, wall_s)

    def _enforce(self) -> None:
        """End what has overrun its deadline, and what will never start."""
        now = time.time()
        running = self._running.values()
        waits = f"not started within {START_LIMIT_S:g} s"
        for attempt in never_started(running, self._last_event, now):
            self._kill(attempt)
            self._fail(attempt, Failure("lost", waits))
        for attempt in overrun(running, self._deadline_s, now):
            if self._ray.wait([attempt.stream], timeout=0)[0]:
                continue  # it ended while nobody asked: the next poll takes what it brought
            self._kill(attempt)
            late = f"ran past its deadline of {self._deadline_s:g} s"
            self._fail(attempt, Failure("timed_out", late))

    def _fail(self, attempt: Attempt, failure: Failure) -> None:
        self._finish(attempt, None, failure, attempt.wall_s(time.time()))

    def _finish(self, attempt: Attempt, value: Any, failure: Failure | None, wall_s: float) -> None:
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

    def _raise(self, attempt: Attempt, raised: Raised) -> None:
        """Have ``next_done`` raise for this unit, with the worker's traceback as a note."""
        self._release(attempt.unit)
        if raised.trace:
            raised.cause.add_note(raised.trace)
        error = work_error(attempt.unit, raised.cause)
        error.__cause__ = raised.cause
        self._ready.append(error)
