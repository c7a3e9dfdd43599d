"""In which order, and with which weights, rows are trained: the same for both engines."""

from __future__ import annotations

import numpy as np

from ..datasets.arrays import Array, Rows
from ..datasets.program import Json
from .streams import Streams


def epoch_order(rows: Array, epoch: int, streams: Streams, *, shuffle: bool) -> Array:
    """Return row numbers in the order in which an epoch trains them.

    Args:
        rows: row numbers before shuffling.
        epoch: from 0.
        streams: of the run.
        shuffle: whether the program shuffles.
    """
    if not shuffle:
        return rows
    ordered: Array = rows[streams.generator("shuffle", str(epoch)).permutation(len(rows))]
    return ordered


def row_weights(rows: Rows, class_weight: Json) -> Array | None:
    """Return the weight of each row, shape (n,), or None where a program weighs none."""
    if rows.sample_weight is None and class_weight is None:
        return None
    weights = np.ones(len(rows), np.float32)
    if rows.sample_weight is not None:
        weights = weights * np.asarray(rows.sample_weight, np.float32)
    if class_weight is not None:
        labels = rows.y[0].reshape(len(rows), -1)
        classes = labels.argmax(1) if labels.shape[1] > 1 else labels[:, 0].astype(int)
        weights = weights * np.array(
            [class_weight.get(str(label), 1.0) for label in classes], np.float32
        )
    return weights
