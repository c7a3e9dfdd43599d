"""Bisection ends, finds the boundary, and notices where killing is not monotone."""

import math
from collections.abc import Callable

import pytest
from faultloom.generator.search import Bisection, Ended
from faultloom.operators.base import Range
from hypothesis import given
from hypothesis import strategies as st

PERCENT = Range(0.0, 100.0, "linear", "increasing", 5.0)
RATE = Range(1e-6, 1e-3, "log", "decreasing", 1.25)
EPOCHS = Range(1, 20, "linear", "decreasing", 1, integer=True)


def search(
    space: Range, killed: Callable[[float], bool], width: int = 1
) -> tuple[Ended, dict[float, bool], int]:
    tried: dict[float, bool] = {}
    for rounds in range(200):
        found = Bisection().next_values(space, tried, width)
        if isinstance(found, Ended):
            return found, tried, rounds
        assert found and len(set(found)) == len(found) and not set(found) & set(tried)
        assert all(space.low <= value <= space.high for value in found)
        tried |= {value: killed(value) for value in found}
    raise AssertionError("the search does not end")


@pytest.mark.parametrize("width", [1, 2, 4, 7])
@pytest.mark.parametrize("threshold", [0.1, 3.0, 12.5, 42.0, 77.7, 99.0])
def test_the_boundary_of_a_monotone_killing_is_bracketed(threshold: float, width: int) -> None:
    found, tried, _ = search(PERCENT, lambda value: value >= threshold, width)
    assert (found.state, found.monotone) == ("found", True)
    assert found.killed is not None and found.killed >= threshold
    survived = 0.0 if found.survived is None else found.survived
    assert survived < threshold and found.killed - survived <= 5.0
    assert len(tried) <= 16


def test_a_search_downwards_by_ratios() -> None:
    found, tried, _ = search(RATE, lambda value: value <= 3.3e-5)
    assert found.killed is not None and found.survived is not None
    assert found.killed <= 3.3e-5 < found.survived <= 1.25 * found.killed
    assert len(tried) <= 9


def test_whole_numbers_stay_whole() -> None:
    found, tried, _ = search(EPOCHS, lambda value: value <= 7)
    assert (found.killed, found.survived) == (7.0, 8.0)
    assert all(value == int(value) for value in tried)


def test_nothing_more_is_tried_when_the_most_aggressive_value_survives() -> None:
    found, tried, _ = search(PERCENT, lambda value: False)
    assert found == Ended("not_killable", None, 100.0, monotone=True)
    assert tried == {100.0: False}


def test_everything_killed_ends_at_the_mild_end() -> None:
    found, _, _ = search(PERCENT, lambda value: True)
    assert found.state == "found" and found.survived is None
    assert found.killed is not None and found.killed <= 5.0


def test_several_values_at_once_take_fewer_rounds() -> None:
    alone, together = (search(PERCENT, lambda v: v >= 30.0, width)[2] for width in (1, 4))
    assert together <= alone / 2


def test_a_survivor_among_killed_values_moves_the_bracket_beyond_it() -> None:
    found, tried, _ = search(PERCENT, lambda value: value >= 20.0 and not 30.0 < value < 45.0, 7)
    assert any(30.0 < value < 45.0 for value in tried)
    assert found.killed is not None and found.survived is not None
    assert found.killed >= 45.0 > found.survived > 30.0
    assert not found.monotone


def test_a_killed_value_before_the_bracket_is_noticed() -> None:
    found, tried, _ = search(PERCENT, lambda value: value >= 53.0 or 38.0 < value < 44.0)
    assert (found.killed, found.survived) == (53.12, 50.0)
    assert not found.monotone and any(38.0 < value < 44.0 for value in tried)


@given(
    st.floats(1e-6, 0.4),
    st.floats(1.0001, 10.0),
    st.sampled_from(["linear", "log"]),
    st.sampled_from(["increasing", "decreasing"]),
    st.booleans(),
    st.integers(1, 5),
    st.integers(0, 2**64 - 1),
)
def test_every_search_ends(
    low: float, ratio: float, scale: str, direction: str, integer: bool, width: int, seed: int
) -> None:
    if integer:
        low, high = math.ceil(low * 10), math.ceil(low * 10) + math.ceil(ratio * 10)
    else:
        low, high = low, low * (1 + ratio)
    precision = 1.1 if scale == "log" else (high - low) / 16
    space = Range(low, high, scale, direction, precision, integer)  # type: ignore[arg-type]
    found, tried, _ = search(space, lambda value: bool(seed >> (hash(value) % 64) & 1), width)
    aggressive = high if direction == "increasing" else low
    assert (found.state == "not_killable") == (not tried[aggressive])
    if found.killed is not None:
        beyond = [
            v for v in tried if (v - found.killed) * (1 if direction == "increasing" else -1) >= 0
        ]
        assert all(tried[value] for value in beyond)
