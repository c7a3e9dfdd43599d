"""Data, ``compile``, ``fit`` and ``evaluate`` as statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import keras

from ..program import Json
from .code import Block, Expression, call, joined, laid_out, listed, literal, mapping, plain, tupled
from .values import Nested, expression, in_order, keras_object

ROLES = {"train": "train", "validation": "val", "test": "test"}
"""Roles of rows that a script loads, and what its variables call them."""


@dataclass(frozen=True)
class RowNames:
    """The variables that hold the rows of one role.

    Args:
        x: one for each input.
        y: one for each output.
        sample_weight: or None where the rows have no weights.
    """

    x: tuple[str, ...]
    y: tuple[str, ...]
    sample_weight: str | None

    def all(self) -> tuple[str, ...]:
        """Every variable of the role."""
        return (*self.x, *self.y, *([self.sample_weight] if self.sample_weight else []))


def row_names(data: Mapping[str, Json]) -> dict[str, RowNames]:
    """Return the variables of each role that a program has, by role."""
    return {
        role: RowNames(
            _numbered("x", data[role]["x"], short),
            _numbered("y", data[role]["y"], short),
            None if data[role]["sample_weight"] is None else f"weight_{short}",
        )
        for role, short in ROLES.items()
        if data[role] is not None
    }


def _numbered(letter: str, hashes: Json, role: str) -> tuple[str, ...]:
    if len(hashes) == 1:
        return (f"{letter}_{role}",)
    return tuple(f"{letter}{number}_{role}" for number in range(len(hashes)))


def loading(names: Mapping[str, RowNames]) -> Block:
    """Return the statements that read the arrays beside the script."""
    blocks = [plain("folder = Path(__file__).parent")]
    for role, rows in names.items():
        where = f"/data/{role}"
        parts = [(name, f"{where}/x/{n}") for n, name in enumerate(rows.x)]
        parts += [(name, f"{where}/y/{n}") for n, name in enumerate(rows.y)]
        parts += [(rows.sample_weight, f"{where}/sample_weight")] if rows.sample_weight else []
        read = [plain(f'{name} = np.load(folder / "{name}.npy")', slot) for name, slot in parts]
        # Judge rows are those of the tests, or the other half of what was held out.
        held = ("/data/judge",) if role == "test" else ()
        blocks.append(joined(read).marked(where, *held))
    return joined(blocks).marked("/data")


def compiling(document: Json, nested: Nested) -> Block:
    """Return the call of ``compile``."""
    optimizer = keras_object(document["optimizer"], "/optimizer", nested, "optimizers")
    loss = expression(document["loss"], "/loss", nested, "losses")
    keywords = [("optimizer", optimizer), ("loss", loss)]
    if document["metrics"]:
        keywords.append(("metrics", expression(document["metrics"], "/metrics", nested, "metrics")))
    absent = () if document["metrics"] else ("/metrics",)
    return laid_out(call("model.compile", keywords=keywords, slots=absent, spread=True))


def fitting(document: Json, names: Mapping[str, RowNames], nested: Nested) -> Block:
    """Return the call of ``fit``."""
    fit, train = document["fit"], names["train"]
    known = ("batch_size", "epochs", "class_weight", "shuffle")
    keywords = [(key, literal(fit[key], f"/fit/{key}")) for key in known[:2]]
    if "validation" in names:
        keywords.append(("validation_data", _rows(names["validation"])))
    if document["callbacks"]:
        callbacks = [
            _callback(record, f"/callbacks/{n}", nested)
            for n, record in enumerate(document["callbacks"])
        ]
        keywords.append(("callbacks", listed(callbacks, "/callbacks")))
    if fit["class_weight"] is not None:
        slot = "/fit/class_weight"
        weights = ((key, literal(w, f"{slot}/{key}")) for key, w in fit["class_weight"].items())
        keywords.append(("class_weight", mapping(weights, slot)))
    if train.sample_weight:
        keywords.append(("sample_weight", Expression(train.sample_weight)))
    if not fit["shuffle"]:
        keywords.append(("shuffle", literal(fit["shuffle"], "/fit/shuffle")))
    keywords += [(key, literal(fit[key], f"/fit/{key}")) for key in sorted(fit) if key not in known]
    keywords.append(("verbose", literal(2)))
    absent = [] if document["callbacks"] else ["/callbacks"]
    absent += [] if "validation" in names else ["/data/validation"]
    slots = ("/fit", *absent)
    return laid_out(call("model.fit", _inputs(train), keywords, slots=slots, spread=True))


def evaluating(rows: RowNames) -> Block:
    """Return the statement that evaluates the model on the test rows."""
    weight = f", sample_weight={rows.sample_weight}" if rows.sample_weight else ""
    x, y = (part.flat for part in _inputs(rows))
    return plain(f"print(model.evaluate({x}, {y}{weight}, verbose=0, return_dict=True))")


def _callback(record: Json, slot: str, nested: Nested) -> Expression:
    name, config = record["class_name"], record["config"]
    keywords = [
        (key, expression(config[key], f"{slot}/config/{key}", nested))
        for key in in_order(getattr(keras.callbacks, name), config)
    ]
    slots = (slot, f"{slot}/config")
    return call(f"keras.callbacks.{name}", keywords=keywords, slots=slots)


def _rows(rows: RowNames) -> Expression:
    weight = [Expression(rows.sample_weight)] if rows.sample_weight else []
    return tupled([*_inputs(rows), *weight])


def _inputs(rows: RowNames) -> list[Expression]:
    """Return inputs and targets as ``fit`` takes them."""
    return [
        Expression(part[0]) if len(part) == 1 else listed([Expression(name) for name in part])
        for part in (rows.x, rows.y)
    ]
