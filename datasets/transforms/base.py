"""What a transform is: a pure function from the rows of a role to other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..arrays import Array, Rows
from ..program import Json

Task = Literal["classification", "regression"]


@dataclass(frozen=True)
class TransformResult:
    """Rows after a transform.

    Args:
        rows: the rows that there were, some with other values, and after them those that were
            added.
        index: the rows that stay, in their order, or None for all; deletion and repetition are
            told by an index so that arrays keep their shapes.
        touched: sorted positions in `rows` of those that were changed, deleted, repeated, moved
            or added.
    """

    rows: Rows
    index: Array | None
    touched: Array

    def materialized(self) -> Rows:
        """Return the rows that stay."""
        return self.rows if self.index is None else self.rows.take(self.index)


Seeded = Callable[[], np.random.Generator]
"""Makes the generator of one transform; a transform that draws nothing never calls it."""


@dataclass(frozen=True)
class Others:
    """The rows of all roles, for a transform that looks at them.

    Args:
        stored: returns the rows of a role as the program stores them; what is computed from
            them is the same in all runs.
        transformed: returns them as the earlier transforms leave them.
    """

    stored: Callable[[str], Rows]
    transformed: Callable[[str], TransformResult]


Transform = Callable[[Rows, Mapping[str, Json], Seeded, Task], TransformResult]

Informed = Callable[[Rows, Mapping[str, Json], Seeded, Others], TransformResult]
"""A transform that looks at the rows of other roles than the one it transforms."""


def task_of(document: Mapping[str, Json]) -> Task:
    """Whether a program learns classes or numbers, by its loss, else by its metrics."""
    if any(word in _words(document["loss"]) for word in ("crossentropy", "hinge", "divergence")):
        return "classification"
    signs = ("acc", "auc", "precision", "recall")
    metrics = _words(document["metrics"])
    return "classification" if any(sign in metrics for sign in signs) else "regression"


def task_of_labels(labels: Array) -> Task:
    """Guess the task from labels: integers, truth values, zeros and ones are classes."""
    discrete = labels.dtype.kind in "biuSU" or bool(np.isin(labels, (0, 1)).all())
    return "classification" if discrete else "regression"


def unchanged(rows: Rows) -> TransformResult:
    """Return the rows as they are."""
    return TransformResult(rows, None, np.arange(0))


def kept(rows: Rows, stays: Array) -> TransformResult:
    """Return the rows for which a mask of shape (n,) is true."""
    return TransformResult(rows, np.flatnonzero(stays), np.flatnonzero(~stays))


def with_labels(rows: Rows, labels: Array) -> TransformResult:
    """Put other labels of the first output in; what differs is touched."""
    if labels.shape != rows.y[0].shape:
        touched = np.arange(len(rows))
    else:
        touched = differing(rows.y[0], labels)
    return TransformResult(replace(rows, y=(labels, *rows.y[1:])), None, touched)


def with_input(rows: Rows, position: int, values: Array) -> TransformResult:
    """Put other values of one input in; what differs is touched."""
    x = (*rows.x[:position], values, *rows.x[position + 1 :])
    return TransformResult(replace(rows, x=x), None, differing(rows.x[position], values))


def added(rows: Rows, more: Rows) -> TransformResult:
    """Add rows after all others; rows without a weight weigh 1 where the others have weights."""

    def joined(old: Array, new: Array) -> Array:
        return np.concatenate([old, new.astype(old.dtype)])

    weight = rows.sample_weight
    if weight is not None:
        ones = np.ones(len(more), weight.dtype)
        weight = joined(weight, ones if more.sample_weight is None else more.sample_weight)
    whole = Rows(tuple(map(joined, rows.x, more.x)), tuple(map(joined, rows.y, more.y)), weight)
    return TransformResult(whole, None, np.arange(len(rows), len(whole)))


def differing(old: Array, new: Array) -> Array:
    """Return the sorted positions of the rows in which two arrays of one shape differ."""
    return np.flatnonzero((old != new).reshape(len(old), -1).any(axis=1))


def drawn(members: Array, share: float, rng: np.random.Generator) -> Array:
    """Draw a share of some positions without replacement, rounded, and sort them."""
    return np.sort(rng.permutation(members)[: round(share * len(members))])


def _words(value: Json) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_words(item) for item in value)
    return str(value["class_name"] if isinstance(value, Mapping) else value).lower()
