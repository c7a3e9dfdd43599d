"""Build a Keras model from a training program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras

from .canonical import expanded
from .metric_names import metric_name
from .program import Json, TrainingProgram, is_model


def build_model(architecture: Json) -> Any:
    """Return a fresh, built and uncompiled model of a canonical architecture.

    Only Keras's own classes can be named in a canonical architecture, and Lambda layers are
    refused by Keras's safe mode.
    """
    return keras.saving.deserialize_keras_object(expanded(architecture), safe_mode=True)


def build_loss(loss: Json) -> Any:
    """Return what ``compile(loss=...)`` takes: a loss for each output."""
    if isinstance(loss, list):
        return [build_loss(item) for item in loss]
    return loss if isinstance(loss, str) else keras.losses.deserialize(expanded(loss))


def build_optimizer(optimizer: Json) -> Any:
    """Return a fresh optimizer."""
    return keras.optimizers.deserialize(expanded(optimizer))


def build_metrics(metrics: Json) -> Any:
    """Return what ``compile(metrics=...)`` takes; objects have the names that logs show."""
    if isinstance(metrics, list):
        return [build_metrics(item) for item in metrics]
    if isinstance(metrics, str):
        return metrics
    # Keras would number an object without a name by how many a process has made.
    config = {**metrics["config"], "name": metric_name(metrics)}
    return keras.metrics.deserialize(expanded({**metrics, "config": config}, "metrics"))


def build(program: TrainingProgram, *, jit_compile: bool = False) -> Any:
    """Return the compiled model that a program describes."""
    document = program.document()
    model = build_model(document["architecture"])
    model.compile(
        optimizer=build_optimizer(document["optimizer"]),
        loss=build_loss(document["loss"]),
        metrics=build_metrics(document["metrics"]),
        jit_compile=jit_compile,
    )
    return model


def weight_variables(model: Any) -> list[Any]:
    """Return the variables whose values are a model's weights, in Keras's order.

    The state of random generators is left out: it is no weight, and each run sets its own.
    """
    return [v for v in model.variables if not v.path.endswith("seed_generator_state")]


def layers_by_path(model: Any) -> dict[str, Any]:
    """Return Keras layers by name path, nested models flattened, inputs left out.

    The order is that of `TrainingProgram.layers`.
    """
    return dict(_flattened(model, ""))


def _flattened(model: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for layer in model.layers:
        if isinstance(layer, keras.Model) and is_model({"config": layer.get_config()}):
            yield from _flattened(layer, prefix + layer.name + "/")
        elif not isinstance(layer, keras.layers.InputLayer):
            yield prefix + layer.name, layer
