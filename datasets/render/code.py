"""Python code as a tree that knows which slots of a program it expresses, and its layout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..program import Json

WIDTH = 88
"""Columns up to which an expression stays on one line."""

Mark = tuple[str, int, int]
"""A slot and the first and last line (from 0) of code that express it."""


@dataclass(frozen=True)
class Block:
    """Lines of code and what they express.

    Args:
        lines: without line ends.
        marks: slots with their lines.
    """

    lines: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()

    def marked(self, *slots: str) -> Block:
        """Return the block with all of its lines marked by more slots."""
        whole = tuple((slot, 0, len(self.lines) - 1) for slot in slots if self.lines)
        return Block(self.lines, (*self.marks, *whole))


def joined(blocks: Iterable[Block]) -> Block:
    """Return the blocks one below the other."""
    lines: list[str] = []
    marks: list[Mark] = []
    for block in blocks:
        marks += [(s, len(lines) + first, len(lines) + last) for s, first, last in block.marks]
        lines += block.lines
    return Block(tuple(lines), tuple(marks))


def plain(text: str, *slots: str) -> Block:
    """Return lines that are written as they stand, all marked by the slots."""
    return Block(tuple(text.split("\n"))).marked(*slots)


@dataclass(frozen=True)
class Expression:
    """A value in Python: ``opening``, items, ``closing``.

    Args:
        opening: text up to the first item, with the bracket; all of the text of an atom.
        items: what stands before each item (``""`` or ``"keyword="``), and the item.
        closing: bracket; empty for an atom.
        slots: that the expression stands for.
        spread: whether each item gets a line of its own even where one line would do.
    """

    opening: str
    items: tuple[tuple[str, Expression], ...] = ()
    closing: str = ""
    slots: tuple[str, ...] = ()
    spread: bool = False

    @cached_property
    def flat(self) -> str:
        """The expression on one line."""
        inner = ", ".join(before + item.flat for before, item in self.items)
        return f"{self.opening}{inner}{self.closing}"

    @cached_property
    def spreads(self) -> bool:
        """Whether it, or a part of it, wants several lines."""
        return (self.spread and bool(self.items)) or any(item.spreads for _, item in self.items)

    def all_slots(self) -> Iterator[str]:
        """Go through the slots of the expression and of its parts."""
        yield from self.slots
        for _, item in self.items:
            yield from item.all_slots()


def literal(value: Json, *slots: str) -> Expression:
    """Return a number, text, truth value or None."""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    return Expression(text, slots=slots)


def call(
    function: str,
    positional: Iterable[Expression] = (),
    keywords: Iterable[tuple[str, Expression]] = (),
    *,
    slots: tuple[str, ...] = (),
    spread: bool = False,
) -> Expression:
    """Return a call of a function."""
    items = [("", item) for item in positional]
    items += [(f"{name}=", item) for name, item in keywords]
    return Expression(f"{function}(", tuple(items), ")", slots, spread)


def listed(items: Sequence[Expression], *slots: str, spread: bool = False) -> Expression:
    """Return a list."""
    return Expression("[", tuple(("", item) for item in items), "]", slots, spread)


def tupled(items: Sequence[Expression], *slots: str) -> Expression:
    """Return a tuple."""
    closing = ",)" if len(items) == 1 else ")"
    return Expression("(", tuple(("", item) for item in items), closing, slots)


def mapping(items: Iterable[tuple[str, Expression]], *slots: str) -> Expression:
    """Return a dict; keys are code."""
    return Expression("{", tuple((f"{key}: ", item) for key, item in items), "}", slots)


def laid_out(expression: Expression, before: str = "", after: str = "", indent: int = 0) -> Block:
    """Write an expression: on one line where it fits, else with an item on each line.

    Args:
        expression: what to write.
        before: text in front of it, for example ``"model = "``.
        after: text behind it, for example ``","``.
        indent: number of blanks.
    """
    margin = " " * indent
    line = f"{margin}{before}{expression.flat}{after}"
    if not expression.items or (len(line) <= WIDTH and not expression.spreads):
        return Block((line,)).marked(*expression.all_slots())
    closing = expression.closing.lstrip(",")
    # A list alone in a call has no comma behind it.
    lone = len(expression.items) == 1 and expression.items[0][1].closing == "]"
    comma = "" if lone and expression.closing == ")" else ","
    inner = [laid_out(item, prefix, comma, indent + 4) for prefix, item in expression.items]
    lines = [
        Block((f"{margin}{before}{expression.opening}",)),
        *inner,
        Block((f"{margin}{closing}{after}",)),
    ]
    return joined(lines).marked(*expression.slots)
