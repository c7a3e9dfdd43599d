"""Which normalisation inputs visibly went through, its inverse, and once more of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array

_CLOSE = 0.1
_DEVIATIONS = 3.0
_SCALES = (1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class Normalization:
    """The map from raw to normalised inputs, ``(raw - offset) / scale``.

    Args:
        kind: ``unit`` (0 to 1), ``signed`` (-1 to 1), ``standard`` (mean 0 and standard
            deviation 1 of each column) or ``whole`` (of all values together).
        offset: a number, or one for each column, that is, along the last axis.
        scale: the same.
    """

    kind: str
    offset: Array
    scale: Array


def visible(x: Array) -> Normalization | None:
    """Return the normalisation that training inputs show, or None.

    What the raw values were cannot be seen, so they are assumed to be bytes (0 to 255) for
    ``unit``, ``signed`` and ``whole``. For ``standard`` columns are assumed to lie three
    deviations above zero on scales of 1, 10, 100 and 1000 in turn, as unlike measurements do.

    Args:
        x: training inputs, shape (n, ...). Integers are raw.
    """
    if x.dtype.kind != "f" or not x.size:
        return None
    low, high = float(x.min()), float(x.max())
    if low == high:
        return None
    if low >= -1 and high <= 1:
        unit = low >= 0
        kind, offset, scale = ("unit", 0.0, 255.0) if unit else ("signed", 127.5, 127.5)
        return Normalization(kind, np.array(offset), np.array(scale))
    if 2 <= x.ndim <= 3 and x.shape[-1] > 1:
        columns = x.reshape(-1, x.shape[-1])
        mean, width = columns.mean(0, dtype="float64"), columns.std(0, dtype="float64")
        if (width > 0).any() and _standard(mean[width > 0], width[width > 0]):
            scale_of = np.resize(_SCALES, x.shape[-1])
            return Normalization("standard", _DEVIATIONS * scale_of, scale_of)
    if _standard(x.mean(dtype="float64"), x.std(dtype="float64")):
        scale = 255.0 / (high - low)
        return Normalization("whole", np.array(-low * scale), np.array(scale))
    return None


def raw_again(x: Array, found: Normalization) -> Array:
    """Take the normalisation back; the dtype stays."""
    raw: Array = (x * found.scale + found.offset).astype(x.dtype)
    return raw


def normalized_again(x: Array, found: Normalization) -> Array:
    """Apply the normalisation to inputs that went through it already; the dtype stays."""
    twice: Array = ((x - found.offset) / found.scale).astype(x.dtype)
    return twice


def _standard(mean: Array, width: Array) -> bool:
    """Whether means are near 0 and deviations near 1, but for a minority of columns."""
    return bool(np.median(np.abs(mean)) < _CLOSE and np.median(np.abs(width - 1)) < _CLOSE)
