"""Callbacks that act for the wrong reason."""

from typing import Any

import pytest
from faultloom.datasets.program import Json, TrainingProgram
from faultloom.datasets.slots import ABSENT
from faultloom.operators import Site, operator
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf


def program(name: str = "EarlyStopping", *, validated: bool = True, **config: Json) -> Any:
    record = {"class_name": name, "config": config}
    data = small_program().document()["data"]
    data = data if validated else {**data, "validation": None}
    return small_program(
        callbacks=[{"class_name": "TerminateOnNaN", "config": {}}, record], data=data
    )


def config(code: str, clean: TrainingProgram, **parameters: Json) -> Json:
    (site,) = operator(code).sites(clean)
    return operator(code).apply(clean, site, parameters).document()["callbacks"][1]["config"]


@pytest.mark.parametrize(
    ("patience", "values"), [(10, [[5, 1]]), (30, [[15, 3, 1]]), (2, [[1]]), (1, []), (0, [])]
)
def test_patience_runs_out_earlier(patience: int, values: Any, new_values: Any) -> None:
    assert new_values("RCP", program(patience=patience)) == values


def test_patience_is_searched_down_to_one() -> None:
    clean = program(patience=10)
    (site,) = operator("RCP").sites(clean)
    found = operator("RCP").ranges(clean, site)["patience"]
    assert (found.low, found.high, found.direction, found.integer) == (1, 10, "decreasing", True)


def test_no_patience_or_that_of_a_plateau_cannot_be_less(new_values: Any) -> None:
    assert new_values("RCP", program()) == []
    assert new_values("RCP", program("ReduceLROnPlateau", patience=5)) == []


def test_a_default_is_left_out_of_the_record() -> None:
    assert config("RCP", program(patience=3, min_delta=0.1), patience=0) == {"min_delta": 0.1}
    assert config("CRB", program(restore_best_weights=True), restore_best_weights=False) == {}
    assert config("CMO", program(monitor="loss"), monitor="val_loss") == {}


def test_more_progress_is_demanded_than_before(new_values: Any) -> None:
    assert new_values("CES", program()) == [[0.01, 0.1, 1.0]]
    assert new_values("CES", program(min_delta=0.05)) == [[0.1, 1.0]]


def test_what_is_monitored_is_logged(new_values: Any) -> None:
    assert new_values("CMO", program()) == [["loss", "val_accuracy"]]
    assert new_values("CMO", program(monitor="val_accuracy")) == [["loss", ABSENT]]
    plateau = program("ReduceLROnPlateau", monitor="val_accuracy")
    assert new_values("CMO", plateau) == [["loss", ABSENT]]
    assert new_values("CMO", program(validated=False, monitor="loss")) == []


def test_of_several_outputs_the_whole_loss_is_monitored(new_values: Any) -> None:
    record = {"class_name": "EarlyStopping", "config": {"monitor": "loss"}}
    clean = small_program(callbacks=[record], metrics=[["accuracy"], []])
    assert new_values("CMO", clean) == [[ABSENT]]


@pytest.mark.parametrize(
    ("monitor", "wrong"), [("val_loss", "max"), ("val_accuracy", "min"), ("val_mse", "max")]
)
def test_the_mode_is_the_one_that_is_wrong(monitor: str, wrong: str, new_values: Any) -> None:
    right = {"max": "min", "min": "max"}[wrong]
    assert new_values("CWD", program(monitor=monitor)) == [[wrong]]
    assert new_values("CWD", program(monitor=monitor, mode=right)) == [[wrong]]
    assert new_values("CWD", program(monitor=monitor, mode=wrong)) == []


def test_weights_that_are_not_restored_cannot_be_kept(new_values: Any) -> None:
    assert new_values("CRB", program()) == []
    assert new_values("CRB", small_program()) == []


def test_the_site_is_the_callback_by_its_place() -> None:
    assert operator("CWD").sites(program()) == (Site("/callbacks/1/config/mode"),)
