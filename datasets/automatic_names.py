"""Names that Keras made up, numbered in order instead of by how many a process has made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import keras

from .program import Json, is_model


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
        if not is_automatic(entry["class_name"], entry["config"]["name"])
    }
    names: dict[str, str] = {}
    layers = []
    for entry in model["config"]["layers"]:
        old = entry["config"]["name"]
        new = _fresh_name(entry["class_name"], old, counts, taken)
        names[old] = new
        entry = _renumber(entry, counts) if is_model(entry) else _with_plain_parts(entry)
        layers.append({**entry, "config": {**entry["config"], "name": new}})
    config = {
        key: _renamed_ends(item, names) if key in ("input_layers", "output_layers") else item
        for key, item in model["config"].items()
        if key != "build_input_shape"
    }
    # A nested model has followed its own names; some may be names of this one, before or after.
    config["layers"] = [
        {
            key: _with_names(item, names) if key == "inbound_nodes" else item
            for key, item in entry.items()
        }
        for entry in layers
    ]
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
        if is_automatic(value["class_name"], name.removeprefix(prefix)):
            value["config"]["name"] = prefix + snake(value["class_name"])
    return value


def _with_names(value: Json, names: Mapping[str, str]) -> Json:
    """Follow renamed layers in the calls of a layer."""
    if isinstance(value, dict):
        return {
            key: _renamed_ends(item, names) if key == "keras_history" else _with_names(item, names)
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
    if not is_automatic(class_name, old):
        return old
    stem = snake(class_name)
    while True:
        number = counts[stem]
        counts[stem] += 1
        new = stem if number == 0 else f"{stem}_{number}"
        if new not in taken:
            return new


def is_automatic(class_name: str, name: str) -> bool:
    """Whether Keras could have made a name up for an object of a class."""
    return re.fullmatch(re.escape(snake(class_name)) + r"(_\d+)?", name) is not None


def snake(class_name: str) -> str:
    """Return the name that Keras gives to the first object of a class."""
    stem = (
        "input_layer"
        if class_name == "InputLayer"
        else keras.src.utils.naming.to_snake_case(class_name)
    )
    return str(stem)
