"""Settings of optimizers."""

from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.build import build_optimizer
from faultloom.datasets.errors import ConfigError, NotApplicable
from faultloom.datasets.program import Json, TrainingProgram
from faultloom.operators import Site, operator
from faultloom.operators.cases import small_program
from faultloom.operators.optimizers import DEFAULT_RATES

pytestmark = pytest.mark.tf

CODES = ("OCG", "OCL", "OEP", "OMO", "OWD")


def program(name: str, **config: Json) -> TrainingProgram:
    config = {"learning_rate": 0.1, **config}
    return small_program(optimizer={"class_name": name, "config": config})


def sites(code: str, program: TrainingProgram) -> list[str]:
    return [site.slot.rpartition("/")[2] for site in operator(code).sites(program)]


@pytest.mark.parametrize(
    ("name", "momentum", "epsilon"),
    [
        ("SGD", ["momentum"], []),
        ("RMSprop", ["momentum"], ["epsilon"]),
        ("Adam", ["beta_1"], ["epsilon"]),
        ("Adagrad", [], ["epsilon"]),
        ("Lion", ["beta_1"], []),
    ],
)
def test_optimizers_have_the_settings_that_keras_gives_them(
    name: str, momentum: list[str], epsilon: list[str]
) -> None:
    assert sites("OMO", program(name)) == momentum
    assert sites("OEP", program(name)) == epsilon
    assert sites("OWD", program(name)) == ["weight_decay"]


@pytest.mark.parametrize("name", [*DEFAULT_RATES, "AdamW", "Adafactor", "Lion", "Ftrl"])
@pytest.mark.parametrize("code", CODES)
def test_every_setting_makes_an_optimizer_that_takes_a_step(name: str, code: str) -> None:
    acting, clean = operator(code), program(name)
    for site in acting.sites(clean):
        for parameters in acting.variants(clean, site):
            mutant = acting.apply(clean, site, parameters).document()["optimizer"]
            optimizer = build_optimizer(mutant)
            key = site.slot.rpartition("/")[2]
            assert optimizer.get_config()[key] == pytest.approx(parameters["value"])
            variable = keras.Variable(np.ones(3, "float32"))
            optimizer.apply([keras.ops.ones(3)], [variable])
            assert np.isfinite(variable.numpy()).all()


def test_clipping_is_added_where_there_is_none_and_changed_where_there_is(new_values: Any) -> None:
    free, clipped = program("SGD"), program("SGD", global_clipnorm=2.0)
    assert new_values("OCL", free) == [[0.1, 0.001, 0.00001]] * 2
    assert new_values("OCG", free) == []
    assert new_values("OCL", clipped) == []
    assert sites("OCG", clipped) == ["global_clipnorm"]
    variants = operator("OCG").variants(clipped, operator("OCG").sites(clipped)[0])
    assert [parameters["value"] for parameters in variants] == [None, 0.2, 0.002]


def test_a_clip_bites() -> None:
    mutant = operator("OCL").apply(
        program("SGD"), Site("/optimizer/config/clipnorm"), {"value": 0.001}
    )
    variable = keras.Variable(np.zeros(1, "float32"))
    build_optimizer(mutant.document()["optimizer"]).apply([keras.ops.ones(1)], [variable])
    assert variable.numpy() == pytest.approx([-0.0001])


def test_momentum_epsilon_and_decay_leave_the_present_value_out(new_values: Any) -> None:
    acting, clean = operator("OMO"), program("SGD", momentum=0.99)
    variants = acting.variants(clean, acting.sites(clean)[0])
    assert [parameters["value"] for parameters in variants] == [0.0, 0.5, 0.999]
    assert new_values("OEP", program("Adam", epsilon=0.1)) == [[1.0, 10.0]]
    assert new_values("OWD", program("SGD", weight_decay=0.1)) == [[1.0, 10.0]]
    assert new_values("OWD", program("AdamW")) == [[0.1, 1.0, 10.0]]


def test_nesterov_needs_its_momentum() -> None:
    acting, clean = operator("OMO"), program("SGD", momentum=0.9, nesterov=True)
    (site,) = acting.sites(clean)
    optimizer = build_optimizer(acting.apply(clean, site, {"value": 0.0}).document()["optimizer"])
    assert optimizer.momentum == 0.0


def test_an_optimizer_without_the_setting_is_refused() -> None:
    site = Site("/optimizer/config/epsilon")
    with pytest.raises(NotApplicable, match="OEP does not apply at /optimizer/config/epsilon"):
        operator("OEP").apply(program("SGD"), site, {"value": 1.0})


def test_an_unknown_optimizer_is_refused() -> None:
    parameters = {"learning_rate": "keep", "optimizer": "Adamm"}
    with pytest.raises(ConfigError, match=r"OCH: expected an optimizer of Adadelta, .* Adamm"):
        operator("OCH").apply(program("SGD"), Site("/optimizer"), parameters)
