"""Small programs on which operators show what they do."""

from __future__ import annotations

from ..datasets.program import Json, TrainingProgram

LAYERS = "/architecture/config/layers"

_RECORD = {"x": ["x"], "y": ["y"], "rows": 320, "sample_weight": None}


def layer(class_name: str, name: str, **config: Json) -> Json:
    """Return a serialised layer, as canonical form stores it.

    Args:
        class_name: of Keras.
        name: of the layer.
        config: arguments that differ from Keras's defaults.
    """
    return {"class_name": class_name, "config": {"name": name, **config}}


def input_layer(*shape: int, **config: Json) -> Json:
    """Return the input of a stack of layers.

    Args:
        shape: of one row.
        config: arguments that differ from Keras's defaults.
    """
    batch_shape = [None, *shape]
    return layer(
        "InputLayer", "input_layer", batch_shape=batch_shape, sparse=False, ragged=False, **config
    )


def stack(*layers: Json, **fields: Json) -> TrainingProgram:
    """Return a canonical program of a Sequential model.

    Args:
        layers: from `input_layer` and `layer`, with names as canonical form numbers them.
        fields: fields of the program to replace.
    """
    document: dict[str, Json] = {
        "architecture": layer("Sequential", "sequential", layers=list(layers)),
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


def small_program(**fields: Json) -> TrainingProgram:
    """Return a canonical program: Dense relu, Dropout, Dense softmax on four inputs.

    Args:
        fields: fields of the program to replace.
    """
    return stack(
        input_layer(4),
        layer("Dense", "dense", units=8, activation="relu"),
        layer("Dropout", "dropout", rate=0.5),
        layer("Dense", "dense_1", units=3, activation="softmax"),
        **fields,
    )
