"""Keras objects and plain values of a program as Python expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import keras

from ..automatic_names import is_automatic
from ..errors import SubjectError
from ..keras_classes import keras_class, module_of
from ..program import Json, is_model
from .code import Expression, call, listed, literal, mapping, tupled

_FAMILIES = {
    "initializer": "initializers",
    "regularizer": "regularizers",
    "constraint": "constraints",
}
_SIZES = ("dilation_rate", "kernel_size", "pool_size", "size", "strides")
"""Arguments in which one number stands for all axes."""

_TUPLES = ("dims", "target_shape", *_SIZES)

Nested = Callable[[Json, str], Expression]
"""Returns the variable that holds a model, which is defined in statements of its own."""


def expression(value: Json, slot: str, nested: Nested, family: str | None = None) -> Expression:
    """Return a stored value as code.

    Args:
        value: canonical JSON.
        slot: where it is in the program.
        nested: called for models within the value.
        family: Keras's module of the object where its class name alone is not enough.

    Raises:
        SubjectError: the value holds a class that is not one of Keras's own.
    """
    key = slot.rpartition("/")[2]
    family = family or _FAMILIES.get(key.rpartition("_")[2])
    if isinstance(value, list):
        if key in _SIZES and value == value[:1] * len(value):
            return literal(value[0], slot)
        items = [expression(item, f"{slot}/{n}", nested, family) for n, item in enumerate(value)]
        return tupled(items, slot) if key in _TUPLES else listed(items, slot)
    if not isinstance(value, dict):
        return literal(value, slot)
    if is_model(value):
        return nested(value, slot)
    if isinstance(value.get("class_name"), str) and isinstance(value.get("config"), dict):
        return keras_object(value, slot, nested, family)
    return mapping(
        ((literal(k).flat, expression(v, f"{slot}/{k}", nested)) for k, v in value.items()), slot
    )


def keras_object(
    record: Mapping[str, Json], slot: str, nested: Nested, family: str | None = None
) -> Expression:
    """Return a Keras object as a call of its class, or as its name where Keras knows one.

    Arguments that Keras would take anyway are left out, names that it made up among them.
    """
    name, config = str(record["class_name"]), dict(record["config"])
    cls = keras_class(name, family)
    if cls is None:
        raise SubjectError(f"class {name}: not one of Keras's own; a script cannot name it")
    slots = (slot, f"{slot}/config")
    if not config and family in _FAMILIES.values():
        short = _short_name(name, str(family))
        if short is not None:
            return literal(short, *slots)
    if name == "InputLayer":
        return _input(config, slots)
    config = _without_derived(name, config, cls)
    required = [p.name for p in _parameters(cls) if p.required]
    given = [key for key in in_order(cls, config) if key != "name"]
    leading = next((n for n, key in enumerate(required) if key not in config), len(required))
    written = {key: expression(config[key], f"{slot}/config/{key}", nested) for key in given}
    keywords = [(key, written[key]) for key in given if key not in required[:leading]]
    if "name" in config and not is_automatic(name, config["name"]):
        keywords.append(("name", literal(config["name"], f"{slot}/config/name")))
    module = module_of(name, family).replace("keras.layers", "layers")
    return call(
        f"{module}.{name}", (written[key] for key in required[:leading]), keywords, slots=slots
    )


def _input(config: Mapping[str, Json], slots: tuple[str, ...]) -> Expression:
    where = f"{slots[1]}/batch_shape"
    size, *shape = config["batch_shape"]
    keywords = [("shape", tupled([literal(n) for n in shape], where))]
    if size is not None:
        keywords.append(("batch_size", literal(size, where)))
    # What a script leaves out is stored as false for these two.
    kept = {key: item for key, item in config.items() if key != "batch_shape" and item}
    if is_automatic("InputLayer", kept.get("name", "input_layer")):
        kept.pop("name", None)
    keywords += [(key, literal(kept[key], f"{slots[1]}/{key}")) for key in sorted(kept)]
    return call("keras.Input", keywords=keywords, slots=slots)


def _without_derived(name: str, config: dict[str, Json], cls: type) -> dict[str, Json]:
    """Drop what Keras derives: from other arguments, or from one number for all axes."""
    kept = {
        key: item
        for key, item in config.items()
        if not (isinstance(item, list) and item and item == [_default(cls, key)] * len(item))
    }
    if name.endswith(("Pooling1D", "Pooling2D", "Pooling3D")):
        if config.get("strides") == config.get("pool_size", [2] * int(name[-2])):
            kept.pop("strides", None)
    elif name == "MultiHeadAttention" and config.get("value_dim") == config["key_dim"]:
        kept.pop("value_dim")
    elif name == "LayerNormalization" and config.get("rms_scaling") is False:
        kept.pop("rms_scaling")
    elif name == "Bidirectional":
        forward, backward = config["layer"], config.get("backward_layer")
        kept["layer"] = _renamed(forward, "forward_")
        if backward == _mirrored(forward):
            kept.pop("backward_layer")
        elif backward is not None:
            kept["backward_layer"] = _renamed(backward, "backward_")
    return kept


def _renamed(layer: Json, prefix: str, new: str = "") -> Json:
    config = layer["config"]
    return {**layer, "config": {**config, "name": new + config["name"].removeprefix(prefix)}}


def _mirrored(forward: Json) -> Json:
    """Return the backward layer that Keras makes of a forward layer."""
    layer = _renamed(forward, "forward_", "backward_")
    config = layer["config"]
    if not config.pop("go_backwards", False):
        config["go_backwards"] = True
    return layer


def in_order(cls: type, config: Mapping[str, Json]) -> list[str]:
    """Return the names of given arguments in the order in which a constructor lists them."""
    order = [p.name for p in _parameters(cls)]
    return [key for key in order if key in config] + [key for key in config if key not in order]


class _Parameter(NamedTuple):
    name: str
    default: Any
    required: bool


@cache
def _parameters(cls: type) -> tuple[_Parameter, ...]:
    """Constructor arguments but the name, following ``**kwargs`` upwards."""
    found: dict[str, _Parameter] = {}
    for klass in cls.__mro__:
        constructor: Any = vars(klass).get("__init__")
        if constructor is None:
            continue
        parameters = list(inspect.signature(constructor).parameters.values())[1:]
        first = not found
        for p in parameters:
            if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "name":
                required = first and p.default is p.empty
                found.setdefault(p.name, _Parameter(p.name, p.default, required))
        if not any(p.kind is p.VAR_KEYWORD for p in parameters):
            break
    return tuple(found.values())


def _default(cls: type, key: str) -> Any:
    return next((p.default for p in _parameters(cls) if p.name == key), None)


@cache
def _short_name(name: str, family: str) -> str | None:
    """Return the string by which Keras knows a class without arguments, or None."""
    short: str = keras.src.utils.naming.to_snake_case(name)
    try:
        found = getattr(keras, family).get(short)
    except ValueError:
        return None
    return short if type(found) is keras_class(name, family) else None
