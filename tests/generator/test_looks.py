"""A mutant is trained look by look, and no further than its decision needs."""

import pytest
from faultloom.generator.killing import Sequential, Welch
from faultloom.generator.looks import next_look, until_decided

CLEAN = [0.90 + 0.001 * k for k in range(40)]
OPEN = [0.905, 0.915, 0.912, 0.908]


def trained(
    scores: list[float], clean: list[float] | None, before: int = 0
) -> tuple[list[float], list[tuple[int, int]]]:
    calls: list[tuple[int, int]] = []

    def train(first: int, end: int) -> list[float]:
        calls.append((first, end))
        return scores[first:end]

    found = until_decided(train, float, Sequential(), clean, scores[:before], higher_is_better=True)
    return found, calls


def test_a_clear_case_ends_at_the_first_look() -> None:
    found, calls = trained([0.1] * 20, CLEAN)
    assert (found, calls) == ([0.1] * 4, [(0, 4)])


def test_an_open_case_goes_on_to_the_next_look() -> None:
    found, calls = trained([*OPEN, *[0.5] * 16], CLEAN)
    assert (found, calls) == ([*OPEN, 0.5, 0.5], [(0, 4), (4, 6)])


def test_without_clean_runs_one_look_is_trained() -> None:
    assert trained([*OPEN, *[0.5] * 16], None)[1] == [(0, 4)]


def test_runs_from_before_count_and_are_not_trained_again() -> None:
    found, calls = trained([*OPEN, *[0.5] * 16], CLEAN, before=4)
    assert (found, calls) == ([0.5, 0.5], [(4, 6)])
    assert trained([*OPEN, *[0.5] * 16], None, before=4)[1] == [(4, 6)]


def test_a_criterion_of_one_look_trains_all_runs_at_once() -> None:
    calls: list[tuple[int, int]] = []

    def train(first: int, end: int) -> list[float]:
        calls.append((first, end))
        return [0.1] * (end - first)

    rule = Welch(n_clean=4, n_faulty=5)
    until_decided(train, float, rule, CLEAN[:4], (), higher_is_better=True)
    assert calls == [(0, 5)]


def test_the_next_look() -> None:
    assert [next_look(Sequential(), runs) for runs in (0, 3, 4, 14)] == [4, 4, 6, 20]
    with pytest.raises(StopIteration):
        next_look(Sequential(), 20)
