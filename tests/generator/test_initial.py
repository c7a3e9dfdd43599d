"""Initial values come from the program's initialisers and the run's streams alone."""

from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.generator.compiled import Compiled
from faultloom.generator.streams import Streams

pytestmark = pytest.mark.tf

layers = keras.layers
UNIT = "/architecture/config/layers/1/config"


def stacked(first: Any, shape: tuple[int, ...] = (6, 4)) -> Any:
    return keras.Sequential(
        [keras.Input(shape), first, layers.Flatten(), layers.Dense(3, "softmax")]
    )


def attention(kind: Any) -> Any:
    x = keras.Input((6, 4))
    return keras.Model(x, layers.Dense(3, "softmax")(layers.Flatten()(kind([x, x]))))


def self_attention() -> Any:
    x = keras.Input((6, 4))
    mixed = layers.MultiHeadAttention(2, 3)(x, x)
    return keras.Model(x, layers.Dense(3, "softmax")(layers.Flatten()(mixed)))


def program_of(lab: Any, model: Any) -> Any:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8, *model.inputs[0].shape[1:])).astype("float32")
    return lab.program(model, Rows((x,), (rng.integers(0, 3, 8),)), held=Rows((x,), (x[:, 0],)))


def drawn(compiled: Compiled, program: Any, k: int = 0, seed: int = 4) -> dict[str, Any]:
    compiled.reset(program, Streams(seed, k))
    values = {v.path: v.numpy() for v in compiled.model.weights}
    assert len(values) == len(compiled.weights())
    return values


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.values(), other.values(), strict=True))


MODELS = {
    "dense": lambda: stacked(layers.Dense(5)),
    "convolution": lambda: stacked(layers.SeparableConv1D(3, 2)),
    "normalisation": lambda: stacked(layers.BatchNormalization()),
    "lstm": lambda: stacked(layers.LSTM(4, return_sequences=True)),
    "gru": lambda: stacked(layers.GRU(4)),
    "bidirectional": lambda: stacked(layers.Bidirectional(layers.LSTM(4))),
    "cells": lambda: stacked(layers.RNN([layers.GRUCell(4), layers.LSTMCell(4)])),
    "wrapped": lambda: stacked(layers.TimeDistributed(layers.Dense(5))),
    "nested": lambda: stacked(keras.Sequential([keras.Input((6, 4)), layers.Dense(5)])),
    "additive attention": lambda: attention(layers.AdditiveAttention()),
    "attention": self_attention,
    "spectral": lambda: stacked(layers.SpectralNormalization(layers.Dense(5))),
    "orthogonal": lambda: stacked(layers.Dense(5, kernel_initializer="orthogonal")),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_weight_is_drawn_from_the_streams(lab: Any, name: str) -> None:
    program = program_of(lab, MODELS[name]())
    one, other = Compiled(program), Compiled(program)
    first = drawn(one, program)
    for variable in one.model.weights:
        variable.assign(np.full(variable.shape, 7.0))
    assert equal(drawn(one, program), first)
    assert equal(drawn(other, program), first)
    for different in (drawn(one, program, k=1), drawn(one, program, seed=5)):
        same = [np.array_equal(first[name], different[name]) for name in first]
        constant = [set(value.ravel()) <= {0, 1} for value in first.values()]
        assert same == constant and not all(same)


@pytest.mark.parametrize("name", ["bidirectional", "attention", "cells", "lstm"])
def test_no_two_weights_of_a_layer_are_drawn_alike(lab: Any, name: str) -> None:
    program = program_of(lab, MODELS[name]())
    values = drawn(Compiled(program), program).values()
    drawn_ones = [value.ravel() for value in values if len(set(value.ravel())) > 2]
    starts = {tuple(value[:4].tolist()) for value in drawn_ones}
    scales = {tuple((value[:4] / value[0]).round(4).tolist()) for value in drawn_ones}
    assert len(starts) == len(scales) == len(drawn_ones) > 1


@pytest.mark.parametrize(
    "initializer",
    [
        keras.initializers.GlorotUniform(),
        keras.initializers.HeNormal(),
        keras.initializers.RandomNormal(2.0, 0.5),
        keras.initializers.VarianceScaling(3.0, "fan_out", "uniform"),
        keras.initializers.Orthogonal(),
    ],
)
def test_values_are_those_of_keras_for_the_seed_of_the_run(lab: Any, initializer: Any) -> None:
    program = program_of(lab, stacked(layers.Dense(5, kernel_initializer=initializer)))
    kernel = next(iter(drawn(Compiled(program), program).values()))
    seed = Streams(4, 0).keras_seed("init", "dense/kernel")
    seeded = type(initializer)(**initializer.get_config() | {"seed": seed})
    assert np.array_equal(kernel, np.asarray(seeded((4, 5))))


def test_the_seed_of_the_script_does_not_matter(lab: Any) -> None:
    values = []
    for seed in (None, 1, 2):
        initializer = keras.initializers.GlorotUniform(seed)
        program = program_of(lab, stacked(layers.Dense(5, kernel_initializer=initializer)))
        values.append(drawn(Compiled(program), program))
    assert equal(values[0], values[1]) and equal(values[1], values[2])


def test_a_shared_model_takes_the_initialisers_of_the_program_at_hand(
    lab: Any, edited: Any
) -> None:
    clean = program_of(lab, stacked(layers.LSTM(4)))
    ones = {"class_name": "Ones", "config": {}}
    mutant = edited(clean, f"{UNIT}/kernel_initializer", ones)
    mutant = edited(mutant, f"{UNIT}/bias_initializer", {"class_name": "HeNormal", "config": {}})
    mutant = edited(mutant, f"{UNIT}/unit_forget_bias", False)
    compiled = Compiled(clean)
    before = drawn(compiled, clean)
    other = drawn(compiled, edited(clean, f"{UNIT}/kernel_initializer", ones))
    kernel = next(name for name in before if name.endswith("lstm_cell/kernel"))
    assert (other[kernel] == 1).all() and not (before[kernel] == 1).any()
    assert [n for n in before if not np.array_equal(before[n], other[n])] == [kernel]
    assert equal(drawn(compiled, clean), before)
    bias = next(v for n, v in drawn(Compiled(mutant), mutant).items() if n.endswith("cell/bias"))
    assert len(set(bias)) == len(bias) == 16


@pytest.mark.parametrize("forget", [True, False])
def test_the_forget_gate_begins_open(lab: Any, forget: bool) -> None:
    program = program_of(lab, stacked(layers.LSTM(2, unit_forget_bias=forget)))
    found = drawn(Compiled(program), program)
    bias = next(value for name, value in found.items() if name.endswith("lstm_cell/bias"))
    assert bias.tolist() == [0, 0, *([1, 1] if forget else [0, 0]), 0, 0, 0, 0]


def test_a_mutation_leaves_the_values_of_other_layers_alone(lab: Any, edited: Any) -> None:
    clean = program_of(lab, stacked(layers.Dense(5)))
    slot = "/architecture/config/layers/3/config/units"
    mutant = edited(clean, slot, 4)
    one, other = drawn(Compiled(clean), clean), drawn(Compiled(mutant), mutant)
    same = [np.array_equal(a, b) for a, b in zip(one.values(), other.values(), strict=True)]
    assert same == [True, True, False, False]


def test_random_layers_begin_at_the_state_of_the_run(lab: Any) -> None:
    noisy = layers.LSTM(4, dropout=0.5, recurrent_dropout=0.5)
    model = keras.Sequential(
        [
            keras.Input((6, 4)),
            layers.GaussianNoise(0.1),
            layers.RandomContrast(0.2),
            noisy,
            layers.Dropout(0.5),
            layers.Dense(3, "softmax"),
        ]
    )
    program = program_of(lab, model)
    compiled = Compiled(program)

    def states(k: int) -> list[Any]:
        compiled.reset(program, Streams(0, k))
        variables = [v for v in compiled.model.variables if v.path.endswith("generator_state")]
        found = [tuple(variable.numpy().tolist()) for variable in variables]
        for variable in variables:
            variable.assign([9, 9])
        return found

    first = states(0)
    assert len(set(first)) == len(first) == 4 and all(count == 0 for _, count in first)
    assert states(0) == first and not set(states(1)) & set(first)
