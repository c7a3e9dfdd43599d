"""Data transforms as plain NumPy code: the same rows from the same random numbers.

A new transform needs one function in `row_code`, `label_code` or `input_code` that returns its
statements, and a line in the table of that file. The statements may use `rng`, the transform's
random numbers. They never change an array in place: others may look at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from ..errors import SubjectError
from ..program import Json, content_hash
from .code import Block, joined, plain
from .input_code import INPUT_CODE, STORED
from .label_code import LABEL_CODE
from .row_code import ROW_CODE
from .snippets import TransformCode
from .training import RowNames

TRANSFORM_CODE: dict[str, TransformCode] = {**INPUT_CODE, **LABEL_CODE, **ROW_CODE}
"""What renders each transform, by name."""

_Code = TypeVar("_Code")


def transforming(document: Json, names: Mapping[str, RowNames]) -> Block:
    """Return the statements that transform the rows of every role, in the program's order.

    Raises:
        SubjectError: a transform has no rendering.
    """
    blocks = []
    for position, transform in enumerate(document["transforms"]):
        code = code_of(transform["name"], TRANSFORM_CODE, "transform")
        for role in names:
            if role in transform["roles"]:
                text = seeded(code(transform["parameters"], role, names), transform)
                blocks += [plain(""), plain(text, f"/transforms/{position}")]
    lines = "\n".join(line for block in blocks for line in block.lines)
    kept = [name for name in names["train"].x if STORED.format(name) in lines]
    return joined([*(plain(f"{STORED.format(name)} = {name}") for name in kept), *blocks])


def seeded(text: str, entry: Mapping[str, Json]) -> str:
    """Put the statement that makes the random numbers before code that draws some.

    Args:
        text: statements.
        entry: transform or weight edit; its content names its stream.
    """
    return f'rng = generator("{content_hash(entry)}")\n{text}' if "rng" in text else text


def code_of(name: str, known: Mapping[str, _Code], what: str) -> _Code:
    """Return what renders a transform or weight edit.

    Raises:
        SubjectError: nothing does.
    """
    if name not in known:
        raise SubjectError(
            f"{what} {name}: it has no rendering as code; "
            f"expected one of {', '.join(sorted(known))}"
        )
    return known[name]
