"""Slots: JSON pointers into a program, and the difference of two programs as slots."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import SubjectError
from .program import Json, TrainingProgram, canonical_json


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
"""Marks a slot that a program does not have (its value is Keras's default)."""


@dataclass(frozen=True)
class Change:
    """One slot whose value differs between two programs.

    Args:
        slot: JSON pointer (RFC 6901) that is valid in both programs but for its last part.
        old: value in the first program or `ABSENT`.
        new: value in the second program or `ABSENT`.
    """

    slot: str
    old: Json
    new: Json


def get(document: Json, slot: str) -> Json:
    """Return the value at a slot, or `ABSENT`."""
    for part in _parts(slot):
        if isinstance(document, list) and part.isdigit() and int(part) < len(document):
            document = document[int(part)]
        elif isinstance(document, dict) and part in document:
            document = document[part]
        else:
            return ABSENT
    return document


def replaced(document: Json, slot: str, value: Json) -> Json:
    """Return a copy of a document in which a slot holds another value; `ABSENT` removes it.

    In a list the slot one past the end appends; removal is possible at the end only, so that
    the slots of the other entries stay what they are.

    Raises:
        SubjectError: the slot cannot exist in this document.
    """
    document = copy.deepcopy(document)
    *path, last = _parts(slot)
    holder = document
    for part in path:
        holder = get(holder, "/" + _escaped(part))
    if isinstance(holder, dict):
        if value is ABSENT:
            holder.pop(last, None)
        else:
            holder[last] = copy.deepcopy(value)
        return document
    if isinstance(holder, list) and last.isdigit() and int(last) <= len(holder):
        position = int(last)
        if value is ABSENT and position == len(holder) - 1:
            holder.pop()
            return document
        if value is not ABSENT:
            holder[position : position + 1] = [copy.deepcopy(value)]
            return document
    raise SubjectError(f"slot {slot}: it does not exist in this program")


def with_slot(program: TrainingProgram, slot: str, value: Json) -> TrainingProgram:
    """Return the program with another (canonical) value at a slot."""
    return TrainingProgram.of(replaced(program.document(), slot, value))


def difference(old: TrainingProgram, new: TrainingProgram) -> tuple[Change, ...]:
    """Return the smallest slots that differ, in the order of the document.

    Serialised objects (with a ``class_name``) whose classes differ, and lists of other lengths
    that are not merely appended to, count as one changed value.
    """
    return tuple(_changes(old.document(), new.document(), ""))


def revert(program: TrainingProgram, changes: Iterable[Change]) -> TrainingProgram:
    """Undo changes, the last one first, by putting each old value back."""
    document = program.document()
    for change in reversed(tuple(changes)):
        document = replaced(document, change.slot, change.old)
    return TrainingProgram.of(document)


def overlap(one: str, other: str) -> bool:
    """Whether one slot contains the other."""
    return (other + "/").startswith(one + "/") or (one + "/").startswith(other + "/")


def common(slots: Iterable[str]) -> str:
    """Return the longest slot that contains all of several slots; it may be the whole program."""
    parts = [slot.split("/") for slot in slots]
    shared = zip(*parts, strict=False)
    same = itertools.takewhile(lambda column: len(set(column)) == 1, shared)
    return "/".join(column[0] for column in same)


def _changes(old: Json, new: Json, slot: str) -> Iterable[Change]:
    if not (old is ABSENT or new is ABSENT) and canonical_json(old) == canonical_json(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        if old.get("class_name") == new.get("class_name"):
            for key in sorted(old.keys() | new.keys()):
                yield from _changes(
                    old.get(key, ABSENT), new.get(key, ABSENT), f"{slot}/{_escaped(key)}"
                )
            return
    elif (
        isinstance(old, list)
        and isinstance(new, list)
        and (len(new) == len(old) or new[: len(old)] == old)
    ):
        for position, value in enumerate(new):
            before = old[position] if position < len(old) else ABSENT
            yield from _changes(before, value, f"{slot}/{position}")
        return
    yield Change(slot, old, new)


def _parts(slot: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in slot.split("/")[1:]]


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")
