"""How mutants are grouped for a score, and which parameter of a mutation has a range."""

import json
from typing import Any

import pytest
from faultloom.generator.killing import Welch
from faultloom.generator.scores.families import (
    Configuration,
    Evidence,
    families,
    name_of,
    published_families,
    searched,
)
from faultloom.operators.base import Range
from faultloom.operators.cases import small_program

NOTHING = Evidence(None, None, None, 0, 0)


def mutation(code: str, layer: str | None = None, **parameters: Any) -> dict[str, Any]:
    index = {None: None, "dense": 0, "dense_1": 2}[layer]
    text = json.dumps(parameters)
    return {"code": code, "layer": layer, "layer_index": index, "parameters": text}


def configuration(mutant: str, *mutations: dict[str, Any]) -> Configuration:
    value, bounds, fixed = searched(small_program(), mutations)
    return Configuration(
        mutant_id=mutant,
        operator="+".join(one["code"] for one in mutations),
        name=name_of(mutations),
        layer=mutations[0]["layer"],
        layer_index=mutations[0]["layer_index"],
        fixed=fixed,
        value=value,
        bounds=bounds,
        test=NOTHING,
        train=NOTHING,
    )


def test_the_parameter_that_a_search_would_vary() -> None:
    program = small_program()
    value, bounds, rest = searched(program, [mutation("HLR", learning_rate=0.0001)])
    assert (value, bounds and bounds.scale, rest) == (0.0001, "log", "{}")
    found = searched(program, [mutation("RAW", "dense", factor=0.01, regularizer="L2")])
    assert found == (
        0.01,
        Range(0.0001, 1.0, "log", "increasing", 1.5),
        '{"regularizer": "L2"}',
    )


@pytest.mark.parametrize(
    "mutations",
    [
        [mutation("HLR", learning_rate=0.1)],  # larger than in the clean program
        [mutation("ACH", "dense", activation="tanh")],
        [mutation("HNE", epochs=2), mutation("HNE", epochs=1)],
        [mutation("XYZ", knob=1)],  # of a plug-in that is not installed
    ],
)
def test_mutants_without_a_range(mutations: list[dict[str, Any]]) -> None:
    value, bounds, rest = searched(small_program(), mutations)
    assert (value, bounds) == (None, None)
    assert json.loads(rest) == [json.loads(one["parameters"]) for one in mutations]


def test_names_for_people() -> None:
    assert name_of([mutation("TCL", percentage=25.0, task="classification")]) == "percentage=25.0"
    pair = [mutation("ACH", "dense", activation="elu"), mutation("HNE", epochs=2)]
    assert name_of(pair) == "dense activation=elu + epochs=2"


def test_values_of_one_range_go_together_and_a_single_one_with_the_set() -> None:
    mutants = [
        configuration("b", mutation("HNE", epochs=2)),
        configuration("a", mutation("HNE", epochs=10)),
        configuration("l2", mutation("RAW", "dense", factor=0.01, regularizer="L2")),
        configuration("l2+", mutation("RAW", "dense", factor=0.1, regularizer="L2")),
        configuration("l1", mutation("RAW", "dense", factor=0.01, regularizer="L1")),
        configuration("up", mutation("HLR", learning_rate=0.1)),
        configuration("down", mutation("HLR", learning_rate=0.0001)),
    ]
    found = [
        (one.operator, one.layer, one.bounds is not None, [c.mutant_id for c in one.configurations])
        for one in families(mutants)
    ]
    assert found == [
        ("HLR", None, False, ["down", "up"]),
        ("HNE", None, True, ["a", "b"]),
        ("RAW", None, False, ["l1"]),
        ("RAW", "dense", True, ["l2", "l2+"]),
    ]
    published = [
        (one.operator, one.bounds is not None, [c.mutant_id for c in one.configurations])
        for one in published_families(mutants)
    ]
    assert published == [
        ("HLR", True, ["down"]),  # its search only goes down
        ("HNE", True, ["a", "b"]),
        ("RAW", False, ["l1", "l2", "l2+"]),
    ]


def test_evidence_of_a_verdict() -> None:
    rule = Welch(n_clean=3, n_faulty=3)
    killed = Evidence.of(rule.decide([3, 4, 5], [0, 1, 2], higher_is_better=True))
    assert killed.killed is True
    assert (killed.n_clean, killed.n_faulty, killed.effect_size) == (3, 3, pytest.approx(3.0))
    assert Evidence.of(rule.decide([3, 4, 5], [3, 4, 5], higher_is_better=True)).killed is False
    assert Evidence.of(rule.decide([3, 4, 5], [3, 4], higher_is_better=True)).killed is None
