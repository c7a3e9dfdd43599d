"""The trainer against Keras's own `fit`: same initial weights, same batches, same weights."""

from functools import partial
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.program import TrainingProgram, content_hash
from faultloom.datasets.transforms import change_labels, delete_rows
from faultloom.generator.streams import Streams

pytestmark = pytest.mark.tf

N = 70
STREAMS = Streams(7, 3)
layers = keras.layers


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def table(n: int = N) -> Rows:
    x = rng().normal(size=(n, 4)).astype("float32")
    return Rows((x,), (np.abs(x).argmax(1) % 3,))


def images() -> Rows:
    x = rng().normal(size=(N, 6, 6, 1)).astype("float32")
    return Rows((x,), ((x[:, :3].mean((1, 2, 3)) > 0).astype("int64"),))


def sequences() -> Rows:
    x = rng().normal(size=(N, 5, 3)).astype("float32")
    return Rows((x,), ((x.sum((1, 2)) > 0).astype("float32"),))


def tokens() -> Rows:
    x = rng().integers(1, 9, (N, 6))
    x[::3, 4:] = 0
    return Rows((x,), (x[:, 0] % 3,))


def tagged() -> Rows:
    x = rng().integers(1, 9, (N, 6))
    x[::3, 3:] = 0
    x[-5:, 1:] = 0
    return Rows((x,), (x % 3,))


def signs() -> Rows:
    x = sequences().x[0]
    return Rows((x,), ((x.sum(2) > 0).astype("int64"),))


def two_sided() -> Rows:
    a = rng().normal(size=(N, 4)).astype("float32")
    b = rng().normal(size=(N, 3)).astype("float32")
    return Rows((a, b), (np.abs(a).argmax(1) % 3, b.sum(1, keepdims=True)))


def weighted() -> Rows:
    rows = table()
    return Rows(rows.x, rows.y, rng().random(N).astype("float32") * 3)


def dense(**options: Any) -> Any:
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(8, "relu", **options),
            layers.Dense(3, "softmax", kernel_regularizer="l2"),
        ]
    )


def convolution() -> Any:
    return keras.Sequential(
        [
            keras.Input((6, 6, 1)),
            layers.Conv2D(3, 3, use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(2, "softmax"),
        ]
    )


def wrapped_normalization() -> Any:
    return keras.Sequential(
        [
            keras.Input((5, 3)),
            layers.TimeDistributed(layers.BatchNormalization()),
            layers.Flatten(),
            layers.Dense(1, "sigmoid"),
        ]
    )


def recurrent() -> Any:
    return keras.Sequential([keras.Input((5, 3)), layers.LSTM(4), layers.Dense(1, "sigmoid")])


def embedding() -> Any:
    return keras.Sequential(
        [
            keras.Input((6,), dtype="int32"),
            layers.Embedding(9, 4),
            layers.GlobalAveragePooling1D(),
            layers.Dense(3, "softmax"),
        ]
    )


def masked() -> Any:
    return keras.Sequential(
        [
            keras.Input((6,), dtype="int32"),
            layers.Embedding(9, 4, mask_zero=True),
            layers.GRU(4, return_sequences=True),
            layers.Dense(3, "softmax"),
        ]
    )


def tagging() -> Any:
    return keras.Sequential(
        [keras.Input((5, 3)), layers.GRU(4, return_sequences=True), layers.Dense(2, "softmax")]
    )


def two_inputs() -> Any:
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    joined = layers.Concatenate()([layers.Dense(5, "relu")(a), layers.Dense(5, "tanh")(b)])
    outputs = [
        layers.Dense(3, "softmax", name="kind")(joined),
        layers.Dense(1, name="size")(joined),
    ]
    return keras.Model([a, b], outputs)


def nested() -> Any:
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(6, "relu"), layers.Dense(5, "tanh")])
    return keras.Sequential([keras.Input((4,)), inner, layers.Dense(3, "softmax")])


SUM = {"class_name": "MeanSquaredError", "config": {"reduction": "sum"}}
SCHEDULE = {
    "class_name": "ExponentialDecay",
    "config": {"initial_learning_rate": 0.1, "decay_steps": 5, "decay_rate": 0.5},
}
TWO = {"loss": ["sparse_categorical_crossentropy", "mean_squared_error"], "metrics": []}
BINARY = {"loss": "binary_crossentropy"}
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "dense": (dense, table, {"optimizer": "adam"}),
    "convolution": (convolution, images, {"optimizer": "adam"}),
    "recurrent": (recurrent, sequences, {"optimizer": "rmsprop", **BINARY}),
    "embedding": (embedding, tokens, {"optimizer": "adam"}),
    "masked": (masked, tagged, {"optimizer": keras.optimizers.SGD(0.5)}),
    "sequence output": (tagging, signs, {"optimizer": keras.optimizers.SGD(0.5)}),
    "two inputs": (two_inputs, two_sided, {**TWO, "optimizer": "adam"}),
    "nested": (nested, table, {"optimizer": keras.optimizers.SGD(0.1, momentum=0.9)}),
    "wrapped normalization": (wrapped_normalization, sequences, BINARY),
    "sample weights": (dense, weighted, {"optimizer": keras.optimizers.SGD(0.1)}),
    "class weights": (dense, table, {"fit": {"class_weight": {"0": 3.0, "2": 0.5}}}),
    "activity": (lambda: dense(activity_regularizer="l2"), table, {}),
    "summed loss": (recurrent, sequences, {"loss": SUM, "metrics": []}),
    "schedule": (dense, table, {"optimizer": {"class_name": "SGD", "config": {}}}),
    "one short batch": (dense, lambda: table(9), {}),
    "whole batches": (dense, lambda: table(64), {}),
}


def case(lab: Any, name: str) -> tuple[Any, Rows, TrainingProgram]:
    make, rows_of_case, fields = CASES[name]
    fields = dict(fields)
    if name == "schedule":
        schedule = keras.optimizers.schedules.deserialize(SCHEDULE)
        fields["optimizer"] = keras.optimizers.SGD(schedule)
    model, rows = make(), rows_of_case()
    return model, rows, lab.program(model, rows, held=rows_of_case().take(np.arange(9)), **fields)


@pytest.mark.parametrize("name", CASES)
def test_training_equals_fit(lab: Any, name: str) -> None:
    model, rows, program = case(lab, name)
    trainer = lab.trainer(program)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (result,) = trainer.train(program, [STREAMS])
    lab.compile(model, program, initial)
    for epoch in range(3):
        order = STREAMS.generator("shuffle", str(epoch)).permutation(len(rows))
        lab.fit(model, program, rows.take(order), epochs=epoch + 1, initial_epoch=epoch)
    assert lab.difference(initial, result.weights) > 1e-3
    assert lab.difference(result.weights, model.get_weights()) <= 1e-4
    assert (result.outcome, result.epochs) == ("completed", 3)
    assert result.steps == 3 * -(-len(rows) // 16)


def test_averaged_weights_are_put_in_place_at_the_end_as_in_fit(lab: Any) -> None:
    model, rows = dense(), table()
    optimizer = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.9)
    program = lab.program(model, rows, optimizer=optimizer, fit={"shuffle": False})
    trainer = lab.trainer(program)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (result,) = trainer.train(program, [STREAMS])
    lab.fit(lab.compile(model, program, initial), program, rows, epochs=3)
    assert lab.difference(result.weights, model.get_weights()) <= 1e-4


def test_deleted_rows_train_as_if_they_were_never_there(lab: Any, edited: Any) -> None:
    model, rows = dense(), table()
    clean = lab.program(model, rows, optimizer=keras.optimizers.SGD(0.1))
    parameters = {"percentage": 37.0, "task": "classification"}
    transform = {"name": "delete_rows", "parameters": parameters, "roles": ["train"]}
    program = edited(clean, "/transforms", [transform])
    trainer = lab.trainer(clean)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (result,) = trainer.train(program, [STREAMS])
    seeded = partial(STREAMS.generator, "data", content_hash(transform))
    kept = delete_rows(rows, parameters, seeded, "classification").materialized()
    assert 35 < len(kept) < 50 and result.steps == 3 * -(-len(kept) // 16)
    lab.compile(model, program, initial)
    for epoch in range(3):
        order = STREAMS.generator("shuffle", str(epoch)).permutation(len(kept))
        lab.fit(model, program, kept.take(order), epochs=epoch + 1, initial_epoch=epoch)
    assert lab.difference(result.weights, model.get_weights()) <= 1e-4
    assert trainer.train(clean, [STREAMS])[0].steps == 3 * 5


def test_changed_labels_reach_the_training_rows_alone(lab: Any, edited: Any) -> None:
    rows = table()
    clean = lab.program(dense(), rows)
    parameters = {"percentage": 100.0, "task": "classification"}
    transform = {"name": "change_labels", "parameters": parameters, "roles": ["train"]}
    program = edited(clean, "/transforms", [transform])
    trainer = lab.trainer(clean)
    (faulty,), (right,) = (trainer.train(one, [STREAMS]) for one in (program, clean))
    seeded = partial(STREAMS.generator, "data", content_hash(transform))
    changed = change_labels(rows, parameters, seeded, "classification").rows
    trained = lab.program(dense(), changed, held=rows.take(np.arange(20)))
    (expected,) = trainer.train(trained, [STREAMS])
    assert lab.difference(faulty.weights, right.weights) > 1e-3
    assert lab.difference(faulty.weights, expected.weights) == 0
    assert faulty.metric == expected.metric


@pytest.mark.parametrize("name", ["two inputs", "convolution"])
def test_outputs_are_those_of_the_trained_model(lab: Any, name: str) -> None:
    model, rows, program = case(lab, name)
    (result,) = lab.trainer(program).train(program, [STREAMS])
    lab.compile(model, program, result.weights)
    x = [array[:9] for array in rows.x]
    expected = model.predict(x if len(x) > 1 else x[0], verbose=0)
    expected = expected if isinstance(expected, list) else [expected]
    for role in ("judge", "test"):
        assert lab.difference(result.outputs[role], expected) <= 1e-5
