"""The arrays of a subject, by content hash, and the split of held-out rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import SubjectError
from .program import Json

Array = NDArray[Any]

DISJOINT_FROM = 1000
"""Held-out rows from which judge and test rows are disjoint halves."""


def array_hash(array: Array) -> str:
    """SHA-256 of dtype, shape and C-ordered content, in hexadecimal.

    Raises:
        SubjectError: the array holds Python objects.
    """
    if array.dtype.hasobject:
        raise SubjectError("arrays: expected numbers or fixed-width strings; received objects")
    digest = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@dataclass(frozen=True)
class Rows:
    """Rows of one role: inputs, targets and optional sample weights, in the model's order.

    Args:
        x: one array per model input, each of shape (n, ...).
        y: one array per model output, each of shape (n, ...).
        sample_weight: shape (n,), or None.
    """

    x: tuple[Array, ...]
    y: tuple[Array, ...]
    sample_weight: Array | None = None

    def __post_init__(self) -> None:
        lengths = {len(array) for array in self.arrays()}
        if len(lengths) != 1:
            raise SubjectError(
                f"arrays of one role: expected one number of rows; received {sorted(lengths)}"
            )

    def __len__(self) -> int:
        return len(self.x[0])

    def arrays(self) -> tuple[Array, ...]:
        """Every array of the role."""
        weights = () if self.sample_weight is None else (self.sample_weight,)
        return (*self.x, *self.y, *weights)

    def take(self, index: Array) -> Rows:
        """Return the rows at the given positions."""
        weight = None if self.sample_weight is None else self.sample_weight[index]
        return Rows(tuple(a[index] for a in self.x), tuple(a[index] for a in self.y), weight)

    def record(self) -> Json:
        """Return the role as content hashes and the number of rows, as a program stores it."""
        weight = None if self.sample_weight is None else array_hash(self.sample_weight)
        return {
            "x": [array_hash(array) for array in self.x],
            "y": [array_hash(array) for array in self.y],
            "rows": len(self),
            "sample_weight": weight,
        }


def rows_of(record: Json, arrays: Mapping[str, Array]) -> Rows:
    """Look up the arrays that a program's role names by hash.

    Raises:
        SubjectError: an array is missing.
    """
    try:
        weight = record["sample_weight"]
        return Rows(
            tuple(arrays[key] for key in record["x"]),
            tuple(arrays[key] for key in record["y"]),
            None if weight is None else arrays[weight],
        )
    except KeyError as error:
        raise SubjectError(f"array {error.args[0]}: not among the subject's arrays") from error


def split_held_out(rows: Rows, seed: int) -> tuple[Rows, Rows, bool]:
    """Split held-out rows into judge and test rows.

    Args:
        rows: all held-out rows.
        seed: of the permutation.

    Returns:
        judge rows, test rows and whether they are disjoint: seeded halves from
        `DISJOINT_FROM` rows on, else the same rows twice.
    """
    if len(rows) < DISJOINT_FROM:
        return rows, rows, False
    order = np.random.default_rng(seed).permutation(len(rows))
    half = len(rows) // 2
    return rows.take(np.sort(order[:half])), rows.take(np.sort(order[half:])), True


def by_hash(roles: Sequence[Rows]) -> dict[str, Array]:
    """Collect the arrays of several roles under their hashes."""
    return {array_hash(array): array for rows in roles for array in rows.arrays()}
