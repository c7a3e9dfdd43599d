"""What a rule about settings and layers of no effect is, and the parts that rules share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..datasets.program import Json, is_model

_WRAPPED = ("layer", "backward_layer")


@dataclass(frozen=True)
class Span:
    """A run of layers in the outermost model.

    Args:
        front: number of layers before it.
        back: number of layers behind it.
    """

    front: int
    back: int

    def positions(self, layers: list[Json]) -> range:
        """Return the positions of its layers."""
        return range(self.front, len(layers) - self.back)


@dataclass(frozen=True)
class Rule:
    """A rewriting that keeps what a program does.

    Args:
        reason: why programs that it makes equal are equivalent, for people.
        rewrite: takes a program document and the layers worth looking at, and returns a document
            that behaves alike: the same object where nothing is rewritten, and else one that
            shares with it what is as before. It never changes the document that it is given.
    """

    reason: str
    rewrite: Callable[[Json, Span], Json]


Setting = Callable[[str, Mapping[str, Json]], Mapping[str, Json]]
"""Takes a layer's class and stored configuration; returns the configuration, rewritten or not."""


def on_settings(change: Setting) -> Callable[[Json, Span], Json]:
    """Return the rewriting that changes the configurations of layers.

    Layers of nested models and of Bidirectional and TimeDistributed wrappers are reached too.
    """

    def rewrite(document: Json, span: Span) -> Json:
        layers = document["architecture"]["config"]["layers"]
        positions = span.positions(layers)
        return with_layers(
            document,
            [
                _changed(entry, change) if position in positions else entry
                for position, entry in enumerate(layers)
            ],
        )

    return rewrite


def with_layers(document: Json, layers: list[Json]) -> Json:
    """Return a document with other layers in its outermost model; itself where they are none."""
    model = document["architecture"]
    before = model["config"]["layers"]
    if len(before) == len(layers) and all(map(_is, before, layers)):
        return document
    config = {**model["config"], "layers": layers}
    return {**document, "architecture": {**model, "config": config}}


def without_keys(config: Mapping[str, Json], unwanted: Callable[[str], bool]) -> Mapping[str, Json]:
    """Return a configuration without some of its arguments; itself where it has none of them."""
    kept = {key: value for key, value in config.items() if not unwanted(key)}
    return config if len(kept) == len(config) else kept


def _changed(entry: Json, change: Setting) -> Json:
    config = entry["config"]
    if is_model(entry):
        layers = [_changed(inner, change) for inner in config["layers"]]
        same = all(map(_is, config["layers"], layers))
        return entry if same else {**entry, "config": {**config, "layers": layers}}
    new = change(entry["class_name"], config)
    for key in _WRAPPED:
        if isinstance(new.get(key), dict):
            inner = _changed(new[key], change)
            new = new if inner is new[key] else {**new, key: inner}
    return entry if new is config else {**entry, "config": dict(new)}


def _is(one: object, other: object) -> bool:
    return one is other
