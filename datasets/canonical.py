"""Canonical form of what Keras serialises, and the way back.

The canonical form drops what carries no information (module names of Keras's own classes,
defaults, memory addresses, build and compile records, shapes that Keras infers), so that the
same program written in two ways, or captured by two processes, is the same text, and that a
change of one layer is a change of that layer alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import keras
import numpy as np

from .automatic_names import renumbered, snake
from .errors import SubjectError
from .keras_classes import keras_class, module_of
from .program import Json, TrainingProgram, is_model

_DROPPED = ("build_config", "compile_config", "shared_object_id", "registered_name")
_TENSOR = "__keras_tensor__"
_NAMED_WITHOUT_EFFECT = (
    keras.metrics.Metric,
    keras.optimizers.Optimizer,
    keras.optimizers.schedules.LearningRateSchedule,
)


def canonical_float(value: float) -> float:
    """Return the float64 with the fewest digits that rounds to the same float32."""
    if value in (float("inf"), float("-inf")) or value != value:
        raise SubjectError(f"a training program holds finite numbers only; received {value}")
    return float(str(np.float32(value)))


def canonical_object(value: Json, family: str | None = None) -> Json:
    """Bring anything that Keras serialised into canonical form.

    Args:
        value: one object, or a list of them.
        family: Keras's module of the object where its class name alone is not enough:
            ``metrics`` for metrics, many of which are losses by name.

    Raises:
        SubjectError: the value holds a class or a function that is not Keras's own.
    """
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, (float, np.floating)):
        return canonical_float(float(value))
    if isinstance(value, (list, tuple)):
        return [canonical_object(item, family) for item in value]
    if isinstance(value, np.integer):
        return int(value)
    if not isinstance(value, Mapping):
        raise SubjectError(f"a {type(value).__name__} cannot be stored in a training program")
    if value.get("class_name") == "function":
        return str(value["config"])
    if value.get("class_name") == "DTypePolicy":
        return str(value["config"]["name"])
    if "class_name" in value and isinstance(value.get("config"), Mapping):
        return _canonical_instance(value, family)
    return {key: canonical_object(item) for key, item in value.items()}


def _canonical_instance(value: Mapping[str, Json], family: str | None) -> dict[str, Json]:
    name = str(value["class_name"])
    config = {key: canonical_object(item) for key, item in value["config"].items()}
    rest = {
        key: canonical_object(item)
        for key, item in value.items()
        if key not in ("module", "class_name", "config", "name", *_DROPPED)
    }
    if name == _TENSOR:
        # Its shape and type follow from the layers before it.
        return {"class_name": name, "config": {"keras_history": config["keras_history"]}}
    cls = keras_class(name, family)
    if not str(value.get("module") or "keras").startswith("keras") or cls is None:
        raise SubjectError(
            f"class {name}: only Keras's own classes can be stored; "
            f"received one from module {value.get('module')!r}"
        )
    defaults = _defaults(cls)
    kept = {
        key: item
        for key, item in config.items()
        if key not in defaults or defaults[key] != item or type(defaults[key]) is not type(item)
    }
    if issubclass(cls, _NAMED_WITHOUT_EFFECT):
        kept.pop("name", None)  # some are numbered within a process
    if "inbound_nodes" in rest:
        rest["inbound_nodes"] = [_canonical_call(cls, node) for node in rest["inbound_nodes"]]
    return {"class_name": name, "config": kept, **rest}


def _canonical_call(cls: type, node: Mapping[str, Json]) -> dict[str, Json]:
    """Drop the keywords of one call of a layer that say what `call` does without them."""
    defaults = _call_defaults(cls)
    kwargs = {
        key: item
        for key, item in node["kwargs"].items()
        if key not in defaults or defaults[key] is not item
    }
    return {**node, "kwargs": kwargs}


@cache
def _call_defaults(cls: Any) -> dict[str, Any]:
    parameters = inspect.signature(cls.call).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.default is None or isinstance(parameter.default, bool)
    }


def canonical_model(model: Any) -> dict[str, Json]:
    """Return the canonical architecture of a built Sequential or functional model.

    Raises:
        SubjectError: the model cannot be serialised with Keras's own classes, or is subclassed.
    """
    if not isinstance(model, keras.Model):
        raise SubjectError(f"expected a Keras model; received {type(model).__name__}")
    serialised = keras.saving.serialize_keras_object(model)
    if not is_model(serialised) or serialised["class_name"] not in ("Sequential", "Functional"):
        raise SubjectError(
            f"model {model.name!r}: expected a Sequential or functional model; "
            f"received the subclassed {type(model).__name__}"
        )
    return renumbered(canonical_object(serialised))


def expanded(value: Json, family: str | None = None) -> Json:
    """Put back the module names that `keras.saving.deserialize_keras_object` asks for.

    Args:
        value: canonical objects.
        family: as for `canonical_object`.
    """
    if isinstance(value, list):
        return [expanded(item, family) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: expanded(item) for key, item in value.items()}
    name = value.get("class_name")
    if name == _TENSOR:
        # Keras asks for a shape and a type, and takes those of the tensor that it connects.
        result["config"] |= {"shape": [], "dtype": "float32"}
    if isinstance(name, str) and isinstance(value.get("config"), dict) and name[0] != "_":
        result["module"] = module_of(name, family)
        result["registered_name"] = None
        if "inbound_nodes" in result:
            result["name"] = result["config"]["name"]
    return result


@cache
def _defaults(cls: type) -> dict[str, Json]:
    """Canonical default of each constructor argument, following ``**kwargs`` upwards."""
    found: dict[str, Json] = {}
    for klass in cls.__mro__:
        constructor = vars(klass).get("__init__")
        if constructor is None:
            continue
        parameters = inspect.signature(constructor).parameters
        for name, parameter in parameters.items():
            if name not in found and parameter.default is not inspect.Parameter.empty:
                found[name] = _default(name, parameter.default)
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            break
    name = found.pop("name", None)
    if issubclass(cls, keras.metrics.Metric):
        found |= {"name": name, "dtype": "int64" if cls.__name__.endswith("IoU") else "float32"}
    if issubclass(cls, (keras.optimizers.Optimizer, keras.losses.Loss)):
        found["name"] = snake(cls.__name__)
        found.pop("learning_rate", None)
    if cls is keras.initializers.Constant:
        found.pop("value", None)  # it is built from a configuration that holds it only
    if issubclass(cls, keras.layers.Layer):
        found |= {"trainable": True, "dtype": "float32"}
        found |= {"data_format": "channels_last"} if "data_format" in found else {}
    return found


_RESOLVERS: dict[str, Callable[[Any], Any]] = {
    "activation": keras.activations.get,
    "initializer": keras.initializers.get,
    "regularizer": keras.regularizers.get,
    "constraint": keras.constraints.get,
}


def _default(name: str, value: Any) -> Json:
    resolver = _RESOLVERS.get(name.rsplit("_", 1)[-1])
    if resolver is not None and (isinstance(value, str) or name.endswith("activation")):
        value = keras.saving.serialize_keras_object(resolver(value))
    try:
        return canonical_object(value)
    except SubjectError:
        return {"unstorable": repr(value)}


def effective_config(
    class_name: str, config: Mapping[str, Json], family: str | None = None
) -> dict[str, Json]:
    """Return a stored configuration with Keras's defaults filled in.

    Args:
        class_name: of Keras.
        config: as it is stored.
        family: as for `canonical_object`.

    Raises:
        SubjectError: the class is not one of Keras's own.
    """
    cls = keras_class(class_name, family)
    if cls is None:
        raise SubjectError(f"class {class_name}: not one of Keras's own")
    return {**_defaults(cls), **config}


def canonicalize(document: Mapping[str, Json]) -> TrainingProgram:
    """Make a program of a document in which values may still be in Keras's own spelling.

    Callbacks are records of our own, for Keras serialises none; they are taken as they are.
    """
    fields = {
        key: value
        if key == "callbacks"
        else canonical_object(value, "metrics" if key == "metrics" else None)
        for key, value in document.items()
    }
    fields["architecture"] = renumbered(fields["architecture"])
    return TrainingProgram.of(fields)
