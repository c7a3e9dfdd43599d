"""Transforms that change input values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array, Rows
from ..program import Json
from .base import Others, Seeded, Task, TransformResult, drawn, unchanged, with_input
from .normalization import normalized_again, raw_again, visible


def add_noise(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Add N(0, std of the row * percentage / 100) to a percentage of the rows, first input only.

    Integers are rounded and kept within the range of all rows, so that they stay what they are:
    pixels, or numbers of words.
    """
    share, rng, x = float(parameters["percentage"]) / 100, seeded(), rows.x[0]
    chosen = drawn(np.arange(len(rows)), share, rng)
    part = x[chosen].astype("float64")
    width = part.std(axis=tuple(range(1, x.ndim)), keepdims=True)
    noisy = part + rng.normal(0.0, 1.0, part.shape) * width * share
    if x.dtype.kind != "f":
        noisy = np.clip(np.rint(noisy), x.min(), x.max())
    changed = x.copy()
    changed[chosen] = noisy.astype(x.dtype)
    return with_input(rows, 0, changed)


def scale_inputs(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Multiply an input by a factor."""
    position = int(parameters["input"])
    x = _real(rows.x[position])
    return with_input(rows, position, x * x.dtype.type(parameters["factor"]))


def permute_features(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Put the features of an input in another `order`.

    ``reversed`` and ``rotated`` (by one) reorder the last axis, the channels of images;
    ``transposed`` exchanges the first two axes of a row, which have one length.
    """
    position = int(parameters["input"])
    x = rows.x[position]
    orders = {
        "reversed": lambda: x[..., ::-1],
        "rotated": lambda: np.roll(x, 1, axis=-1),
        "transposed": lambda: np.swapaxes(x, 1, 2),
    }
    return with_input(rows, position, np.ascontiguousarray(orders[parameters["order"]]()))


def renormalize_inputs(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, others: Others
) -> TransformResult:
    """Take the normalisation that the training rows show back, or apply it once more.

    `direction` is ``undo`` or ``again``. Rows whose training rows show no normalisation stay as
    they are. See `normalization.visible`.
    """
    position = int(parameters["input"])
    found = visible(others.stored("train").x[position])
    if found is None:
        return unchanged(rows)
    act = raw_again if parameters["direction"] == "undo" else normalized_again
    return with_input(rows, position, act(_real(rows.x[position]), found))


def standardize_inputs(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, others: Others
) -> TransformResult:
    """Bring an input to mean 0 and standard deviation 1 along an axis.

    `axis` is ``rows`` (each row by itself) or ``columns`` (each value over many rows: over the
    training rows, or over the role's own if `statistics` is ``own``). What does not vary is
    centred only.
    """
    position = int(parameters["input"])
    x = _real(rows.x[position])
    over = x if parameters["statistics"] == "own" else _real(others.stored("train").x[position])
    axes = (0,) if parameters["axis"] == "columns" else tuple(range(1, x.ndim))
    if parameters["axis"] == "rows":
        over = x
    mean = over.mean(axis=axes, keepdims=True, dtype="float64")
    width = over.std(axis=axes, keepdims=True, dtype="float64")
    scaled = (x - mean) / np.where(width > 0, width, 1.0)
    return with_input(rows, position, scaled.astype(x.dtype))


def _real(x: Array) -> Array:
    return x if x.dtype.kind == "f" else x.astype("float32")
