"""Canonical form of what Keras serialises, and the way back.

The canonical form drops what carries no information (module names of Keras's own classes,
defaults, memory addresses, build and compile records), so that the same program written in two
ways, or captured by two processes, is the same text.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import keras
import numpy as np

from .errors import SubjectError
from .program import Json, TrainingProgram, is_model

_DROPPED = ("build_config", "compile_config", "shared_object_id", "registered_name")
_FAMILIES = ("layers", "initializers", "regularizers", "constraints", "optimizers", "losses")
_SCHEDULES = "optimizers.schedules"


def canonical_float(value: float) -> float:
    """Return the float64 with the fewest digits that rounds to the same float32."""
    if value in (float("inf"), float("-inf")) or value != value:
        raise SubjectError(f"a training program holds finite numbers only; received {value}")
    return float(str(np.float32(value)))


def canonical_object(value: Json) -> Json:
    """Bring anything that Keras serialised into canonical form.

    Raises:
        SubjectError: the value holds a class or a function that is not Keras's own.
    """
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, (float, np.floating)):
        return canonical_float(float(value))
    if isinstance(value, (list, tuple)):
        return [canonical_object(item) for item in value]
    if isinstance(value, np.integer):
        return int(value)
    if not isinstance(value, Mapping):
        raise SubjectError(f"a {type(value).__name__} cannot be stored in a training program")
    if value.get("class_name") == "function":
        return str(value["config"])
    if value.get("class_name") == "DTypePolicy":
        return str(value["config"]["name"])
    if "class_name" in value and isinstance(value.get("config"), Mapping):
        return _canonical_instance(value)
    return {key: canonical_object(item) for key, item in value.items()}


def _canonical_instance(value: Mapping[str, Json]) -> dict[str, Json]:
    name = str(value["class_name"])
    config = {key: canonical_object(item) for key, item in value["config"].items()}
    rest = {
        key: canonical_object(item)
        for key, item in value.items()
        if key not in ("module", "class_name", "config", "name", *_DROPPED)
    }
    if name == "__keras_tensor__":
        return {"class_name": name, "config": config}
    cls = _keras_class(name)
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
    if issubclass(cls, keras.optimizers.Optimizer):
        kept.pop("name", None)  # numbered within a process, and of no effect
    return {"class_name": name, "config": kept, **rest}


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


def renumbered(architecture: Mapping[str, Json]) -> dict[str, Json]:
    """Number automatic model and layer names in order; names that a user gave are kept.

    A name is automatic when Keras would have made it: the class name in snake case, with a
    number or without.
    """
    counts: Counter[str] = Counter()
    renamed: dict[str, Json] = _renumber(architecture, counts)
    return renamed


def _renumber(model: Mapping[str, Json], counts: Counter[str]) -> dict[str, Json]:
    taken = {
        entry["config"]["name"]
        for entry in model["config"]["layers"]
        if not _is_automatic(entry["class_name"], entry["config"]["name"])
    }
    names: dict[str, str] = {}
    layers = []
    for entry in model["config"]["layers"]:
        old = entry["config"]["name"]
        new = _fresh_name(entry["class_name"], old, counts, taken)
        names[old] = new
        entry = _renumber(entry, counts) if is_model(entry) else _with_plain_parts(entry)
        layers.append({**entry, "config": {**entry["config"], "name": new}})
    config = {key: item for key, item in model["config"].items() if key != "build_input_shape"}
    config = _with_names({**config, "layers": layers}, names)
    config["name"] = _fresh_name(model["class_name"], config["name"], counts, set())
    return {**model, "config": config}


def _with_plain_parts(entry: Mapping[str, Json]) -> dict[str, Json]:
    """Take the numbers off automatic names of layers inside a layer: wrapped ones and cells."""
    return {**entry, "config": {key: _plain(item) for key, item in entry["config"].items()}}


def _plain(value: Json) -> Json:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if is_model(value):
        return _renumber(value, Counter())
    value = {key: _plain(item) for key, item in value.items()}
    name = isinstance(value.get("config"), dict) and value["config"].get("name")
    if isinstance(name, str) and isinstance(value.get("class_name"), str):
        prefix = re.match(r"(forward_|backward_)?", name)[0]  # type: ignore[index]
        if _is_automatic(value["class_name"], name.removeprefix(prefix)):
            value["config"]["name"] = prefix + _snake(value["class_name"])
    return value


def _with_names(value: Json, names: Mapping[str, str]) -> Json:
    """Follow renamed layers in connections: ``keras_history`` and the models' ends."""
    if isinstance(value, dict):
        return {
            key: _renamed_ends(item, names)
            if key in ("keras_history", "input_layers", "output_layers")
            else _with_names(item, names)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_with_names(item, names) for item in value]
    return value


def _renamed_ends(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [names.get(value[0], value[0]), *value[1:]]
    if isinstance(value, list):
        return [_renamed_ends(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _renamed_ends(item, names) for key, item in value.items()}
    return value


def _fresh_name(class_name: str, old: str, counts: Counter[str], taken: set[str]) -> str:
    if not _is_automatic(class_name, old):
        return old
    stem = _snake(class_name)
    while True:
        number = counts[stem]
        counts[stem] += 1
        new = stem if number == 0 else f"{stem}_{number}"
        if new not in taken:
            return new


def _is_automatic(class_name: str, name: str) -> bool:
    return re.fullmatch(re.escape(_snake(class_name)) + r"(_\d+)?", name) is not None


def _snake(class_name: str) -> str:
    stem = (
        "input_layer"
        if class_name == "InputLayer"
        else keras.src.utils.naming.to_snake_case(class_name)
    )
    return str(stem)


def expanded(value: Json) -> Json:
    """Put back the module names that `keras.saving.deserialize_keras_object` asks for."""
    if isinstance(value, list):
        return [expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: expanded(item) for key, item in value.items()}
    name = value.get("class_name")
    if isinstance(name, str) and isinstance(value.get("config"), dict) and name[0] != "_":
        cls = _keras_class(name)
        if cls is None:
            raise SubjectError(f"class {name}: not one of Keras's own")
        result["module"] = _module(name)
        result["registered_name"] = None
        if "inbound_nodes" in result:
            result["name"] = result["config"]["name"]
    return result


@cache
def _keras_class(name: str) -> type | None:
    if name in ("Sequential", "Functional"):
        return type(keras.Sequential()) if name == "Sequential" else keras.src.models.Functional
    for family in _FAMILIES:
        found = getattr(getattr(keras, family), name, None)
        if isinstance(found, type):
            return found
    found = getattr(keras.optimizers.schedules, name, None)
    return found if isinstance(found, type) else None


def _module(name: str) -> str:
    if name == "Functional":
        return "keras.src.models.functional"
    if name == "Sequential":
        return "keras"
    for family in (*_FAMILIES, _SCHEDULES):
        holder = keras.optimizers.schedules if family == _SCHEDULES else getattr(keras, family)
        if isinstance(getattr(holder, name, None), type):
            return f"keras.{family}"
    raise SubjectError(f"class {name}: not one of Keras's own")


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
    found.pop("name", None)
    if issubclass(cls, (keras.optimizers.Optimizer, keras.losses.Loss)):
        found["name"] = _snake(cls.__name__)
        found.pop("learning_rate", None)
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


def effective_config(class_name: str, config: Mapping[str, Json]) -> dict[str, Json]:
    """Return a stored configuration with Keras's defaults filled in."""
    cls = _keras_class(class_name)
    if cls is None:
        raise SubjectError(f"class {class_name}: not one of Keras's own")
    return {**_defaults(cls), **config}


def canonicalize(document: Mapping[str, Json]) -> TrainingProgram:
    """Make a program of a document in which values may still be in Keras's own spelling.

    Callbacks are records of our own, for Keras serialises none; they are taken as they are.
    """
    fields = {
        key: value if key == "callbacks" else canonical_object(value)
        for key, value in document.items()
    }
    fields["architecture"] = renumbered(fields["architecture"])
    return TrainingProgram.of(fields)
