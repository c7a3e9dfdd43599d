"""Mutation scores, sensitivity and killability on cases worked by hand."""

import pytest
from faultloom.generator.scores.mutation_score import (
    aggressiveness,
    is_monotone,
    killability,
    least_killed,
    published_range_score,
    published_set_score,
    published_total_score,
    range_score,
    sensitivity,
    set_score,
    total_score,
)
from faultloom.operators.base import Range

PERCENT = Range(0.0, 99.0)
RATE = Range(0.00001, 0.01, "log", "decreasing")


def place(percentage: float) -> float:
    return aggressiveness(percentage, PERCENT, linear=True)


def test_deepcrimes_example() -> None:
    """Rows deleted up to 99 %: killed from 10 % on by training data, from 25 % on by the tests."""
    for score in (range_score, published_range_score):
        assert score(place(10), place(25)) == pytest.approx(0.74 / 0.89, abs=2e-6)


def test_places_on_a_range() -> None:
    assert [place(0), place(99)] == [0.0, 1.0]
    assert aggressiveness(0.001, RATE, linear=False) == pytest.approx(1 / 3, abs=1e-6)
    expected = 0.009 / 0.00999
    assert aggressiveness(0.001, RATE, linear=True) == pytest.approx(expected, abs=1e-6)
    assert aggressiveness(0.00001, RATE, linear=False) == 1.0
    assert aggressiveness(0.0000100000003, RATE, linear=False) == 1.0
    assert aggressiveness(0.01, RATE, linear=False) == 0.0


@pytest.mark.parametrize(
    ("train", "test", "corrected", "published"),
    [
        (None, None, None, None),
        (None, 0.5, None, None),
        (0.5, None, 0.0, 0.0),
        (0.5, 0.75, 0.5, 0.5),
        (0.5, 0.5, 1.0, 1.0),
        (0.5, 0.25, 1.0, 1.0),  # clamped
        (0.0, 1.0, 0.0, 0.0),
        (1.0, 1.0, 1.0, 1.0),
        (1.0, 0.5, 0.0, None),  # the code leaves it out
        (1.0, None, 0.0, 1.0),  # and calls this a success
    ],
)
def test_scores_of_a_range(
    train: float | None, test: float | None, corrected: float | None, published: float | None
) -> None:
    assert range_score(train, test) == corrected
    assert published_range_score(train, test) == published


def test_the_least_aggressive_kill_and_whether_the_search_may_trust_it() -> None:
    killed = {0.1: False, 0.3: True, 0.5: False, 1.0: True}
    assert least_killed(killed) == 0.3
    assert not is_monotone(killed)
    assert is_monotone(killed | {0.5: True})
    assert least_killed({0.1: False}) is None
    assert is_monotone({0.1: False})
    assert least_killed({}) is None


def test_scores_of_a_set() -> None:
    train, test = {"a", "b", "c", "d"}, {"b", "c", "x"}
    assert set_score(train, test) == published_set_score(train, test) == 0.5
    assert set_score(train, test, {"a", "x"}) == pytest.approx(2 / 3)
    assert set_score(set(), test) is published_set_score(set(), test) is None
    assert set_score({"a"}, {"a"}, {"a"}) is None
    assert published_set_score({"a"}, {"a"}, {"a"}) == 0.0


def test_totals() -> None:
    scores = [1.0, 0.5, None, 0.0]
    assert total_score(scores) == 0.5
    assert total_score([None]) is None
    assert published_total_score(scores, [0.0, 0.3, 0.0, 0.0]) == 0.5
    assert published_total_score(scores, [1.0, 1.0, 1.0, 2.0]) == 0.0


def test_sensitivity_is_what_a_weak_set_loses() -> None:
    assert sensitivity(0.8, 0.2) == pytest.approx(0.75)
    assert sensitivity(0.5, 0.75) == -0.5
    assert sensitivity(0.0, 0.5) is sensitivity(None, 0.5) is sensitivity(0.5, None) is None


def test_killability() -> None:
    assert killability(place(24.75)) == pytest.approx(0.75)
    assert killability(0.0) == 1.0
    assert killability(1.0) == 0.01
    assert killability(None) is None
