"""Transforms that delete, repeat or reorder rows: an index of the rows tells it all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array, Rows
from ..program import Json
from .base import Seeded, Task, TransformResult, drawn, kept
from .strata import by_frequency, classes, strata


def delete_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Delete a percentage of every class, or of every bucket of targets; one row of each stays."""
    share, rng = float(parameters["percentage"]) / 100, seeded()
    ids = strata(rows.y[0], task)
    stays = np.ones(len(rows), bool)
    for stratum in np.unique(ids):
        members = np.flatnonzero(ids == stratum)
        number = min(round(share * len(members)), len(members) - 1)
        stays[rng.permutation(members)[:number]] = False
    return kept(rows, stays)


def unbalance_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Delete a percentage of every class, or bucket of targets, with fewer rows than the mean.

    Where all have equally many rows, none is deleted, as in DeepCrime.
    """
    share, rng = float(parameters["percentage"]) / 100, seeded()
    groups = by_frequency(strata(rows.y[0], task))
    stays = np.ones(len(rows), bool)
    for members in groups:
        if len(members) < len(rows) / len(groups):
            stays[drawn(members, share, rng)] = False
    return kept(rows, stays)


def delete_class(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Delete a percentage of one class, or of one bucket of targets.

    `which` is ``most_frequent`` or ``least_frequent``; at 100 percent no row of it stays, unless
    there is no other.
    """
    share, rng = float(parameters["percentage"]) / 100, seeded()
    groups = by_frequency(strata(rows.y[0], task))
    members = groups[0 if parameters["which"] == "most_frequent" else -1]
    stays = np.ones(len(rows), bool)
    stays[drawn(members, share, rng)[: len(rows) - 1]] = False
    return kept(rows, stays)


def truncate_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Cut a percentage of the rows off at the end; the first row stays in any case."""
    cut = round(float(parameters["percentage"]) / 100 * len(rows))
    return kept(rows, np.arange(len(rows)) < max(1, len(rows) - cut))


def repeat_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Repeat a percentage of the rows, after all others; above 100 percent more than once.

    `which` is ``all``, or ``most_frequent`` to repeat rows of that class or bucket alone.
    """
    share, rng = float(parameters["percentage"]) / 100, seeded()
    members: Array = np.arange(len(rows))
    if parameters["which"] == "most_frequent":
        members = by_frequency(strata(rows.y[0], task))[0]
    again = np.sort(np.resize(rng.permutation(members), round(share * len(members))))
    return TransformResult(rows, np.concatenate([np.arange(len(rows)), again]), np.unique(again))


def sort_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Sort the rows by their labels, those of one label in the order in which they are."""
    order = np.argsort(classes(rows.y[0])[1], kind="stable")
    return TransformResult(rows, order, np.flatnonzero(order != np.arange(len(rows))))
