"""Learning rates, and the schedules that Keras makes of them."""

from typing import Any

import keras
import pytest
from faultloom.datasets.build import build_optimizer
from faultloom.datasets.canonical import canonical_object
from faultloom.datasets.program import Json, TrainingProgram
from faultloom.operators import Site, operator
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf

SLOT = "/optimizer/config/learning_rate"


def program(rate: Json, **fields: Json) -> TrainingProgram:
    optimizer = {"class_name": "SGD", "config": {"learning_rate": rate}}
    return small_program(optimizer=optimizer, **fields)


def schedule(kind: str, *arguments: Any) -> Json:
    made = getattr(keras.optimizers.schedules, kind)(*arguments)
    return canonical_object(keras.optimizers.schedules.serialize(made))


def test_rates_go_down_up_and_to_zero(new_values: Any) -> None:
    assert new_values("HLR", program(0.003)) == [[0.0003, 0.00003, 0.000003]]
    assert new_values("HLI", program(0.003)) == [[0.03, 0.3, 3.0]]
    assert new_values("HLZ", program(0.003)) == [[0.0]]


def test_a_rate_of_zero_cannot_be_wrong_in_another_way(new_values: Any) -> None:
    for code in ("HLR", "HLI", "HLZ", "HLS"):
        assert new_values(code, program(0.0)) == []


def test_a_schedule_is_no_number_but_can_be_zero(new_values: Any) -> None:
    decaying = program(schedule("CosineDecay", 0.1, 100))
    assert new_values("HLR", decaying) == new_values("HLI", decaying) == []
    assert new_values("HLZ", decaying) == [[0.0]]


def test_rates_are_searched_by_ratios_in_their_direction() -> None:
    down = operator("HLR").ranges(program(0.01), Site(SLOT))["learning_rate"]
    up = operator("HLI").ranges(program(0.01), Site(SLOT))["learning_rate"]
    assert (down.low, down.high, down.direction) == (pytest.approx(1e-5), 0.01, "decreasing")
    assert (up.low, up.high, up.direction) == (0.01, 10.0, "increasing")
    assert down.scale == up.scale == "log"


@pytest.mark.parametrize("rate", [0.1, "constant", "decaying"])
def test_a_decay_starts_at_the_first_rate_and_counts_steps(rate: Json) -> None:
    before = {
        "constant": schedule("CosineDecay", 0.1, 100),
        "decaying": schedule("ExponentialDecay", 0.1, 1000, 0.9),
    }.get(rate, rate)
    parameters = {"decay_rate": 0.5, "decay_steps": 20}
    mutant = operator("HLS").apply(program(before), Site(SLOT), parameters)
    optimizer = build_optimizer(mutant.document()["optimizer"])
    rates = [float(optimizer._learning_rate(step)) for step in (0, 20, 40)]
    assert rates == pytest.approx([0.1, 0.05, 0.025])


def test_a_decay_in_as_many_steps_as_epochs_or_at_every_step() -> None:
    variants = operator("HLS").variants(program(0.1), Site(SLOT))
    assert [(v["decay_steps"], v["decay_rate"]) for v in variants] == [
        (20, 0.96),
        (20, 0.5),
        (1, 0.96),
        (1, 0.5),
    ]


def test_no_decay_of_what_has_no_first_rate_or_what_a_callback_sets() -> None:
    piecewise = program(schedule("PiecewiseConstantDecay", [10], [0.1, 0.01]))
    plateau = {"class_name": "ReduceLROnPlateau", "config": {}}
    assert operator("HLS").sites(piecewise) == ()
    assert operator("HLS").sites(program(0.1, callbacks=[plateau])) == ()
