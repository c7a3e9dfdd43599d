"""Runs that diverge, programs that cannot be trained, and faults that are our own."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import SubjectError, TrainingFailed
from faultloom.generator.compiled import Compiled
from faultloom.generator.streams import Streams

pytestmark = pytest.mark.tf

layers = keras.layers
UNIT = "/architecture/config/layers/1/config"
STREAMS = [Streams(0, 0)]


def rows(classes: int = 3) -> Rows:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 4)).astype("float32")
    return Rows((x,), (rng.integers(0, classes, 40),))


def numbers(outputs: int) -> Rows:
    x = rows().x[0]
    targets = [x.sum(1, keepdims=True) + output for output in range(outputs)]
    return Rows((x,), tuple(targets))


def dense() -> Any:
    return keras.Sequential(
        [keras.Input((4,)), layers.Dense(8, "relu"), layers.Dense(3, "softmax")]
    )


def regression(outputs: int) -> Any:
    x = keras.Input((4,))
    return keras.Model(x, [layers.Dense(1)(x) for _ in range(outputs)])


def test_a_diverged_classifier_is_all_wrong(lab: Any) -> None:
    program = lab.program(dense(), rows(), optimizer=keras.optimizers.SGD(1e30))
    (result,) = lab.trainer(program).train(program, STREAMS)
    assert (result.outcome, result.epochs, result.steps) == ("diverged", 3, 9)
    assert result.metric == {"train": 0.0, "judge": 0.0}
    assert all(np.isnan(loss) for loss in result.loss.values())


@pytest.mark.parametrize(
    ("metrics", "error"),
    [([], np.square), (["mean_squared_error"], np.square), (["mean_absolute_error"], np.abs)],
)
def test_a_diverged_regression_is_the_constant_predictor(
    lab: Any, metrics: list[str], error: Any
) -> None:
    found = numbers(1)
    program = lab.program(
        regression(1),
        found,
        loss="mean_squared_error",
        metrics=metrics,
        optimizer=keras.optimizers.SGD(1e30),
    )
    (result,) = lab.trainer(program).train(program, STREAMS)
    assert result.outcome == "diverged"
    target = found.y[0]
    assert result.metric["train"] == pytest.approx(error(target - target.mean()).mean(), rel=1e-5)


def test_a_diverged_regression_on_several_outputs_without_metrics(lab: Any) -> None:
    found = numbers(2)
    program = lab.program(
        regression(2),
        found,
        loss=["mean_squared_error", "mean_absolute_error"],
        metrics=[],
        optimizer=keras.optimizers.SGD(1e30),
    )
    (result,) = lab.trainer(program).train(program, STREAMS)
    first, second = (target - target.mean() for target in found.y)
    expected = np.square(first).mean() + np.abs(second).mean()
    assert result.metric["train"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("slot", "value", "message"),
    [
        ("/loss", "categorical_crossentropy", "^ValueError: .* must have the same rank"),
        ("/loss", "kl_divergence", "^ValueError: Dimensions must be equal, but are 16 and 3"),
        ("/loss", "no_such_loss", "^ValueError: .*no_such_loss"),
        (f"{UNIT}/units", 0, "^TypeError: Received an invalid value for `units`"),
        (f"{UNIT}/activation", "no_such", "^TypeError: Could not interpret .*no_such"),
        (f"{UNIT}/dtype", "no_such", "^TypeError: .*no_such"),
    ],
)
def test_programs_that_cannot_be_trained_fail_in_one_telling_line(
    lab: Any, edited: Any, slot: str, value: Any, message: str
) -> None:
    clean = lab.program(dense(), rows())
    with pytest.raises(TrainingFailed, match=message) as caught:
        lab.trainer(clean).train(edited(clean, slot, value), STREAMS)
    text = str(caught.value)
    assert len(text) <= 300
    for noise in ("\n", "in user code", "File ", "\x1b", "Exception encountered"):
        assert noise not in text


def test_rows_that_do_not_fit_the_model_fail_in_one_telling_line(lab: Any) -> None:
    narrow = Rows((rows().x[0][:, :3],), rows().y)
    with pytest.raises(TrainingFailed, match=r"^ValueError: Input 0 .* to have value 4"):
        program = lab.program(dense(), narrow)
        lab.trainer(program).train(program, STREAMS)


def convolution() -> Any:
    head = [layers.Reshape((4, 1)), layers.Conv1D(2, 2), layers.Flatten()]
    return keras.Sequential([keras.Input((4,)), *head, layers.Dense(3, "softmax")])


SPARSE = {"class_name": "SparseCategoricalCrossentropy", "config": {"ignore_class": 8}}


@pytest.mark.parametrize("make", [dense, convolution], ids=["XLA", "no XLA"])
@pytest.mark.parametrize(("label", "received"), [(3, "3"), (-1, "-1")])
@pytest.mark.parametrize("loss", ["sparse_categorical_crossentropy", SPARSE])
@pytest.mark.parametrize("role", ["train", "validation"])
def test_labels_outside_the_classes_fail_with_xla_and_without(
    lab: Any, make: Any, label: int, received: str, loss: Any, role: str
) -> None:
    wrong = rows()
    wrong.y[0][7] = label
    roles = {"rows": wrong} if role == "train" else {"rows": rows(), "validation": wrong}
    program = lab.program(make(), **roles, held=rows(), loss=loss)
    message = f"^labels: expected 0 to 2 for an output of 3 classes; received {received}$"
    with pytest.raises(TrainingFailed, match=message):
        lab.trainer(program).train(program, STREAMS)


def test_a_label_that_the_loss_ignores_is_none_of_the_classes(lab: Any) -> None:
    found = rows()
    found.y[0][7] = 8
    program = lab.program(dense(), found, held=rows(), loss=SPARSE)
    (result,) = lab.trainer(program).train(program, STREAMS)
    assert result.outcome == "completed"


def test_a_failure_leaves_the_trainer_usable(lab: Any, edited: Any) -> None:
    clean = lab.program(dense(), rows())
    trainer = lab.trainer(clean)
    (before,) = trainer.train(clean, STREAMS)
    with pytest.raises(TrainingFailed):
        trainer.train(edited(clean, "/loss", "kl_divergence"), STREAMS)
    (after,) = trainer.train(clean, STREAMS)
    assert lab.difference(before.weights, after.weights) == 0


def test_arrays_that_are_missing_are_no_fault_of_the_program(lab: Any) -> None:
    program = lab.program(dense(), rows())
    trainer = lab.trainer(program)
    lab.arrays.pop(program.document()["data"]["train"]["x"][0])
    with pytest.raises(SubjectError, match="not among the subject's arrays"):
        trainer.train(program, STREAMS)


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError, IndexError, RuntimeError])
@pytest.mark.parametrize("where", ["reset", "epoch", "predict", "_step", "_loss"])
def test_faults_of_ours_are_not_the_programs(
    lab: Any, monkeypatch: pytest.MonkeyPatch, where: str, error: type[Exception]
) -> None:
    def broken(self: Compiled, *_: Any, **__: Any) -> None:
        raise error("ours")

    program = lab.program(dense(), rows())
    trainer = lab.trainer(program)
    monkeypatch.setattr(Compiled, where, broken)
    with pytest.raises(error, match="ours"):
        trainer.train(program, STREAMS)


@pytest.mark.parametrize(
    "target",
    [
        "scoring.Judge.score",
        "scoring._metric",
        "stopping.Callbacks.epoch_ended",
        "streams.Streams.seed",
        "initial._seeded",
        "trainer.apply_weight_edit",
        "trainer.apply_transforms",
    ],
)
def test_a_fault_anywhere_in_our_code_propagates(
    lab: Any, edited: Any, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("ours")

    stop = {"class_name": "EarlyStopping", "config": {"monitor": "loss"}}
    parameters = {"percentage": 50.0, "task": "classification"}
    delete = {"name": "delete_rows", "parameters": parameters, "roles": ["train"]}
    fuzzing = {"layer": "dense", "magnitude": 2.0, "neurons": [0], "units": 8}
    edit = {"name": "gaussian_fuzzing", "parameters": fuzzing}
    program = lab.program(dense(), rows(), callbacks=[stop])
    program = edited(edited(program, "/transforms", [delete]), "/weight_edits", [edit])
    monkeypatch.setattr(f"faultloom.generator.{target}", broken)
    with pytest.raises(ValueError, match=r"^ours$"):
        lab.trainer(program).train(program, STREAMS)


def test_a_head_that_the_loss_cannot_use_is_the_programs(lab: Any, edited: Any) -> None:
    found = rows()
    one_hot = Rows(found.x, (np.eye(3, dtype="float32")[found.y[0]],))
    clean = lab.program(dense(), one_hot, loss="categorical_crossentropy", metrics=[])
    wide = edited(clean, "/architecture/config/layers/2/config/units", 5)
    with pytest.raises(TrainingFailed, match=r"^(ValueError|InvalidArgumentError): "):
        lab.trainer(clean).train(wide, STREAMS)


@pytest.mark.parametrize("error", [MemoryError, tf.errors.ResourceExhaustedError])
def test_memory_that_runs_out_is_no_verdict(
    lab: Any, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    def full(*_: Any) -> None:
        raise error(*((None, None, "full") if error is not MemoryError else ("full",)))

    program = lab.program(dense(), rows())
    monkeypatch.setattr(Compiled, "epoch", full)
    with pytest.raises(MemoryError, match="full"):
        lab.trainer(program).train(program, STREAMS)
