"""Searches over parameters, replayed from how their values ended."""

import json
import math
from collections.abc import Callable

import pytest
from faultloom.generator.killing import Verdict
from faultloom.generator.quests import AT_ONCE, Found, Quest, course, quests
from faultloom.generator.search import SEARCHES
from faultloom.generator.verdicts import Outcome
from faultloom.operators.base import Mutation
from faultloom.operators.cases import small_program

PROGRAM = small_program()


def quest(code: str) -> Quest:
    (found,) = quests(PROGRAM, [code], limit=None, seed=0)
    return found


def ended(killed: bool, effect: float = 1.0) -> Outcome:
    decision = "killed" if killed else "survived"
    verdict = Verdict("welch", decision, "ok", 0.01, effect, 0.025, 20, 10, "")  # type: ignore[arg-type]
    return Outcome(decision, verdict, "")


def answers(parameter: str, kills: Callable[[float], bool]) -> Callable[[Mutation], Outcome]:
    return lambda mutation: ended(kills(mutation.parameters[parameter]))


def test_operators_without_a_range_are_not_searched() -> None:
    assert list(quests(PROGRAM, ["ACH", "LCH"], limit=None, seed=0)) == []


def test_what_is_searched_is_one_parameter_at_one_site() -> None:
    found = quest("TCL")
    assert (found.parameter, found.site.slot) == ("percentage", "/transforms")
    assert found.mutation(12.5).parameters == {"percentage": 12.5, "task": "classification"}
    assert isinstance(quest("HNE").mutation(3.0).parameters["epochs"], int)


@pytest.mark.parametrize("limit", [1, 2])
def test_a_limit_draws_sites(limit: int) -> None:
    every = list(quests(PROGRAM, ["TCL", "HNE"], limit=None, seed=0))
    drawn = list(quests(PROGRAM, ["TCL", "HNE"], limit=limit, seed=0))
    assert [one.code for one in drawn] == ["TCL", "HNE"]
    assert all(one in every for one in drawn)


def test_a_search_waits_for_several_values_at_once() -> None:
    found = course(quest("TCL"), SEARCHES["bisection"], PROGRAM, lambda mutation: None)
    assert found.end is None
    assert len(found.waiting) == AT_ONCE and found.waiting[0] == 100.0


def test_a_search_goes_on_from_what_is_known_and_ends() -> None:
    known = answers("percentage", lambda value: value >= 40.0)
    found = course(quest("TCL"), SEARCHES["bisection"], PROGRAM, known)
    assert found.end is not None and found.end.killed is not None
    assert 40.0 <= found.end.killed <= 45.0 and not found.waiting
    assert found.candidates[0] == found.end.killed and found.candidates[-1] == 100.0
    assert list(found.candidates) == sorted(found.candidates)


def test_downwards_the_mildest_candidate_is_the_largest() -> None:
    known = answers("epochs", lambda value: value <= 5)
    found = course(quest("HNE"), SEARCHES["bisection"], PROGRAM, known)
    assert found.candidates[0] == 5.0 and found.candidates[-1] == 1.0
    assert list(found.candidates) == sorted(found.candidates, reverse=True)


def test_where_nothing_kills_the_most_aggressive_value_is_the_candidate() -> None:
    known = answers("epochs", lambda value: False)
    found = course(quest("HNE"), SEARCHES["bisection"], PROGRAM, known)
    assert found.end is not None and found.end.state == "not_killable"
    assert found.candidates == (1.0,)


@pytest.mark.parametrize("name", ["incompetent", "unfinished", "undecided"])
def test_what_was_not_decided_does_not_kill(name: str) -> None:
    found = course(
        quest("HNE"), SEARCHES["deepcrime"], PROGRAM, lambda mutation: Outcome(name, None, "why")
    )
    assert found.end is not None and found.end.state == "not_killable"


def test_a_value_that_changes_nothing_survives_untrained() -> None:
    asked: list[float] = []
    whole = Quest("HNE", quest("HNE").site, "epochs", quest("HNE").space, {})

    def known(mutation: Mutation) -> Outcome:
        asked.append(mutation.parameters["epochs"])
        return ended(True)

    class TryPresent:
        def next_values(self, space, tried, width):  # type: ignore[no-untyped-def]
            rule = SEARCHES["bisection"]
            return (1.0, 20.0) if not tried else rule.next_values(space, tried, width)

    found = course(whole, TryPresent(), PROGRAM, known)
    assert 20 not in asked
    assert [step.killed for step in found.steps if step.value == 20.0] == [False]


def test_the_record_of_a_search_is_plain_json() -> None:
    known = answers("percentage", lambda value: value >= 40.0)
    done = course(quest("TCL"), SEARCHES["deepcrime"], PROGRAM, known)
    record = json.loads(Found(quest("TCL"), done, "deepcrime").to_json())
    assert record["method"] == "deepcrime" and record["parameter"] == "percentage"
    assert (record["bounds"], record["precision"]) == ([0.0, 100.0], 5.0)
    assert (record["killed"], record["survived"], record["monotone"]) == (40.625, 37.5, True)
    assert record["steps"][0] == {
        "value": 100.0,
        "outcome": "killed",
        "p": 0.01,
        "effect_size": 1.0,
        "n": 10,
    }


def test_an_infinite_effect_is_stored_as_text() -> None:
    done = course(
        quest("HNE"), SEARCHES["deepcrime"], PROGRAM, lambda mutation: ended(False, -math.inf)
    )
    (step,) = json.loads(Found(quest("HNE"), done, "deepcrime").to_json())["steps"]
    assert step["effect_size"] == "-inf"
