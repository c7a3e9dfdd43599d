"""Transforms that change the labels of the first output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..arrays import Array, Rows
from ..program import Json
from .base import Seeded, Task, TransformResult, differing, drawn, unchanged, with_labels
from .strata import by_frequency, classes, is_one_hot


def change_labels(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Relabel a percentage of the most frequent class, each row to any other label alike.

    In regression every target gets N(0, std * percentage / 100).
    """
    labels, share, rng = rows.y[0], float(parameters["percentage"]) / 100, seeded()
    if task == "regression":
        noise = rng.normal(0.0, float(np.std(labels)) * share, labels.shape)
        kind = labels.dtype if labels.dtype.kind == "f" else np.dtype("float32")
        return with_labels(rows, (labels + noise).astype(kind))
    kinds, ids = classes(labels)
    if len(kinds) == 1:
        return unchanged(rows)
    (members, *_) = by_frequency(ids)
    chosen = drawn(members, share, rng)
    others = np.flatnonzero(np.arange(len(kinds)) != ids[members[0]])
    changed = labels.copy()
    changed[chosen] = kinds[rng.choice(others, len(chosen))]
    return with_labels(rows, changed)


def confuse_classes(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Give a percentage of each of two classes the label of the other one.

    `pair` is ``frequent``, the two classes with most rows, or ``nearest``, the two whose mean
    first inputs are nearest to each other, which people confuse.
    """
    labels, share, rng = rows.y[0], float(parameters["percentage"]) / 100, seeded()
    kinds, ids = classes(labels)
    if len(kinds) == 1:
        return unchanged(rows)
    one, other = by_frequency(ids)[:2]
    if parameters["pair"] == "nearest":
        one, other = (np.flatnonzero(ids == number) for number in _nearest(rows.x[0], ids))
    changed = labels.copy()
    for members, label in ((one, kinds[ids[other[0]]]), (other, kinds[ids[one[0]]])):
        changed[drawn(members, share, rng)] = label
    return with_labels(rows, changed)


def shuffle_labels(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Shuffle the labels of a percentage of the rows among these rows.

    Rows with several outputs keep their labels together. A row that gets a label equal to its
    own is not touched.
    """
    share, rng = float(parameters["percentage"]) / 100, seeded()
    chosen = drawn(np.arange(len(rows)), share, rng)
    source = np.arange(len(rows))
    source[chosen] = rng.permutation(chosen)
    shuffled = tuple(array[source] for array in rows.y)
    moved = [differing(old, new) for old, new in zip(rows.y, shuffled, strict=True)]
    return TransformResult(replace(rows, y=shuffled), None, np.unique(np.concatenate(moved)))


def shift_labels(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Add `shift`, which is 1 or -1, to the number of each row's class.

    With `wrap` the class after the last is the first. Without it integers leave the range of
    classes, and a one-hot vector loses its one.
    """
    labels, shift = rows.y[0], int(parameters["shift"])
    if is_one_hot(labels):
        shifted = np.roll(labels, shift, axis=-1)
        if not parameters["wrap"]:
            shifted[..., 0 if shift > 0 else -1] = 0
        return with_labels(rows, shifted)
    if parameters["wrap"]:
        kinds, numbers = _numbered(labels)
        return with_labels(rows, kinds[(numbers + shift) % len(kinds)])
    kind = labels.dtype if labels.dtype.kind == "f" else np.dtype("int64")
    return with_labels(rows, labels.astype(kind) + kind.type(shift))


def recode_labels(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Make class numbers of one-hot labels, and one-hot vectors of all other labels.

    Vectors are as long as ``keras.utils.to_categorical`` makes them: one more than the largest
    class number of the role.
    """
    labels = rows.y[0]
    if is_one_hot(labels):
        return with_labels(rows, labels.argmax(axis=-1))
    if labels.ndim > 1 and labels.shape[-1] == 1:
        labels = labels[..., 0]
    counted = labels.dtype.kind in "biuf" and bool((labels >= 0).all() and (labels % 1 == 0).all())
    numbers = labels.astype("int64") if counted else _numbered(labels)[1]
    return with_labels(rows, np.eye(int(numbers.max()) + 1, dtype="float32")[numbers])


def _numbered(labels: Array) -> tuple[Array, Array]:
    """Return the distinct values, in order, and the number of each; its shape is the labels'."""
    kinds, numbers = np.unique(labels, return_inverse=True)
    return kinds, numbers.reshape(labels.shape)


def _nearest(x: Array, ids: Array) -> tuple[int, int]:
    """Return the numbers of the two classes whose mean inputs are nearest, by Euclid."""
    flat = x.reshape(len(x), -1).astype("float64")
    means = np.array([flat[ids == number].mean(axis=0) for number in range(ids.max() + 1)])
    squares = (means**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * means @ means.T
    distances[np.tril_indices(len(means))] = np.inf
    one, other = np.unravel_index(int(distances.argmin()), distances.shape)
    return int(one), int(other)
