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
    while True:
        while runner.pending() < 2 * runner.slots:
            in_time = deadline is None or time.monotonic() < deadline
            # Taken only when there is room: what a unit is told may depend on what ended before.
            unit = next(waiting, None) if in_time else None
            if unit is None:
                break
            runner.submit(unit)
        if not runner.pending():
            return
        yield runner.next_done()
