"""Programs share a traced function if, and only if, they differ in what reaches it as values."""

from typing import Any

import keras
import pytest
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import replaced
from faultloom.generator.graph_key import graph_key
from faultloom.operators import operator
from faultloom.operators.cases import LAYERS, small_program

pytestmark = pytest.mark.tf

FIRST = f"{LAYERS}/1/config"
RECORD = {"x": ["other"], "y": ["y"], "sample_weight": "w"}
DELETE = {"name": "delete_rows", "parameters": {"percentage": 5.0}, "roles": ["train"]}
HELD_OUTSIDE = {
    "learning rate": ("/optimizer/config/learning_rate", 0.5),
    "initialiser": (f"{FIRST}/kernel_initializer", {"class_name": "Zeros", "config": {}}),
    "seed of an initialiser": (
        f"{FIRST}/kernel_initializer",
        {"class_name": "HeNormal", "config": {"seed": 3}},
    ),
    "epochs": ("/fit/epochs", 3),
    "shuffling": ("/fit/shuffle", False),
    "class weights": ("/fit/class_weight", {"0": 2.0}),
    "callbacks": ("/callbacks", [{"class_name": "EarlyStopping", "config": {"patience": 3}}]),
    "training data": ("/data/train", RECORD),
    "no validation data": ("/data/validation", None),
    "transforms": ("/transforms", [DELETE]),
    "weight edits": ("/weight_edits", [{"name": "gaussian_fuzzing", "parameters": {}}]),
    "metrics": ("/metrics", []),
}
TRACED = {
    "units": (f"{FIRST}/units", 9),
    "activation": (f"{FIRST}/activation", "tanh"),
    "regulariser": (f"{FIRST}/kernel_regularizer", {"class_name": "L2", "config": {"l2": 0.1}}),
    "dropout rate": (f"{LAYERS}/2/config/rate", 0.25),
    "frozen layer": (f"{FIRST}/trainable", False),
    "loss": ("/loss", "kl_divergence"),
    "batch size": ("/fit/batch_size", 16),
    "optimizer": ("/optimizer", {"class_name": "SGD", "config": {"learning_rate": 0.001}}),
    "momentum": ("/optimizer/config/beta_1", 0.5),
    "schedule": (
        "/optimizer/config/learning_rate",
        {"class_name": "CosineDecay", "config": {"decay_steps": 5, "initial_learning_rate": 0.1}},
    ),
}


def changed(slot: str, value: Any) -> TrainingProgram:
    program = TrainingProgram.of(replaced(small_program().document(), slot, value))
    assert program != small_program()
    return program


@pytest.mark.parametrize("what", HELD_OUTSIDE)
def test_what_reaches_the_trace_as_a_value_is_shared(what: str) -> None:
    assert graph_key(changed(*HELD_OUTSIDE[what])) == graph_key(small_program())


@pytest.mark.parametrize("what", TRACED)
def test_what_is_traced_is_not_shared(what: str) -> None:
    assert graph_key(changed(*TRACED[what])) != graph_key(small_program())


def test_all_traced_changes_have_keys_of_their_own() -> None:
    assert len({graph_key(changed(*change)) for change in TRACED.values()}) == len(TRACED)


def test_two_schedules_do_not_share() -> None:
    slot, schedule = TRACED["schedule"]
    slower = {**schedule, "config": {**schedule["config"], "decay_steps": 6}}
    assert graph_key(changed(slot, schedule)) != graph_key(changed(slot, slower))


def test_the_program_is_left_alone() -> None:
    program = small_program()
    text = program.text
    graph_key(program)
    assert program.text == text and "learning_rate" in program.document()["optimizer"]["config"]


def test_initialisers_of_nested_models_are_shared() -> None:
    def nested(initializer: str) -> TrainingProgram:
        dense = keras.layers.Dense(3, kernel_initializer=initializer)
        inner = keras.Sequential([keras.Input((4,)), dense])
        architecture = canonical_model(keras.Sequential([keras.Input((4,)), inner]))
        return canonicalize({**small_program().document(), "architecture": architecture})

    assert nested("zeros") != nested("he_normal")
    assert graph_key(nested("zeros")) == graph_key(nested("he_normal"))


@pytest.mark.parametrize("code", ["HLR", "HNE", "WCI", "TCL", "TRD", "NGF", "SHAM"])
def test_these_operators_keep_the_trace(code: str) -> None:
    program, acting = small_program(), operator(code)
    keys = {
        graph_key(acting.apply(program, site, parameters))
        for site in acting.sites(program)
        for parameters in acting.variants(program, site)
    }
    assert keys == {graph_key(program)}
