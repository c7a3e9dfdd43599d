"""Capturing a rendered script gives the program that was rendered."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Array, Rows, by_hash, split_held_out
from faultloom.datasets.build import build_model
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.capture.recorder import record
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import with_slot
from faultloom.datasets.subjects.catalogue import BUNDLED, subject_info
from faultloom.operators import Mutation, Operator, mutate, operators
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf

layers = keras.layers
Filled = Callable[..., tuple[TrainingProgram, dict[str, Array]]]
Written = Callable[..., Path]

SHOWN = [
    pytest.param(found, id=found.code)
    for found in operators(reserved=True)
    if found.stage in ("architecture", "compile", "fit")
]


@cache
def captured(name: str) -> tuple[TrainingProgram, dict[str, Array]]:
    subject, arrays = record(subject_info(name).script)
    return subject.program, arrays


@pytest.mark.parametrize("name", [info.name for info in BUNDLED])
def test_bundled_subjects(name: str, written: Written) -> None:
    program, arrays = captured(name)
    again, held = record(written(program, arrays))
    assert again.program == program
    assert held.keys() == arrays.keys()


@pytest.mark.parametrize("acting", SHOWN)
def test_examples_of_operators(acting: Operator, filled: Filled, written: Written) -> None:
    for example in acting.examples():
        (site, *_) = [s for s in acting.sites(example.program) if s.slot == example.slot]
        mutant = acting.apply(example.program, site, example.parameters)
        # A captured callback has no default arguments; one in an example may.
        callbacks = mutant.document()["callbacks"]
        for callback in callbacks:
            if callback["config"].get("monitor") == "val_loss":
                del callback["config"]["monitor"]
        mutant = with_slot(mutant, "/callbacks", callbacks)
        validated = mutant.document()["data"]["validation"] is not None
        mutant, arrays = filled(mutant, validation=validated)
        assert record(written(mutant, arrays))[0].program == mutant


@pytest.mark.parametrize("acting", SHOWN)
def test_mutants_of_the_first_bundled_subject_that_has_any(
    acting: Operator, written: Written
) -> None:
    for info in BUNDLED:
        program, arrays = captured(info.name)
        sites = acting.sites(program)
        for site in sites[:2]:
            for parameters in acting.variants(program, site)[-1:]:
                mutant = mutate(program, [Mutation(acting.code, site, parameters)])
                if builds(mutant):
                    assert record(written(mutant, arrays))[0].program == mutant
        if sites:
            return


def builds(program: TrainingProgram) -> bool:
    try:
        build_model(program.document()["architecture"])
    except ValueError:
        return False
    return True


def check(model: Any, filled: Filled, written: Written, targets: int = 1, **fields: Any) -> None:
    document = small_program(**fields).document()
    program = canonicalize({**document, "architecture": canonical_model(model)})
    program, arrays = filled(program, targets=targets)
    assert record(written(program, arrays))[0].program == program


def test_recurrent_wrapped_and_nested_layers(filled: Filled, written: Written) -> None:
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(3, "tanh"), layers.Dropout(0.1)])
    head = keras.Sequential([keras.Input((6,)), layers.Dense(3, "softmax", name="answer")])
    initializer = keras.initializers.RandomNormal(stddev=0.02, seed=5)
    penalty = keras.regularizers.L1L2(l1=0.1, l2=0.2)
    norm = keras.constraints.MaxNorm(max_value=3)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1), name="digits"),
            layers.Conv2D(4, (3, 2), padding="same", kernel_initializer=initializer),
            layers.MaxPooling2D((2, 1), strides=1),
            layers.AveragePooling2D(3),
            layers.Reshape((-1, 4)),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True), merge_mode="sum"),
            layers.Bidirectional(
                layers.GRU(2, return_sequences=True),
                backward_layer=layers.GRU(2, return_sequences=True, go_backwards=True, name="b"),
            ),
            layers.TimeDistributed(inner),
            layers.RNN([layers.LSTMCell(5), layers.GRUCell(6)]),
            layers.LayerNormalization(trainable=False),
            layers.Dense(6, kernel_regularizer=penalty, bias_constraint=norm, use_bias=True),
            head,
        ],
        name="whole",
    )
    check(model, filled, written)


def test_functional_models_with_branches_and_shared_layers(
    filled: Filled, written: Written
) -> None:
    left, right = keras.Input((4,), name="x_train"), keras.Input((4,))
    shared = layers.Dense(5, "relu")
    dropped = layers.Dropout(0.3)(shared(left), training=True)
    nested_in = keras.Input((5,))
    x = layers.Dense(5)(nested_in)
    nested = keras.Model(nested_in, layers.Add()([x, nested_in]))
    both = layers.Concatenate(axis=-1)([dropped, nested(shared(right)), nested(dropped)])
    outputs = [layers.Dense(3, "softmax", name="print")(both), layers.Dense(1)(dropped)]
    check(
        keras.Model([left, right], outputs),
        filled,
        written,
        targets=2,
        loss=["sparse_categorical_crossentropy", "mean_squared_error"],
        metrics=[["accuracy"], []],
    )


def test_layers_that_return_several_tensors(filled: Filled, written: Written) -> None:
    inputs = keras.Input((6, 4))
    x = layers.MultiHeadAttention(2, 4)(inputs, inputs)
    x, weights = layers.MultiHeadAttention(2, 4)(x, x, return_attention_scores=True)
    x, hidden, cell = layers.LSTM(4, return_state=True, return_sequences=True)(x)
    first, *_ = layers.LSTM(4, return_state=True)(x, initial_state=[hidden, cell])
    pair = keras.Input((4,))
    two = keras.Model(pair, {"b": layers.Dense(2)(pair), "a": layers.Dense(3)(pair)})(first)
    (lone,) = keras.Model(pair, [layers.Dense(3)(pair)])(first)
    merged = layers.Concatenate()([lone, two["a"], two["b"], layers.Flatten()(weights)])
    check(keras.Model(inputs, layers.Dense(3)(merged)), filled, written)


def test_everything_that_compile_and_fit_take(filled: Filled, written: Written) -> None:
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    optimizer = keras.optimizers.SGD(schedule, momentum=0.9, nesterov=True, clipnorm=1.0)
    callbacks = [
        {"class_name": "EarlyStopping", "config": {"patience": 3, "restore_best_weights": True}},
        {"class_name": "ReduceLROnPlateau", "config": {"monitor": "val_auc", "factor": 0.5}},
        {"class_name": "TerminateOnNaN", "config": {}},
    ]
    weights = {"0": 1.0, "1": 2.5, "2": 0.5}
    check(
        keras.Sequential([keras.Input((4,)), layers.Dense(3, name="logits")]),
        filled,
        written,
        loss={"class_name": "SparseCategoricalCrossentropy", "config": {"from_logits": True}},
        metrics=["accuracy", {"class_name": "AUC", "config": {"curve": "PR"}}],
        optimizer=keras.saving.serialize_keras_object(optimizer),
        callbacks=callbacks,
        fit={"batch_size": 7, "class_weight": weights, "epochs": 2, "shuffle": False},
    )


def test_weighted_rows(filled: Filled, written: Written) -> None:
    program, _ = filled(small_program())
    x, y = np.ones((20, 4), "float32"), np.arange(20) % 3
    roles = {
        name: Rows((x + number,), (y,), np.linspace(number, 2, 20, dtype="float32"))
        for number, name in enumerate(("train", "validation", "test"))
    }
    roles["judge"] = roles["test"]
    records = {name: rows.record() for name, rows in roles.items()}
    program = with_slot(program, "/data", records)
    assert record(written(program, by_hash(list(roles.values()))))[0].program == program


def test_judge_and_test_rows_that_are_two_halves(filled: Filled, written: Written) -> None:
    program, _ = filled(small_program())
    x = np.arange(4 * 1001, dtype="float32").reshape(-1, 4)
    train, whole = Rows((x[:9],), (np.arange(9) % 3,)), Rows((x,), (np.arange(1001) % 3,))
    judge, test, disjoint = split_held_out(whole, seed=0)
    roles = {"train": train, "judge": judge, "test": test}
    assert disjoint
    records = {name: rows.record() for name, rows in roles.items()}
    program = with_slot(program, "/data", {"validation": None, **records})
    assert record(written(program, by_hash(list(roles.values()))))[0].program == program
