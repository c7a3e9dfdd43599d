"""Activations, penalties, biases and initializers of single layers."""

from typing import Any

import keras
import pytest
from faultloom.datasets.build import build
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import ABSENT
from faultloom.operators import operator
from faultloom.operators.activations import ACTIVATIONS
from faultloom.operators.cases import small_program
from faultloom.operators.initializers import BIAS_INITIALIZERS

pytestmark = pytest.mark.tf

layers = keras.layers


def program(*stack: Any, shape: tuple[int, ...] = (4,)) -> TrainingProgram:
    model = keras.Sequential([keras.Input(shape), *stack])
    return canonicalize({**small_program().document(), "architecture": canonical_model(model)})


def test_linear_layers_are_given_every_activation(new_values: Any) -> None:
    linear = program(layers.Dense(3), layers.Dense(3, "relu"))
    assert new_values("AAL", linear) == [list(ACTIVATIONS)]
    assert [len(values) for values in new_values("ACH", linear)] == [10, 9]


@pytest.mark.parametrize(
    ("units", "activation", "mismatch"),
    [(3, "softmax", "sigmoid"), (1, "sigmoid", "softmax"), (1, None, "relu"), (3, None, "softmax")],
)
def test_mismatches_of_head_and_loss_are_changed_activations(
    units: int, activation: str | None, mismatch: str
) -> None:
    head = program(layers.Dense(units, activation))
    (site,) = operator("ACH").sites(head)
    assert {"activation": mismatch} in operator("ACH").variants(head, site)


def test_a_missing_softmax_is_a_removed_activation(new_values: Any) -> None:
    assert new_values("ARM", program(layers.Dense(3, "softmax"))) == [[ABSENT]]


def test_a_penalty_is_changed_to_the_other_kinds_or_removed(new_values: Any) -> None:
    clean = program(layers.Dense(3, kernel_regularizer="l2"), layers.Dense(3))
    kinds = [one["class_name"] for one in new_values("RCW", clean)[0]]
    assert kinds == ["L1", "L1L2"]
    assert new_values("RRW", clean) == [[ABSENT]]
    assert [site.layer_index for site in operator("RAW").sites(clean)] == [1]


def test_a_penalty_of_another_family_can_be_any_kind(new_values: Any) -> None:
    orthogonal = keras.regularizers.OrthogonalRegularizer(0.1)
    (values,) = new_values("RCW", program(layers.Dense(3, kernel_regularizer=orthogonal)))
    assert [one["class_name"] for one in values] == ["L1", "L2", "L1L2"]


def test_an_added_bias_is_a_weight() -> None:
    clean = program(layers.Dense(3, use_bias=False), layers.Dense(3))
    (site,) = operator("WAB").sites(clean)
    mutant = operator("WAB").apply(clean, site, {})
    assert (len(build(clean).weights), len(build(mutant).weights)) == (3, 4)


def test_only_biases_that_are_used_are_initialised(new_values: Any) -> None:
    stack = (layers.Conv1D(3, 2, use_bias=False), layers.LSTM(3), layers.Dense(3))
    clean = program(*stack, shape=(4, 2))
    assert [site.layer for site in operator("BCI").sites(clean)] == ["lstm", "dense"]
    assert len(new_values("BCI", clean)[0]) == len(BIAS_INITIALIZERS) - 1


@pytest.mark.parametrize("name", BIAS_INITIALIZERS)
def test_a_bias_starts_where_its_initializer_says(name: str) -> None:
    clean = program(layers.Dense(3, bias_initializer=keras.initializers.HeNormal()))
    (site,) = operator("BCI").sites(clean)
    variants = operator("BCI").variants(clean, site)
    (parameters,) = [v for v in variants if v["initializer"] == name]
    bias = build(operator("BCI").apply(clean, site, parameters)).layers[0].bias.numpy()
    exact = {"Constant": 0.1, "Ones": 1.0, "Zeros": 0.0}.get(name)
    if exact is None:
        assert 0 < abs(bias).max() < 0.5
    else:
        assert bias == pytest.approx([exact] * 3)
