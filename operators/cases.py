"""The small program on which operators show what they do."""

from __future__ import annotations

from ..datasets.program import Json, TrainingProgram

LAYERS = "/architecture/config/layers"

_RECORD = {"x": ["x"], "y": ["y"], "rows": 320, "sample_weight": None}


def _layer(class_name: str, name: str, **config: Json) -> Json:
    return {"class_name": class_name, "config": {"name": name, **config}}


def small_program(**fields: Json) -> TrainingProgram:
    """Return a canonical program: Dense relu, Dropout, Dense softmax on four inputs.

    Args:
        fields: fields of the program to replace.
    """
    shape = {"batch_shape": [None, 4], "sparse": False, "ragged": False}
    layers = [
        _layer("InputLayer", "input_layer", **shape),
        _layer("Dense", "dense", units=8, activation="relu"),
        _layer("Dropout", "dropout", rate=0.5),
        _layer("Dense", "dense_1", units=3, activation="softmax"),
    ]
    document: dict[str, Json] = {
        "architecture": _layer("Sequential", "sequential", layers=layers),
        "callbacks": [],
        "data": dict.fromkeys(("train", "validation", "judge", "test"), _RECORD),
        "fit": {"batch_size": 32, "class_weight": None, "epochs": 20, "shuffle": True},
        "initial_weights": None,
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "optimizer": {"class_name": "Adam", "config": {"learning_rate": 0.001}},
        "transforms": [],
        "weight_edits": [],
    }
    return TrainingProgram.of(document | fields)
