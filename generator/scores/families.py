"""What test sets say of a mutant, and mutants of an operator grouped as a mutation score wants."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...datasets.errors import ConfigError
from ...datasets.program import TrainingProgram
from ...operators.base import Operator, Range
from ...operators.registry import operator
from ..killing import Verdict
from .mutation_score import aggressiveness

Row = Mapping[str, Any]

SEARCHED = frozenset({"HLR", "HNE", "RCP", "TAN", "TCL", "TCO", "TRD", "TUD"})
"""Codes of the operators that DeepCrime searches; it tries all values of the others."""

_DECISIONS = {"killed": True, "survived": False}
_SLACK = 1e-5
"""Relative distance by which a value written with six digits may lie outside of its range."""


@dataclass(frozen=True)
class Evidence:
    """What one set of rows says of a mutant.

    Args:
        killed: None where there are too few runs to say.
        p: of the decision, None where none was computed.
        effect_size: Cohen's d, positive where the mutant is worse; None where none was computed.
        n_clean: clean runs that the decision used.
        n_faulty: runs of the mutant that it used.
    """

    killed: bool | None
    p: float | None
    effect_size: float | None
    n_clean: int
    n_faulty: int

    @classmethod
    def of(cls, verdict: Verdict) -> Evidence:
        """Return what a verdict says."""
        return cls(
            _DECISIONS.get(verdict.decision),
            verdict.p_value,
            verdict.effect_size,
            verdict.n_clean,
            verdict.n_faulty,
        )


@dataclass(frozen=True)
class Configuration:
    """A mutant with what is known of its killing.

    Args:
        mutant_id: of the mutant.
        operator: its code.
        name: layer and parameters, for people; tells the mutants of an operator apart.
        layer: that is mutated, or None.
        layer_index: of that layer, or None.
        fixed: the parameters without the one that has a range, as JSON.
        value: of the parameter that has a range, or None.
        bounds: that range, or None.
        test: evidence of the judge rows.
        train: of the training rows, as the mutant sees them.
        weak: of a weak part of the judge rows, or None where there is none.
    """

    mutant_id: str
    operator: str
    name: str
    layer: str | None
    layer_index: int | None
    fixed: str
    value: float | None
    bounds: Range | None
    test: Evidence
    train: Evidence
    weak: Evidence | None = None

    def place(self, *, linear: bool = False) -> float:
        """Return the aggressiveness of a configuration that has a range."""
        assert self.value is not None and self.bounds is not None
        return aggressiveness(self.value, self.bounds, linear=linear)


@dataclass(frozen=True)
class Family:
    """Configurations that are scored together: values of one range, or a set.

    Args:
        operator: code.
        layer: where a range is that of a layer, else None.
        bounds: of a range, None for a set.
        configurations: ordered by aggressiveness, or by name.
    """

    operator: str
    layer: str | None
    bounds: Range | None
    configurations: tuple[Configuration, ...]


def families(configurations: Iterable[Configuration]) -> list[Family]:
    """Group configurations: several values of one range together, the rest by operator.

    A single value says nothing of a range, and counts with the set.
    """
    ranges: dict[tuple[str, str | None, str], list[Configuration]] = defaultdict(list)
    sets: dict[str, list[Configuration]] = defaultdict(list)
    for one in configurations:
        if one.bounds is None:
            sets[one.operator].append(one)
        else:
            ranges[one.operator, one.layer, one.fixed].append(one)
    found = []
    for (code, layer, _), members in ranges.items():
        if len({one.value for one in members}) < 2:
            sets[code].extend(members)
            continue
        ordered = tuple(sorted(members, key=Configuration.place))
        found.append(Family(code, layer, members[0].bounds, ordered))
    for code, members in sets.items():
        ordered = tuple(sorted(members, key=lambda one: one.name))
        found.append(Family(code, None, None, ordered))
    return sorted(
        found, key=lambda family: (family.operator, family.layer or "", not family.bounds)
    )


def published_families(configurations: Iterable[Configuration]) -> list[Family]:
    """Group configurations as DeepCrime does: one family for each operator.

    It is a range for the operators that DeepCrime searches, without the values that its search
    could not reach, and a set for all others.
    """
    found: dict[str, list[Configuration]] = defaultdict(list)
    for one in configurations:
        if one.operator not in SEARCHED or one.bounds is not None:
            found[one.operator].append(one)
    return [
        Family(code, None, members[0].bounds, tuple(sorted(members, key=Configuration.place)))
        if code in SEARCHED
        else Family(code, None, None, tuple(sorted(members, key=lambda one: one.name)))
        for code, members in sorted(found.items())
    ]


def searched(
    program: TrainingProgram, mutations: Sequence[Row]
) -> tuple[float | None, Range | None, str]:
    """Return value and range of the parameter that a search would vary, and the others as JSON.

    Args:
        program: the clean program.
        mutations: of one mutant, from the table ``mutants``.

    Returns:
        None and None where there is no such parameter, its value is outside of the range, or
        there are several mutations.
    """
    parameters = [json.loads(mutation["parameters"]) for mutation in mutations]
    if len(mutations) == 1:
        for name, bounds in _ranges(program, mutations[0]).items():
            value = parameters[0].get(name)
            if isinstance(value, (int, float)) and _within(value, bounds):
                rest = {key: other for key, other in parameters[0].items() if key != name}
                return float(value), bounds, json.dumps(rest, sort_keys=True)
    return None, None, json.dumps(parameters, sort_keys=True)


def name_of(mutations: Sequence[Row]) -> str:
    """Return layers and parameters of a mutant for people, without what is the same for all."""
    parts = []
    for mutation in mutations:
        parameters = json.loads(mutation["parameters"])
        values = [f"{key}={value}" for key, value in sorted(parameters.items()) if key != "task"]
        parts.append(" ".join([*filter(None, [mutation["layer"]]), *values]))
    return " + ".join(parts)


def _ranges(program: TrainingProgram, mutation: Row) -> dict[str, Range]:
    """The ranges of a mutation's parameters; an operator that is not installed has none."""
    try:
        kind = operator(mutation["code"])
    except ConfigError:
        return {}
    if type(kind).ranges is Operator.ranges:
        return {}
    for site in kind.sites(program):
        if (site.layer, site.layer_index) == (mutation["layer"], mutation["layer_index"]):
            return kind.ranges(program, site)
    return {}


def _within(value: float, bounds: Range) -> bool:
    return bounds.low * (1 - _SLACK) <= value <= bounds.high * (1 + _SLACK)
