"""Attempts at units, as the driver keeps them, and which of them have waited too long.

The deadline of a unit counts from its start as its worker reports it (clipped to the time between
submission and the report, should the clocks disagree); time in the queue is free.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from .runner import Unit

__all__ = ["START_LIMIT_S", "Attempt", "never_started", "overrun", "patience"]

START_LIMIT_S: Final = 1800.0
"""Seconds without any start after which a unit that waits for one is given up."""

_POLL_S: Final = 1.0
_SHORTEST_S: Final = 0.01


@dataclass(slots=True)
class Attempt:
    """One try at a unit; times are seconds since the epoch.

    Args:
        unit: what is tried.
        shared: reference to its arrays.
        stream: what its task yields.
        number: from 1.
        submitted: when it was handed to Ray.
        started: when its worker began; None while it waits.
        worker: ``node/process id``, once it has started.
    """

    unit: Unit
    shared: Any
    stream: Any
    number: int
    submitted: float
    started: float | None = None
    worker: str = ""

    def start(self, worker: str, at: float, now: float) -> None:
        """Note the start that a worker reports, by its own clock."""
        self.worker = worker
        self.started = min(max(at, self.submitted), now)

    def wall_s(self, now: float) -> float:
        """Seconds since it started."""
        return 0.0 if self.started is None else now - self.started


def patience(attempts: Collection[Attempt], deadline_s: float | None, now: float) -> float:
    """Seconds to wait for news: until the next deadline, and never longer than a moment."""
    starts = [attempt.started for attempt in attempts if attempt.started is not None]
    if deadline_s is None or not starts:
        return _POLL_S
    return max(_SHORTEST_S, min(_POLL_S, min(starts) + deadline_s - now))


def overrun(
    attempts: Collection[Attempt], deadline_s: float | None, now: float
) -> tuple[Attempt, ...]:
    """The attempts that run for longer than the deadline."""
    if deadline_s is None:
        return ()
    return tuple(attempt for attempt in attempts if attempt.wall_s(now) > deadline_s)


def never_started(
    attempts: Collection[Attempt], last_event: float, now: float
) -> tuple[Attempt, ...]:
    """The attempts that wait in vain: nothing runs, and nothing has happened for too long."""
    if any(attempt.started is not None for attempt in attempts):
        return ()
    return tuple(
        attempt for attempt in attempts if now - max(attempt.submitted, last_event) > START_LIMIT_S
    )
