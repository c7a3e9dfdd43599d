"""Keep a runner busy without handing it everything at once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from .runner import Done, Runner, Unit


def windowed(units: Iterable[Unit], runner: Runner, budget_s: float | None) -> Iterator[Done]:
    """Submit units, about twice as many as run at once, and yield them as they finish.

    Args:
        units: in the order of submission; taken one by one.
        runner: where they run.
        budget_s: seconds after which nothing more is submitted, None for no limit.
    """
    deadline = None if budget_s is None else time.monotonic() + budget_s
    waiting = iter(units)
    upcoming = next(waiting, None)
    while True:
        in_time = deadline is None or time.monotonic() < deadline
        while upcoming and in_time and runner.pending() < 2 * runner.slots:
            runner.submit(upcoming)
            upcoming = next(waiting, None)
        if not runner.pending():
            return
        yield runner.next_done()
