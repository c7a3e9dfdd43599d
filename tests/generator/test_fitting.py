"""`fit` as the engine: the same weights as the compiled loop and as a plain call of `fit`."""

import os
import subprocess
import sys
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import TrainingFailed
from faultloom.generator.fitting import Fitted
from faultloom.generator.streams import Streams

pytestmark = [
    pytest.mark.tf,
    # ReduceLROnPlateau reads the rate in a way that NumPy deprecates.
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning:keras"),
]

STREAMS = Streams(3, 1)
layers = keras.layers


def rows(n: int = 70, seed: int = 1, *, weighted: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype("float32")
    weights = rng.random(n).astype("float32") * 3 if weighted else None
    return Rows((x,), (np.abs(x).argmax(1) % 3,), weights)


def twice(found: Rows) -> Rows:
    return Rows((found.x[0], found.x[0][:, :3].copy()), (*found.y, found.y[0]), found.sample_weight)


def dense() -> Any:
    hidden = layers.Dense(8, "relu", kernel_regularizer="l2")
    return keras.Sequential([keras.Input((4,)), hidden, layers.Dense(3, "softmax")])


def eventful() -> Any:
    hidden = [layers.Dense(6), layers.BatchNormalization(), layers.Dropout(0.3)]
    return keras.Sequential([keras.Input((4,)), *hidden, layers.Dense(3, "softmax")])


def normalized() -> Any:
    hidden = [layers.Dense(6), layers.BatchNormalization()]
    return keras.Sequential([keras.Input((4,)), *hidden, layers.Dense(3, "softmax")])


def convolved() -> Any:
    # With XLA the same seed would draw other dropout masks; a convolution keeps it off.
    hidden = [layers.Reshape((4, 1)), layers.Conv1D(3, 2), layers.Flatten(), layers.Dropout(0.3)]
    return keras.Sequential([keras.Input((4,)), *hidden, layers.Dense(3, "softmax")])


def recurrent() -> Any:
    hidden = [layers.Reshape((4, 1)), layers.LSTM(5)]
    return keras.Sequential([keras.Input((4,)), *hidden, layers.Dense(3, "softmax")])


def two_sided() -> Any:
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    joined = layers.Concatenate()([layers.Dense(5, "relu")(a), b])
    outputs = [layers.Dense(3, "softmax", name=name)(joined) for name in ("p", "q")]
    return keras.Model([a, b], outputs)


def stop(monitor: str, **config: Any) -> dict[str, Any]:
    return {"class_name": "EarlyStopping", "config": {"monitor": monitor, **config}}


def reduce(monitor: str, **config: Any) -> dict[str, Any]:
    return {"class_name": "ReduceLROnPlateau", "config": {"monitor": monitor, **config}}


PATIENT = [stop("accuracy", patience=99)]
TWO = {"loss": ["sparse_categorical_crossentropy"] * 2, "metrics": [["accuracy"], ["accuracy"]]}
ALIKE: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "dense": (dense, rows, {}),
    "batch norm": (normalized, rows, {}),
    "dropout": (convolved, rows, {}),
    "recurrent": (recurrent, rows, {"optimizer": "rmsprop"}),
    "sample weights": (dense, lambda: rows(weighted=True), {}),
    "class weights": (dense, rows, {"fit": {"class_weight": {"0": 3.0, "2": 0.5}}}),
    "two outputs": (two_sided, lambda: twice(rows(weighted=True)), TWO),
    "no shuffling": (dense, rows, {"fit": {"shuffle": False}}),
    "whole batches": (dense, lambda: rows(64), {}),
    "averaged weights": (dense, rows, {"optimizer": keras.optimizers.SGD(0.1, use_ema=True)}),
}


@pytest.mark.parametrize("name", ALIKE)
def test_both_engines_train_the_same_weights(lab: Any, edited: Any, name: str) -> None:
    make, rows_of_case, fields = ALIKE[name]
    program = lab.program(make(), rows_of_case(), **{"optimizer": "sgd", **fields})
    monitor = "p_accuracy" if name == "two outputs" else "accuracy"
    other = edited(program, "/callbacks", [stop(monitor, patience=99)])
    trainer = lab.trainer(program)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (ours,), (theirs,) = (trainer.train(one, [STREAMS]) for one in (program, other))
    assert (ours.engine, theirs.engine) == ("compiled", "fit")
    assert lab.difference(initial, ours.weights) > 1e-3
    assert lab.difference(ours.weights, theirs.weights) <= 1e-4
    assert (ours.epochs, ours.steps) == (theirs.epochs, theirs.steps)
    assert ours.metric == pytest.approx(theirs.metric, abs=0.03)


def test_deleted_rows_are_not_trained_in_either_engine(lab: Any, edited: Any) -> None:
    parameters = {"percentage": 37.0, "task": "classification"}
    delete = {"name": "delete_rows", "parameters": parameters, "roles": ["train"]}
    program = edited(lab.program(dense(), rows()), "/transforms", [delete])
    trainer = lab.trainer(program)
    both = [program, edited(program, "/callbacks", PATIENT)]
    (ours,), (theirs,) = (trainer.train(one, [STREAMS]) for one in both)
    assert lab.difference(ours.weights, theirs.weights) <= 1e-4
    assert ours.steps == theirs.steps < 15


CALLBACKS = {
    "accuracy": (dense, [stop("accuracy", patience=1, min_delta=0.02)], {}),
    "best weights": (dense, [stop("accuracy", patience=1, restore_best_weights=True)], {}),
    "lower rate": (dense, [reduce("accuracy", patience=1, min_delta=0.5)], {}),
    "one of two outputs": (two_sided, [stop("q_accuracy", patience=1, min_delta=0.05)], TWO),
    "a metric with arguments": (
        dense,
        [stop("sparse_top_k_categorical_accuracy", patience=1, min_delta=0.02)],
        {"metrics": [{"class_name": "SparseTopKCategoricalAccuracy", "config": {"k": 2}}]},
    ),
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_callbacks_on_training_rows_do_what_they_do_in_fit(lab: Any, name: str) -> None:
    make, callbacks, fields = CALLBACKS[name]
    model, train, validation = make(), rows(weighted=True), rows(37, 2)
    if make is two_sided:
        train, validation = twice(train), twice(validation)
    program = lab.program(
        model,
        train,
        validation=validation,
        callbacks=callbacks,
        optimizer=keras.optimizers.SGD(0.5, momentum=0.9),
        fit={"epochs": 12, "shuffle": False},
        **fields,
    )
    trainer = lab.trainer(program)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (result,) = trainer.train(program, [STREAMS])
    lab.compile(model, program, initial)
    given = [
        getattr(keras.callbacks, c["class_name"])(**{"mode": "max", **c["config"]})
        for c in callbacks
    ]
    history = lab.fit(
        model,
        program,
        train,
        epochs=12,
        validation_data=(lab.listed(validation.x), lab.listed(validation.y)),
        callbacks=given,
    )
    assert (result.engine, result.epochs) == ("fit", len(history.epoch))
    assert lab.difference(result.weights, model.get_weights()) <= 1e-4
    if name == "lower rate":
        assert float(model.optimizer.learning_rate) < 0.1
        rate = trainer.compiled(program).learning_rate()
        assert rate == pytest.approx(float(model.optimizer.learning_rate))
    else:
        assert result.epochs < 12


def test_arguments_of_fit_reach_it(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = keras.Model.fit
    monkeypatch.setattr(
        keras.Model, "fit", lambda self, *a, **o: calls.append(o) or original(self, *a, **o)
    )
    fit = {"initial_epoch": 1, "validation_freq": 2, "validation_steps": 1}
    program = lab.program(dense(), rows(), validation=rows(37, 2), fit=fit)
    (result,) = lab.trainer(program).train(program, [STREAMS])
    assert (result.engine, result.epochs, result.steps) == ("fit", 2, 10)
    assert [call | fit for call in calls] == calls and len(calls) == 1


def test_nothing_that_ran_earlier_matters(lab: Any, edited: Any) -> None:
    clean = lab.program(eventful(), rows(), optimizer="adam")
    program = edited(clean, "/callbacks", PATIENT)
    trainer = lab.trainer(program)
    first, second = trainer.train(program, [Streams(0, 0), Streams(0, 1)])
    trainer.train(clean, [Streams(0, 4)])
    trainer.train(edited(program, "/optimizer/config/learning_rate", 0.5), [Streams(0, 0)])
    again = trainer.train(program, [Streams(0, 1), Streams(0, 0)])
    assert lab.difference(again[1].weights, first.weights) == 0
    assert lab.difference(again[0].weights, second.weights) == 0
    assert lab.difference(first.weights, second.weights) > 1e-3


def test_programs_share_a_model_where_their_metrics_are_the_same(lab: Any, edited: Any) -> None:
    program = lab.program(dense(), rows(), callbacks=PATIENT)
    trainer = lab.trainer(program)
    model = trainer.compiled(program)
    assert isinstance(model, Fitted)
    assert trainer.compiled(edited(program, "/fit/epochs", 7)) is model
    assert trainer.compiled(edited(program, "/metrics", ["accuracy", "auc"])) is not model
    assert not isinstance(trainer.compiled(edited(program, "/callbacks", [])), Fitted)


def test_a_program_that_fit_refuses_is_incompetent(lab: Any, edited: Any) -> None:
    program = lab.program(dense(), rows(), callbacks=PATIENT)
    with pytest.raises(TrainingFailed, match=r"^ValueError: .*must have the same rank"):
        lab.trainer(program).train(edited(program, "/loss", "categorical_crossentropy"), [STREAMS])


PROGRAM = """
import hashlib, sys
import numpy as np
from faultloom.datasets.program import TrainingProgram
from faultloom.generator.scoring import Judge
from faultloom.generator.streams import Streams
from faultloom.generator.trainer import Trainer, pin_threads

pin_threads()
program = TrainingProgram(open(sys.argv[1]).read())
trainer = Trainer(dict(np.load(sys.argv[2])), Judge.of(program, "classification"))
for result in trainer.train(program, [Streams(5, 0), Streams(5, 1)]):
    print(result.engine, hashlib.sha256(b"".join(w.tobytes() for w in result.weights)).hexdigest())
"""


def test_two_processes_train_the_same_bits(lab: Any, tmp_path: Any) -> None:
    program = lab.program(eventful(), rows(), optimizer="adam", callbacks=PATIENT)
    names = [tmp_path / name for name in ("train.py", "program.json", "arrays.npz")]
    names[0].write_text(PROGRAM)
    names[1].write_text(program.text)
    np.savez(names[2], **lab.arrays)
    command = [sys.executable, *map(str, names)]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "random"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    runs = [subprocess.Popen(command, env=environment, **pipes) for _ in range(2)]
    lines = []
    for run in runs:
        found, complaint = run.communicate(timeout=300)
        assert run.returncode == 0, complaint
        lines.append(found.splitlines())
    assert lines[0] == lines[1] and len(set(lines[0])) == 2
    assert all(line.startswith("fit ") for line in lines[0])
