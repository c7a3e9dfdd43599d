"""DeepCrime's search, step by step."""

from collections.abc import Callable

from faultloom.generator.search import DeepCrimeSearch, Ended
from faultloom.operators.base import Range

PERCENT = Range(0.0, 100.0, "linear", "increasing", 5.0)


def search(space: Range, killed: Callable[[float], bool]) -> tuple[Ended, list[float]]:
    tried: dict[float, bool] = {}
    for _ in range(100):
        found = DeepCrimeSearch().next_values(space, tried, 4)
        if isinstance(found, Ended):
            return found, list(tried)
        (value,) = found
        tried[value] = killed(value)
    raise AssertionError("the search does not end")


def test_percentages_take_six_configurations() -> None:
    found, order = search(PERCENT, lambda value: value >= 10.0)
    assert order == [100.0, 50.0, 25.0, 12.5, 6.25, 9.375]
    assert found == Ended("found", 12.5, 9.375, monotone=True)


def test_the_most_aggressive_value_alone_decides_on_killability() -> None:
    found, order = search(PERCENT, lambda value: value < 60)
    assert order == [100.0]
    assert found == Ended("not_killable", None, 100.0, monotone=True)


def test_a_recursion_that_never_ends_in_the_published_tool_ends() -> None:
    epochs = Range(1, 12, "linear", "decreasing", 0.5, integer=True)
    found, order = search(epochs, lambda value: value <= 4)
    assert (found.killed, found.survived) == (4.0, 5.0)
    assert order[0] == 1.0 and len(order) <= 6


def test_a_survivor_that_bisection_passed_by_is_reported_as_not_monotone() -> None:
    found, order = search(PERCENT, lambda value: value >= 6.25 and value != 50.0)
    assert order[:2] == [100.0, 50.0]
    assert found.killed is not None and found.killed > 50.0 and found.survived is not None
    assert found.monotone


def test_a_learning_rate_is_halved_on_a_linear_scale() -> None:
    rate = Range(1e-6, 1e-3, "log", "decreasing", 1.25)
    found, order = search(rate, lambda value: value <= 4e-4)
    assert order[:2] == [1e-6, (1e-3 + 1e-6) / 2]
    assert found.killed is not None and found.survived is not None
    assert found.killed <= 4e-4 < found.survived <= found.killed + 0.2e-3
