"""Which programs the compiled loop trains, and which Keras's own `fit`."""

from typing import Any

import pytest
from faultloom.generator.engine import engine_of
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf


def callback(name: str, **config: Any) -> dict[str, Any]:
    return {"class_name": name, "config": config}


@pytest.mark.parametrize(
    ("callbacks", "engine"),
    [
        ([], "compiled"),
        ([callback("EarlyStopping")], "compiled"),
        ([callback("TerminateOnNaN")], "compiled"),
        ([callback("ReduceLROnPlateau", monitor="loss")], "compiled"),
        ([callback("EarlyStopping", monitor="val_accuracy")], "compiled"),
        ([callback("EarlyStopping", monitor="accuracy")], "fit"),
        ([callback("TerminateOnNaN"), callback("ReduceLROnPlateau", monitor="precision")], "fit"),
    ],
)
def test_callbacks_on_metrics_of_training_rows_need_fit(callbacks: Any, engine: str) -> None:
    assert engine_of(small_program(callbacks=callbacks)) == engine


@pytest.mark.parametrize("name", ["initial_epoch", "validation_freq", "validation_steps"])
def test_arguments_that_the_loop_does_not_know_need_fit(edited: Any, name: str) -> None:
    program = small_program()
    assert engine_of(program) == "compiled"
    fit = program.document()["fit"]
    assert engine_of(edited(program, "/fit", {**fit, name: 2})) == "fit"
