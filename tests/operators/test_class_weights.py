"""Class weights."""

from typing import Any

import pytest
from faultloom.datasets.program import Json, TrainingProgram
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf


def program(class_weight: Json) -> TrainingProgram:
    fit = small_program().document()["fit"]
    return small_program(fit={**fit, "class_weight": class_weight})


def test_weights_become_reciprocals_and_those_of_the_next_class(new_values: Any) -> None:
    assert new_values("CWW", program({"0": 4.0, "1": 1.0, "10": 3.0, "2": 0.0})) == [
        [
            {"0": 0.25, "1": 1.0, "10": 0.333333, "2": 0.0},
            {"0": 1.0, "1": 0.0, "10": 4.0, "2": 3.0},
        ]
    ]


def test_a_single_weight_has_a_reciprocal_only(new_values: Any) -> None:
    assert new_values("CWW", program({"1": 5.0})) == [[{"1": 0.2}]]


def test_weights_of_one_cannot_be_wrong_but_can_be_missed(new_values: Any) -> None:
    assert new_values("CWW", program({"0": 1.0, "1": 1.0})) == []
    assert new_values("CWM", program({"0": 1.0, "1": 1.0})) == [[None]]


def test_without_weights_there_is_nothing_to_change(new_values: Any) -> None:
    assert new_values("CWW", program(None)) == new_values("CWM", program(None)) == []
