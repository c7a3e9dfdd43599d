"""What a script hands to ``compile`` and as callbacks, in canonical form."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import keras

from ..build import build_model
from ..canonical import canonical_model, canonical_object
from ..errors import SubjectError
from ..metric_names import logged_names, numbered
from ..program import Json
from .rows import output_names

_KEPT_CALLBACKS = ("EarlyStopping", "ReduceLROnPlateau", "TerminateOnNaN")
_DROPPED_CALLBACKS = ("ModelCheckpoint", "TensorBoard", "CSVLogger")
_SILENT_CALLBACKS = ("History", "ProgbarLogger")
_TENSORFLOW_NAMES = {"softmax_v2": "softmax", "log_softmax_v2": "log_softmax", "swish": "silu"}


def check_own_code(model: Any) -> None:
    """Refuse models with classes or functions of the script's own among their layers.

    Raises:
        SubjectError: there is one, or the model was not built.
    """
    for layer in model._flatten_layers():
        if type(layer).__name__ == "Lambda":
            raise SubjectError(
                f"layer {layer.name!r}: a Lambda layer holds Python code and cannot be stored; "
                "use Keras's own layers"
            )
        if not type(layer).__module__.startswith("keras."):
            kind = "subclassed model" if isinstance(layer, keras.Model) else "custom layer"
            raise SubjectError(
                f"{kind} {layer.name!r}: class {type(layer).__name__} is the script's own and "
                "cannot be stored; use Sequential or functional models of Keras's own layers"
            )
    if not model.built or not getattr(model, "outputs", None):
        raise SubjectError(
            f"model {model.name!r}: it has no input shape; give its first layer an Input"
        )


def architecture_of(model: Any) -> dict[str, Json]:
    """Return the canonical architecture of a built model that can be built again.

    Raises:
        SubjectError: Keras cannot serialise the model, or not build it from that alone.
    """
    try:
        architecture: dict[str, Json] = _keras_names(canonical_model(model))
    except (TypeError, ValueError, NotImplementedError) as error:
        raise SubjectError(
            f"model {model.name!r}: Keras cannot serialise it; {one_line(error)}"
        ) from error
    registered = keras.saving.get_custom_objects()
    kept = dict(registered)
    registered.clear()
    try:
        build_model(architecture)
    except Exception as error:
        raise SubjectError(
            f"model {model.name!r}: it cannot be built again from Keras's own parts alone; "
            f"{one_line(error)}"
        ) from error
    finally:
        registered.update(kept)
    return architecture


def _keras_names(value: Json) -> Json:
    """Name activations that are TensorFlow's functions as Keras does."""
    if isinstance(value, list):
        return [_keras_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _TENSORFLOW_NAMES.get(item, item)
        if key.endswith("activation") and isinstance(item, str)
        else _keras_names(item)
        for key, item in value.items()
    }


def optimizer_of(model: Any) -> Json:
    """Return the canonical optimizer of a compiled model."""
    record = canonical_object(keras.optimizers.serialize(model.optimizer))
    record["config"].pop("name", None)
    return record


def loss_of(loss: Any, model: Any, y: Sequence[Any]) -> Json:
    """Return the canonical loss: one for a single output, else a list.

    Args:
        loss: what ``compile`` received.
        model: built model.
        y: targets, one array an output.
    """
    outputs = model.outputs
    if isinstance(loss, Mapping):
        loss = [loss.get(name) for name in output_names(model)]
    if len(outputs) > 1:
        losses = loss if isinstance(loss, (list, tuple)) else [loss] * len(outputs)
        pairs = zip(losses, outputs, y, strict=True)
        return [_loss(item, output, target) for item, output, target in pairs]
    if isinstance(loss, (list, tuple)) and len(loss) == 1:
        loss = loss[0]
    return _loss(loss, outputs[0], y[0])


def _loss(loss: Any, output: Any, y: Any) -> Json:
    if loss is None:
        raise SubjectError("compile loss: expected a loss for every output; received none")
    if isinstance(loss, str) and loss.lower() in ("crossentropy", "ce"):
        last = y.shape[-1] if y.ndim else 1
        if output.shape[-1] == 1:
            return "binary_crossentropy"
        sparse = y.ndim < len(output.shape) or last == 1
        return "sparse_categorical_crossentropy" if sparse else "categorical_crossentropy"
    if inspect.isclass(loss):
        loss = loss()
    return _function_or_object(keras.losses.get(loss), keras.losses, "compile loss")


def _function_or_object(found: Any, family: Any, what: str) -> Json:
    """Name a function; name an object without arguments as the function that it wraps."""
    if inspect.isfunction(found):
        name = found.__name__
        if not found.__module__.startswith("keras."):
            raise SubjectError(f"{what}: expected one of Keras's own; received function {name}")
        return name
    record = canonical_object(family.serialize(found))
    if not record["config"]:
        name = keras.src.utils.naming.to_snake_case(record["class_name"])
        if inspect.isfunction(getattr(family, name, None)):
            return name
    return record


def metrics_of(metrics: Any, model: Any) -> tuple[Json, dict[str, str]]:
    """Return the canonical metrics, and old names of metrics by which callbacks know them.

    Returns:
        names or objects: a list, or a list of lists for several outputs.
        canonical name by each name that the script's logs would show.
    """
    outputs = output_names(model)
    listed = _by_output(metrics, outputs)
    found = [[_metric(item) for item in part] for part in listed]
    canonical: Json = found[0] if len(outputs) == 1 else found
    ours = logged_names(canonical, outputs)
    aliases: dict[str, str] = {}
    for spelling in (_compiled_name, _own_name):
        theirs = numbered([[spelling(item) for item in part] for part in listed], outputs)
        for there, here in zip(theirs, ours, strict=True):
            for name, alias in zip(there, here, strict=True):
                aliases.setdefault(name, alias)
    return canonical, aliases


def _by_output(metrics: Any, outputs: Sequence[str]) -> list[list[Any]]:
    if isinstance(metrics, Mapping):
        metrics = [metrics.get(name) for name in outputs]
    if metrics is None:
        metrics = []
    elif not isinstance(metrics, (list, tuple)):
        metrics = [metrics]
    if len(outputs) == 1:
        nested = len(metrics) == 1 and isinstance(metrics[0], (list, tuple))
        return [[item for item in (metrics[0] if nested else metrics) if item is not None]]
    return [
        list(item) if isinstance(item, (list, tuple)) else [item] if item is not None else []
        for item in metrics or [None] * len(outputs)
    ]


def _compiled_name(metric: Any) -> str:
    return metric if isinstance(metric, str) else _own_name(metric)


def _own_name(metric: Any) -> str:
    if _is_accuracy(metric):
        return str(metric)
    found = keras.metrics.get(metric)
    return str(found.__name__ if inspect.isfunction(found) else found.name)


def _is_accuracy(metric: Any) -> bool:
    """Whether Keras picks the kind of accuracy by the shapes of targets and outputs."""
    return isinstance(metric, str) and metric.lower() in ("accuracy", "acc")


def _metric(metric: Any) -> Json:
    if _is_accuracy(metric):
        return "accuracy"
    try:
        found = keras.metrics.get(metric)
    except ValueError as error:
        raise SubjectError(f"compile metrics: {one_line(error)}") from error
    if inspect.isfunction(found):
        return _function_or_object(found, keras.metrics, "compile metrics")
    if not type(found).__module__.startswith("keras."):
        raise SubjectError(
            f"compile metrics: expected Keras's own; received class {type(found).__name__}"
        )
    if _same_but_name(found):
        return str(keras.src.utils.naming.to_snake_case(type(found).__name__))
    record = canonical_object(keras.metrics.serialize(found), "metrics")
    if isinstance(record["config"].get("fn"), str):
        raise SubjectError(
            f"compile metrics: expected a function itself; received {type(found).__name__}, "
            f"which wraps {record['config']['fn']}; give compile that function"
        )
    return record


def _same_but_name(metric: Any) -> bool:
    """Whether a metric object was made without arguments, or with a name only."""
    try:
        plain = type(metric)().get_config()
    except TypeError:
        return False
    config = metric.get_config()
    return {**config, "name": ""} == {**plain, "name": ""}


def callbacks_of(callbacks: Any, aliases: Mapping[str, str]) -> tuple[list[Json], list[str]]:
    """Return the canonical records of callbacks, and notes on those that were dropped.

    Raises:
        SubjectError: a callback is not one that a program can hold.
    """
    if callbacks is None:
        callbacks = []
    elif not isinstance(callbacks, (list, tuple)):
        callbacks = [callbacks]
    records: list[Json] = []
    notes = []
    for callback in callbacks:
        name = type(callback).__name__
        own = type(callback).__module__.startswith("keras.")
        if own and name in _KEPT_CALLBACKS:
            records.append({"class_name": name, "config": _arguments(callback, aliases)})
        elif own and name in _DROPPED_CALLBACKS:
            notes.append(f"callback {name} was dropped: it does not change the training")
        elif not (own and name in _SILENT_CALLBACKS):
            raise SubjectError(
                f"fit callbacks: expected {', '.join(_KEPT_CALLBACKS + _DROPPED_CALLBACKS)}; "
                f"received {name}, which may run code that cannot be stored"
            )
    return records, notes


def _arguments(callback: Any, aliases: Mapping[str, str]) -> dict[str, Json]:
    found = {}
    for name, parameter in inspect.signature(type(callback).__init__).parameters.items():
        if name in ("self", "verbose") or parameter.kind is parameter.VAR_KEYWORD:
            continue
        value = getattr(callback, name)
        if name == "monitor":
            value = _monitor(value, aliases)
        if value != parameter.default:
            found[name] = canonical_object(value)
    return found


def _monitor(monitor: str, aliases: Mapping[str, str]) -> str:
    prefix = "val_" if monitor.startswith("val_") else ""
    plain = monitor.removeprefix("val_")
    return prefix + aliases.get(plain, plain)


def one_line(error: BaseException) -> str:
    """Return an exception as one short line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."
