"""Transforms that add rows: wrongly labelled copies, and rows of another role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..arrays import Rows
from ..program import Json
from .base import Others, Seeded, Task, TransformResult, added, drawn, unchanged
from .strata import by_frequency, strata

_KEPT_CLEAN = {"validation": ("judge", "test"), "test": ("judge",)}


def overlap_classes(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Add copies of a percentage of the most frequent class under the label of the second one.

    In regression the copies are of rows in the most frequent bucket of targets and take the
    targets of the second bucket, in turn.
    """
    share, rng = float(parameters["percentage"]) / 100, seeded()
    groups = by_frequency(strata(rows.y[0], task))
    if len(groups) == 1:
        return unchanged(rows)
    chosen = drawn(groups[0], share, rng)
    if not len(chosen):
        return unchanged(rows)
    copies = rows.take(chosen)
    labels = rows.y[0][np.resize(groups[1], len(chosen))]
    return added(rows, replace(copies, y=(labels, *copies.y[1:])))


def leak_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, others: Others
) -> TransformResult:
    """Add a percentage of the rows of another role, `source`: ``validation`` or ``test``.

    Rows that are judge rows too never leak, nor do validation rows that are test rows: faults
    are judged on rows that no training has seen.
    """
    share, rng, source = float(parameters["percentage"]) / 100, seeded(), parameters["source"]
    donors, stored = others.transformed(source), others.stored(source)
    held = {key for role in _KEPT_CLEAN[source] for key in _keys(others.stored(role))}
    free = np.array([key not in held for key in _keys(stored)])
    places = np.arange(len(stored)) if donors.index is None else donors.index
    # Rows that a transform added to the role are not followed to where they came from.
    free = places[(places < len(stored)) & free[np.minimum(places, len(stored) - 1)]]
    chosen = drawn(free, share, rng)
    return added(rows, donors.rows.take(chosen)) if len(chosen) else unchanged(rows)


def _keys(rows: Rows) -> list[bytes]:
    """Return what tells the inputs of one row from those of another."""
    return [b"".join(array[n].tobytes() for array in rows.x) for n in range(len(rows))]
