"""Searches over the parameters of operators, as functions of how their values ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..datasets.errors import NotApplicable
from ..datasets.program import Json, TrainingProgram
from ..operators.base import Mutation, Operator, Range, Site
from ..operators.registry import operator
from .killing import Verdict
from .search import Ended, Search
from .verdicts import KILLED, Outcome

AT_ONCE = 3
"""Values that a search tries at once: the same everywhere, so that a search can be repeated."""


@dataclass(frozen=True)
class Quest:
    """The search for the mildest value of one parameter at one site that kills.

    Args:
        code: of the operator.
        site: where.
        parameter: name of the one that is searched.
        space: its values.
        others: the other parameters.
    """

    code: str
    site: Site
    parameter: str
    space: Range
    others: Json

    def mutation(self, value: float) -> Mutation:
        """Return the mutation with a value of the parameter."""
        given = round(value) if self.space.integer else value
        return Mutation(self.code, self.site, {**self.others, self.parameter: given})


@dataclass(frozen=True)
class Step:
    """A value that was tried, and how it ended; ``outcome`` is None for the clean program."""

    value: float
    outcome: Outcome | None

    @property
    def killed(self) -> bool:
        """Whether the value kills."""
        return self.outcome is not None and self.outcome.name in KILLED


@dataclass(frozen=True)
class Course:
    """How far a search is.

    Args:
        steps: what was tried, in order.
        waiting: values whose trainings are wanted; empty at the end.
        end: what was found; None before the end.
    """

    steps: tuple[Step, ...]
    waiting: tuple[float, ...] = ()
    end: Ended | None = None

    @property
    def candidates(self) -> tuple[float, ...]:
        """Values to confirm: those from the mildest that kills on, else the most aggressive."""
        assert self.end is not None
        aggressive, killed = self.steps[0].value, self.end.killed
        if killed is None:
            return (aggressive,)
        low, high = sorted((killed, aggressive))
        beyond = (step.value for step in self.steps if low <= step.value <= high)
        return tuple(sorted(beyond, reverse=killed > aggressive))


@dataclass(frozen=True)
class Found:
    """The result of a search, which mutants that confirm it carry.

    Args:
        quest: what was searched.
        course: how.
        method: name of the search.
    """

    quest: Quest
    course: Course
    method: str
    killed: bool = field(init=False)

    def __post_init__(self) -> None:
        assert self.course.end is not None
        object.__setattr__(self, "killed", self.course.end.state == "found")

    def to_json(self) -> str:
        """Return what the column ``search`` of ``mutants`` holds."""
        end, space = self.course.end, self.quest.space
        assert end is not None
        return json.dumps(
            {
                "method": self.method,
                "parameter": self.quest.parameter,
                "bounds": [space.low, space.high],
                "scale": space.scale,
                "direction": space.direction,
                "precision": space.precision,
                "state": end.state,
                "killed": end.killed,
                "survived": end.survived,
                "monotone": end.monotone,
                "steps": [_step(step) for step in self.course.steps],
            },
            sort_keys=True,
        )


def _step(step: Step) -> dict[str, Any]:
    outcome = step.outcome
    verdict: Verdict | None = None if outcome is None else outcome.verdict
    return {
        "value": step.value,
        "outcome": "clean" if outcome is None else outcome.name,
        "p": None if verdict is None else verdict.p_value,
        "effect_size": None if verdict is None else _finite(verdict.effect_size),
        "n": 0 if verdict is None else verdict.n_faulty,
    }


def _finite(value: float | None) -> float | str | None:
    """JSON has no infinity."""
    return value if value is None or np.isfinite(value) else str(value)


def quests(
    program: TrainingProgram, codes: Sequence[str], *, limit: int | None, seed: int
) -> Iterator[Quest]:
    """Go through the searches that a program allows.

    Args:
        program: the clean one.
        codes: operator codes.
        limit: largest number of searches for each operator, drawn from all sites; None is all.
        seed: of the draw.
    """
    for code in codes:
        found = list(_of_operator(operator(code), program))
        if limit is not None and len(found) > limit:
            rng = np.random.default_rng([seed, *code.encode()])
            found = [found[i] for i in sorted(rng.permutation(len(found))[:limit])]
        yield from found


def _of_operator(chosen: Operator, program: TrainingProgram) -> Iterator[Quest]:
    for site in chosen.sites(program):
        for parameter, space in chosen.ranges(program, site).items():
            first = next(iter(chosen.candidates(program, site)), None)
            if first is not None and space.low < space.high:
                others = {name: value for name, value in first.items() if name != parameter}
                yield Quest(chosen.code, site, parameter, space, others)


def course(
    quest: Quest,
    rule: Search,
    program: TrainingProgram,
    outcome_of: Callable[[Mutation], Outcome | None],
) -> Course:
    """Replay a search up to the first values whose trainings are missing.

    Args:
        quest: what to search.
        rule: that says which values are next.
        program: the clean one; a value that leaves it as it is survives untrained.
        outcome_of: how a mutation ended, or None where that is not known yet.
    """
    steps: list[Step] = []
    while True:
        tried = {step.value: step.killed for step in steps}
        following = rule.next_values(quest.space, tried, AT_ONCE)
        if isinstance(following, Ended):
            return Course(tuple(steps), end=following)
        waiting = []
        for value in following:
            mutation = quest.mutation(value)
            if not _changes(program, mutation):
                steps.append(Step(value, None))
            elif (outcome := outcome_of(mutation)) is None:
                waiting.append(value)
            else:
                steps.append(Step(value, outcome))
        if waiting:
            return Course(tuple(steps), waiting=tuple(waiting))


def _changes(program: TrainingProgram, mutation: Mutation) -> bool:
    try:
        operator(mutation.code).apply(program, mutation.site, mutation.parameters)
    except NotApplicable:
        return False
    return True
