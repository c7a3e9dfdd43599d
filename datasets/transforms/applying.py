"""A program's transforms, one after the other, on the rows of one role."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from ..arrays import Array, Rows
from ..errors import SubjectError
from ..program import Json
from . import additions, inputs, labels, selections
from .base import Informed, Others, Seeded, Transform, TransformResult, task_of_labels

TRANSFORMS: dict[str, Transform] = {
    "add_noise": inputs.add_noise,
    "change_labels": labels.change_labels,
    "confuse_classes": labels.confuse_classes,
    "delete_class": selections.delete_class,
    "delete_rows": selections.delete_rows,
    "overlap_classes": additions.overlap_classes,
    "permute_features": inputs.permute_features,
    "recode_labels": labels.recode_labels,
    "repeat_rows": selections.repeat_rows,
    "scale_inputs": inputs.scale_inputs,
    "shift_labels": labels.shift_labels,
    "shuffle_labels": labels.shuffle_labels,
    "sort_rows": selections.sort_rows,
    "truncate_rows": selections.truncate_rows,
    "unbalance_rows": selections.unbalance_rows,
}
"""Transforms of the rows of one role, by name."""

INFORMED: dict[str, Informed] = {
    "leak_rows": additions.leak_rows,
    "renormalize_inputs": inputs.renormalize_inputs,
    "standardize_inputs": inputs.standardize_inputs,
}
"""Transforms that look at other roles too, by name."""

SeedFor = Callable[[int], np.random.Generator]
Stored = Callable[[str], Rows]


def apply_transforms(
    rows: Rows,
    transforms: Iterable[Mapping[str, Json]],
    role: str,
    seed_for: SeedFor,
    stored: Stored | None = None,
) -> TransformResult:
    """Apply a program's transforms to the rows of one role.

    A later transform sees only the rows that the earlier ones left, and a repeated row as rows
    of their own.

    Args:
        rows: of the role; never changed, and may be read-only.
        transforms: as in the program.
        role: train, validation, judge or test; transforms for other roles are skipped.
        seed_for: makes the generator of the transform at a position in the program; called
            only for transforms that draw random numbers.
        stored: returns the rows of a role as the program stores them, for transforms that look
            at other roles; a KeyError says that there are none.

    Raises:
        SubjectError: a transform is not known, or looks at rows that are not stored.
    """
    transforms = list(transforms)
    index: Array | None = None
    touched = np.zeros(len(rows), bool)
    for position, transform in enumerate(transforms):
        if role not in transform["roles"]:
            continue
        others = _others(transforms[:position], seed_for, stored)
        view = rows if index is None else rows.take(index)
        result = _transformed(view, transform, partial(seed_for, position), others)
        if result.rows is not view:
            rows, index = _put(rows, index, result.rows)
            touched = np.pad(touched, (0, len(rows) - len(touched)))
        here = np.arange(len(rows)) if index is None else index
        touched[here[result.touched]] = True
        if result.index is not None:
            index = here[result.index]
    return TransformResult(rows, index, np.flatnonzero(touched))


def _transformed(
    rows: Rows,
    transform: Mapping[str, Json],
    seeded: Seeded,
    others: Others,
) -> TransformResult:
    name, parameters = transform["name"], transform["parameters"]
    if name in INFORMED:
        return INFORMED[name](rows, parameters, seeded, others)
    if name in TRANSFORMS:
        task = parameters.get("task") or task_of_labels(rows.y[0])
        return TRANSFORMS[name](rows, parameters, seeded, task)
    known = ", ".join(sorted([*TRANSFORMS, *INFORMED]))
    raise SubjectError(f"transform {name}: expected one of {known}")


def _others(earlier: list[Mapping[str, Json]], seed_for: SeedFor, stored: Stored | None) -> Others:
    def as_stored(role: str) -> Rows:
        try:
            if stored is not None:
                return stored(role)
        except KeyError:
            pass
        raise SubjectError(
            f"transforms: one of them looks at the {role} rows, and there are none; "
            "expected them among the roles of the program"
        )

    def transformed(role: str) -> TransformResult:
        return apply_transforms(as_stored(role), earlier, role, seed_for, stored)

    return Others(as_stored, transformed)


def _put(rows: Rows, index: Array | None, new: Rows) -> tuple[Rows, Array | None]:
    """Write the rows of a subset back to their places in copies of the arrays.

    Rows that the subset has more than once, and those that were added to it, get places of
    their own after all others.

    Returns:
        all rows, and where the new ones are among them; None for everywhere.
    """
    if index is None:
        return new, None
    places = np.full(len(new), -1)
    _, first = np.unique(index, return_index=True)
    places[first] = index[first]
    homeless = np.flatnonzero(places < 0)
    places[homeless] = len(rows) + np.arange(len(homeless))

    def merged(old: Array, part: Array) -> Array:
        shape = (len(old) + len(homeless), *part.shape[1:])
        whole = np.zeros(shape, part.dtype)
        if old.shape[1:] == part.shape[1:]:
            whole[: len(old)] = old
        whole[places] = part
        return whole

    weight = new.sample_weight
    if rows.sample_weight is not None and weight is not None:
        weight = merged(rows.sample_weight, weight)
    whole = Rows(tuple(map(merged, rows.x, new.x)), tuple(map(merged, rows.y, new.y)), weight)
    return whole, places
