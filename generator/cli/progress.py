"""A progress bar on a terminal, plain lines elsewhere; always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ..campaign import Progress as Done

_LINE_EVERY_S = 10.0


@contextmanager
def progress(what: str) -> Iterator[Callable[[Done], None]]:
    """Yield a function that is told how far the work is."""
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None, rate="")
        rate = _Rate()

        def report(done: Done) -> None:
            bar.update(
                task,
                completed=done.trainings,
                total=done.planned_trainings,
                rate=rate.text(done.trainings),
            )

        yield report


class _Rate:
    def __init__(self) -> None:
        self.start: tuple[float, int] | None = None

    def text(self, finished: int) -> str:
        now = time.monotonic()
        if self.start is None:
            self.start = (now, finished)
        seconds, count = now - self.start[0], finished - self.start[1]
        return f"{count / seconds:.1f}/s" if seconds > 1 and count else ""


def _lines(what: str) -> Callable[[Done], None]:
    rate = _Rate()
    last = -_LINE_EVERY_S

    def report(done: Done) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _LINE_EVERY_S and done.trainings < done.planned_trainings:
            return
        last = now
        sys.stderr.write(
            f"{what}: {done.trainings} of {done.planned_trainings} "
            f"({done.units} of {done.planned_units} units) {rate.text(done.trainings)}\n"
        )
        sys.stderr.flush()

    return report
