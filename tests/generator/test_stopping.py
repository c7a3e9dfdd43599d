"""Callbacks between epochs do what they do in Keras's own `fit`."""

from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import SubjectError
from faultloom.generator.stopping import Callbacks
from faultloom.generator.streams import Streams

pytestmark = [
    pytest.mark.tf,
    # ReduceLROnPlateau reads the rate in a way that NumPy deprecates.
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning:keras"),
]

STREAMS = Streams(1, 0)
EPOCHS = 8
layers = keras.layers


def rows(n: int, seed: int, *, weighted: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype("float32")
    weights = rng.random(n).astype("float32") * 4 if weighted else None
    return Rows((x,), (rng.integers(0, 3, n),), weights)


def dense(**options: Any) -> Any:
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(8, "relu", kernel_regularizer="l2", **options),
            layers.Dense(3, "softmax"),
        ]
    )


def normalised() -> Any:
    hidden = [layers.Dense(6), layers.BatchNormalization(momentum=0.5), layers.ReLU()]
    return keras.Sequential([keras.Input((4,)), *hidden, layers.Dense(3, "softmax")])


def two_outputs() -> Any:
    x = keras.Input((4,))
    hidden = layers.Dense(8, "relu")(x)
    return keras.Model(
        x, [layers.Dense(3, "softmax", name="a")(hidden), layers.Dense(3, "softmax", name="b")(x)]
    )


def record(name: str, **config: Any) -> dict[str, Any]:
    return {"class_name": name, "config": config}


def stop(monitor: str = "val_loss", **config: Any) -> dict[str, Any]:
    return record(
        "EarlyStopping", **({} if monitor == "val_loss" else {"monitor": monitor}), **config
    )


def reduce(**config: Any) -> dict[str, Any]:
    return record("ReduceLROnPlateau", **config)


ACTIVITY = {"activity_regularizer": keras.regularizers.L2(0.3)}
LOSS_AND_ACCURACY = {
    "loss": ["sparse_categorical_crossentropy"] * 2,
    "metrics": [["accuracy"], ["accuracy"]],
}
CASES: dict[str, tuple[Any, list[Any], dict[str, Any]]] = {
    "loss of validation": (dense, [stop(patience=1)], {}),
    "best weights": (dense, [stop(patience=2, restore_best_weights=True)], {}),
    "best weights of batch norm": (normalised, [stop(restore_best_weights=True)], {}),
    "accuracy": (dense, [stop("val_accuracy", patience=1)], {}),
    "minimal gain": (dense, [stop("loss", min_delta=0.02)], {}),
    "baseline": (dense, [stop(baseline=0.1, patience=2)], {}),
    "late start": (dense, [stop(start_from_epoch=3)], {}),
    "weighted validation": (dense, [stop(patience=1)], {"weighted": True}),
    "activity": (lambda: dense(**ACTIVITY), [stop(patience=1)], {}),
    "lower rate": (dense, [reduce(patience=1, factor=0.2)], {}),
    "lower rate, then stop": (dense, [reduce(patience=1, min_lr=0.05), stop(patience=3)], {}),
    "one of two outputs": (
        two_outputs,
        [stop("val_b_accuracy", mode="max", patience=1)],
        LOSS_AND_ACCURACY,
    ),
    "loss of two outputs": (two_outputs, [stop(patience=1)], LOSS_AND_ACCURACY),
}


@pytest.mark.parametrize("name", CASES)
def test_epochs_and_weights_are_those_of_fit(lab: Any, name: str) -> None:
    make, callbacks, fields = CASES[name]
    fields = dict(fields)
    model, train = make(), rows(70, 1)
    validation = rows(37, 2, weighted=fields.pop("weighted", False))
    if len(model.outputs) > 1:
        train = Rows(train.x, (*train.y, train.y[0]))
        validation = Rows(validation.x, (*validation.y, validation.y[0][::-1].copy()))
    program = lab.program(
        model,
        train,
        validation=validation,
        callbacks=callbacks,
        optimizer=keras.optimizers.SGD(0.5, momentum=0.9),
        fit={"epochs": EPOCHS, "shuffle": False},
        **fields,
    )
    trainer = lab.trainer(program)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (result,) = trainer.train(program, [STREAMS])
    lab.compile(model, program, initial)
    history = lab.fit(
        model,
        program,
        train,
        epochs=EPOCHS,
        validation_data=(lab.listed(validation.x), lab.listed(validation.y))
        + (() if validation.sample_weight is None else (validation.sample_weight,)),
        callbacks=[getattr(keras.callbacks, c["class_name"])(**c["config"]) for c in callbacks],
    )
    assert result.epochs == len(history.epoch)
    assert lab.difference(result.weights, model.get_weights()) <= 1e-4
    if "rate" in name:
        assert float(model.optimizer.learning_rate) < 0.2
        rate = trainer.compiled(program).learning_rate()
        assert rate == pytest.approx(float(model.optimizer.learning_rate))
    else:
        assert 1 <= result.epochs < EPOCHS


def test_stopping_on_undefined_numbers_as_in_fit(lab: Any) -> None:
    model, train = dense(), rows(70, 1)
    program = lab.program(
        model,
        train,
        callbacks=[record("TerminateOnNaN")],
        optimizer=keras.optimizers.SGD(1e30),
        fit={"epochs": EPOCHS, "shuffle": False},
    )
    trainer = lab.trainer(program)
    initial = lab.initial_weights(trainer, program, STREAMS)
    (result,) = trainer.train(program, [STREAMS])
    lab.compile(model, program, initial)
    stopped = lab.fit(
        model, program, train, epochs=EPOCHS, callbacks=[keras.callbacks.TerminateOnNaN()]
    )
    assert (result.outcome, result.epochs) == ("diverged", len(stopped.epoch))


def test_a_diverged_run_is_no_error_where_the_script_asks_for_one(lab: Any) -> None:
    callbacks = [record("TerminateOnNaN", raise_error=True)]
    program = lab.program(
        dense(), rows(70, 1), callbacks=callbacks, optimizer=keras.optimizers.SGD(1e30)
    )
    (result,) = lab.trainer(program).train(program, [STREAMS])
    assert (result.outcome, result.epochs) == ("diverged", 1)


def test_what_is_not_logged_is_not_waited_for(lab: Any) -> None:
    program = lab.program(dense(), rows(70, 1), callbacks=[stop()], fit={"epochs": 4})
    with pytest.warns(UserWarning, match="`val_loss` which is not available"):
        (result,) = lab.trainer(program).train(program, [STREAMS])
    assert result.epochs == 4


class Model:
    """Weights are a number; what callbacks need of a compiled model."""

    def __init__(self) -> None:
        self.value = 0.0
        self.optimizer = keras.optimizers.SGD(1.0)

    def weights(self) -> list[float]:
        return [self.value]

    def set_weights(self, values: list[float]) -> None:
        (self.value,) = values


def driven(records: list[Any], logs: list[dict[str, float]]) -> tuple[int, Model]:
    model = Model()
    callbacks = Callbacks(records, model)
    epochs = 0
    for epoch, seen in enumerate(logs):
        model.value = float(epoch)
        epochs += 1
        if not callbacks.epoch_ended(epoch, {"loss": 1.0, **seen}):
            break
    callbacks.training_ended()
    return epochs, model


@pytest.mark.parametrize(
    ("monitor", "values", "epochs", "best"),
    [
        ("val_accuracy", [0.1, 0.5, 0.4, 0.9], 3, 1.0),
        ("val_loss", [3.0, 1.0, 2.0, 0.0], 3, 1.0),
        ("val_mean_absolute_error", [3.0, 1.0, 2.0, 0.0], 3, 1.0),
        ("val_auc", [0.1, 0.5, 0.4, 0.9], 3, 1.0),
        ("val_loss", [3.0, 2.0, 1.0, 0.5], 4, 3.0),
    ],
)
def test_direction_follows_from_the_name(
    monitor: str, values: list[float], epochs: int, best: float
) -> None:
    records = [stop(monitor, patience=1, restore_best_weights=True)]
    done, model = driven(records, [{monitor: value} for value in values])
    assert (done, model.value) == (epochs, best)


def test_a_given_mode_wins_over_the_name() -> None:
    records = [stop("val_accuracy", mode="min", restore_best_weights=True)]
    done, model = driven(records, [{"val_accuracy": value} for value in (0.5, 0.4, 0.6, 0.1)])
    assert (done, model.value) == (3, 1.0)


def test_a_plateau_lowers_the_rate_down_to_its_floor() -> None:
    records = [reduce(patience=2, factor=0.1, min_lr=0.05)]
    done, model = driven(records, [{"val_loss": 1.0}] * 7)
    assert done == 7
    assert float(model.optimizer.learning_rate) == pytest.approx(0.05)


def test_no_callbacks_are_false() -> None:
    assert not Callbacks([], Model())
    assert Callbacks([record("TerminateOnNaN")], Model())


def test_other_callbacks_are_refused() -> None:
    with pytest.raises(SubjectError, match=r"expected EarlyStopping.*received LambdaCallback"):
        Callbacks([record("LambdaCallback")], Model())
