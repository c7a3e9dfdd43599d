"""Which attempts have waited too long; times are given, so that nothing waits here."""

import pytest
from faultloom.generator.ray_attempts import (
    START_LIMIT_S,
    Attempt,
    never_started,
    overrun,
    patience,
)
from faultloom.generator.runner import Unit


def attempt(submitted: float, started: float | None = None) -> Attempt:
    return Attempt(Unit("u", "m:f", None, "x"), None, None, 1, submitted, started)


@pytest.mark.parametrize(
    ("reported", "noted"), [(105.0, 105.0), (90.0, 100.0), (500.0, 110.0)], ids=["", "slow", "fast"]
)
def test_a_start_lies_between_submission_and_report(reported: float, noted: float) -> None:
    one = attempt(100.0)
    assert one.wall_s(110.0) == 0.0
    one.start("node/7", reported, 110.0)
    assert (one.started, one.worker) == (noted, "node/7")
    assert one.wall_s(120.0) == 120.0 - noted


def test_patience_ends_at_the_next_deadline() -> None:
    running = [attempt(0.0, 10.0), attempt(0.0, 10.5), attempt(0.0)]
    assert patience(running, 5.0, 14.25) == 0.75
    assert patience(running, 5.0, 11.0) == 1.0
    assert patience(running, 5.0, 99.0) == 0.01
    assert patience(running, None, 99.0) == 1.0
    assert patience([attempt(0.0)], 5.0, 99.0) == 1.0


def test_an_overrun_counts_from_the_start() -> None:
    late, early, queued = attempt(0.0, 10.0), attempt(0.0, 12.0), attempt(0.0)
    assert overrun([late, early, queued], 5.0, 15.0) == ()
    assert overrun([late, early, queued], 5.0, 15.1) == (late,)
    assert overrun([late, early, queued], None, 1e9) == ()


def test_a_unit_never_starts_when_nothing_runs_and_nothing_happens() -> None:
    first, second = attempt(0.0), attempt(50.0)
    assert never_started([first, second], 0.0, START_LIMIT_S) == ()
    assert never_started([first, second], 0.0, START_LIMIT_S + 1) == (first,)
    assert never_started([first, second], 0.0, START_LIMIT_S + 51) == (first, second)
    assert never_started([first], 20.0, START_LIMIT_S + 1) == ()
    assert never_started([first, attempt(0.0, 1.0)], 0.0, 1e9) == ()
