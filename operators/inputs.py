"""The inputs of a program, and which of them hold numbers to be scaled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..datasets.program import Json, TrainingProgram

_OF_WORDS = ("Embedding", "StringLookup", "IntegerLookup", "Hashing", "TextVectorization")


@dataclass(frozen=True)
class Input:
    """One input of a program.

    Args:
        position: among the inputs, in the order in which data come.
        shape: of one row; None for a length that is open.
    """

    position: int
    shape: tuple[int | None, ...]


def number_inputs(program: TrainingProgram) -> tuple[Input, ...]:
    """Return the inputs whose values are quantities: not those that a layer looks up."""
    architecture = program.document()["architecture"]["config"]
    layers = {entry["config"]["name"]: entry for entry in architecture["layers"]}
    looked_up = set(_looked_up(architecture["layers"]))
    return tuple(
        Input(position, tuple(layers[name]["config"]["batch_shape"][1:]))
        for position, name in enumerate(_names(architecture))
        if name not in looked_up and layers[name]["config"].get("dtype") != "string"
    )


def _names(architecture: Json) -> list[str]:
    """Return the names of the input layers in the order of the data."""
    if "input_layers" not in architecture:
        return [architecture["layers"][0]["config"]["name"]]
    found = architecture["input_layers"]
    if found and isinstance(found[0], str):
        return [found[0]]
    handles = found.values() if isinstance(found, dict) else found
    return [handle[0] for handle in handles]


def _looked_up(layers: list[Json]) -> Iterator[str]:
    for before, entry in zip([None, *layers], layers, strict=False):
        if entry["class_name"] not in _OF_WORDS:
            continue
        nodes = entry.get("inbound_nodes")
        if nodes is None:
            yield before["config"]["name"] if before else ""
        else:
            yield from _sources(nodes)


def _sources(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _sources(item)
    elif isinstance(value, dict):
        history = value.get("keras_history")
        if history:
            yield history[0]
        else:
            yield from _sources(list(value.values()))
