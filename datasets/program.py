"""`TrainingProgram`: one Keras training as canonical, immutable, hashable data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .errors import SubjectError

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""

FIELDS = (
    "architecture",
    "callbacks",
    "data",
    "fit",
    "initial_weights",
    "loss",
    "metrics",
    "optimizer",
    "transforms",
    "weight_edits",
)


@dataclass(frozen=True)
class Layer:
    """One layer of a program as it is stored, that is without Keras's defaults.

    Args:
        name: names of the enclosing models and of the layer, joined by ``/``.
        index: 0-based, depth first with nested models flattened, ``InputLayer`` not counted.
        class_name: Keras class, for example ``Dense``.
        config: constructor arguments that differ from Keras's defaults.
        slot: JSON pointer of ``config`` in the program.
    """

    name: str
    index: int
    class_name: str
    config: Mapping[str, Json]
    slot: str


@dataclass(frozen=True)
class TrainingProgram:
    """A training program in canonical form; equal programs have equal text.

    Args:
        text: canonical JSON. Use `of` to make a program from a document that is already
            canonical and `canonical.canonicalize` for one that need not be.
    """

    text: str

    @classmethod
    def of(cls, document: Mapping[str, Json]) -> TrainingProgram:
        """Make a program of a document whose values are canonical; key order does not matter.

        Raises:
            SubjectError: fields are missing or unknown, or a value is not JSON.
        """
        if set(document) != set(FIELDS):
            raise SubjectError(
                f"a training program has the fields {', '.join(FIELDS)}; "
                f"received {', '.join(sorted(document))}"
            )
        return cls(canonical_json(document))

    @cached_property
    def program_id(self) -> str:
        """SHA-256 of the canonical text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def document(self) -> dict[str, Json]:
        """Return a fresh copy of the program as JSON data."""
        document: dict[str, Json] = json.loads(self.text)
        return document

    def layers(self) -> tuple[Layer, ...]:
        """Return every layer but the inputs, depth first, a shared layer once."""
        found = _walk(self.document()["architecture"], "/architecture", "")
        return tuple(
            Layer(name, index, entry["class_name"], entry["config"], slot)
            for index, (name, entry, slot) in enumerate(found)
        )

    def layer(self, name: str) -> Layer:
        """Return the layer of that name path.

        Raises:
            SubjectError: there is none.
        """
        for layer in self.layers():
            if layer.name == name:
                return layer
        names = ", ".join(layer.name for layer in self.layers())
        raise SubjectError(f"layer: expected one of {names}; received {name!r}")


def canonical_json(value: Json) -> str:
    """Write JSON with sorted keys and no spaces; infinite and undefined numbers are refused.

    Raises:
        SubjectError: the value cannot be written as JSON.
    """
    try:
        return json.dumps(
            value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False
        )
    except (TypeError, ValueError) as error:
        raise SubjectError(f"a training program must be plain JSON data: {error}") from error


def content_hash(value: Json) -> str:
    """SHA-256 of the canonical JSON of a value, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def is_model(entry: Mapping[str, Json]) -> bool:
    """Whether a serialised layer is itself a model with layers."""
    config = entry.get("config")
    return isinstance(config, dict) and isinstance(config.get("layers"), list)


def _walk(
    model: Mapping[str, Json], slot: str, prefix: str
) -> Iterator[tuple[str, dict[str, Json], str]]:
    for position, entry in enumerate(model["config"]["layers"]):
        here = f"{slot}/config/layers/{position}"
        name = prefix + entry["config"]["name"]
        if is_model(entry):
            yield from _walk(entry, here, name + "/")
        elif entry["class_name"] != "InputLayer":
            yield name, entry, here + "/config"
