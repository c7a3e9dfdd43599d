"""Which rows belong together by their labels: classes, or buckets of numbers."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .base import Task


def classes(labels: Array) -> tuple[Array, Array]:
    """Return the distinct labels, in order, and which of them each row has, shape (n,).

    Labels are rows of the array, so integers, one-hot vectors and truth values are one case.
    """
    if labels.ndim == 1:
        kinds, ids = np.unique(labels, return_inverse=True)
    else:
        kinds, ids = np.unique(labels, axis=0, return_inverse=True)
    return kinds, ids.reshape(-1)


def buckets(targets: Array) -> Array:
    """Return the bucket of each row: three around the mean for each of two target values.

    DeepCrime cuts at one standard deviation around zero, which leaves one bucket where targets
    are far from zero; here the cuts are around the mean.
    """
    flat = targets.reshape(len(targets), -1)[:, :2].astype("float64")
    centred, width = flat - flat.mean(axis=0), flat.std(axis=0)
    levels = np.where(centred > width, 2, np.where(centred < -width, 0, 1))
    ids: Array = (levels * 3 ** np.arange(flat.shape[1])).sum(axis=1)
    return ids


def strata(labels: Array, task: Task) -> Array:
    """Return the stratum of each row: its class, or the bucket of its target; shape (n,)."""
    return buckets(labels) if task == "regression" else classes(labels)[1]


def by_frequency(ids: Array) -> list[Array]:
    """Return the positions of each stratum's rows, the largest stratum first.

    Of strata of one size the one with the lower number is first.
    """
    names, counts = np.unique(ids, return_counts=True)
    return [np.flatnonzero(ids == name) for name in names[np.argsort(-counts, kind="stable")]]


def is_one_hot(labels: Array) -> bool:
    """Whether labels are vectors with a single one, along the last axis."""
    if labels.ndim < 2 or labels.shape[-1] < 2:
        return False
    sums = labels.sum(axis=-1)
    return bool(np.isin(labels, (0, 1)).all() and (sums == 1).all())
