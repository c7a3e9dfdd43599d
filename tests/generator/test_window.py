"""Units go to the runner a few at a time, and a budget stops between them."""

import time
from collections import deque
from collections.abc import Iterator

import pytest
from faultloom.generator.runner import Done, Unit
from faultloom.generator.window import windowed

UNITS = [Unit(f"u{n}", "m:f", n, "x") for n in range(7)]


class Counting:
    """A runner that returns its units in order and remembers how many were pending."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.queue: deque[Unit] = deque()
        self.most = 0

    def submit(self, unit: Unit) -> None:
        self.queue.append(unit)
        self.most = max(self.most, len(self.queue))

    def pending(self) -> int:
        return len(self.queue)

    def next_done(self) -> Done:
        return Done(self.queue.popleft(), None, None, 1, "here", 0.0)


@pytest.mark.parametrize("slots", [1, 2, 3, 10])
def test_everything_is_done_and_at_most_twice_the_slots_are_pending(slots: int) -> None:
    runner = Counting(slots)
    found = [done.unit for done in windowed(UNITS, runner, None)]  # type: ignore[arg-type]
    assert found == UNITS
    assert runner.most == min(2 * slots, len(UNITS))


def test_units_are_taken_when_they_are_needed() -> None:
    taken = []

    def units() -> Iterator[Unit]:
        for unit in UNITS:
            taken.append(unit)
            yield unit

    running = windowed(units(), Counting(1), None)  # type: ignore[arg-type]
    assert taken == []
    next(running)
    assert len(taken) == 2


def test_nothing_to_do_ends_at_once() -> None:
    assert list(windowed([], Counting(2), None)) == []  # type: ignore[arg-type]


def test_after_the_budget_only_what_runs_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    running = windowed(UNITS, Counting(1), 5.0)  # type: ignore[arg-type]
    assert next(running).unit == UNITS[0]
    now = 104.9
    assert next(running).unit == UNITS[1]
    now = 105.0
    assert [done.unit for done in running] == UNITS[2:3]


def test_a_budget_that_is_used_up_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 1.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    runner = Counting(1)
    assert list(windowed(UNITS, runner, 1.0)) == []  # type: ignore[arg-type]
    assert runner.most == 0
