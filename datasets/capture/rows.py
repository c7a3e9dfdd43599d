"""What a script hands to ``fit`` and ``evaluate`` as rows of plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import Array, Rows
from ..errors import SubjectError

HOLD_OUT = 0.2
"""Share of the training rows that is held out when a script has no held-out data."""


def rows_from(
    model: Any, x: Any, y: Any, sample_weight: Any = None, *, floatx: str, what: str
) -> Rows:
    """Return rows as Keras would feed them to this model.

    Args:
        model: built Keras model; its inputs and outputs give the number and order of arrays.
        x: array, list of arrays or dict of arrays by input name.
        y: the same for the outputs.
        sample_weight: array of shape (n,) or (n, 1), or None.
        floatx: floating-point type that Keras casts to.
        what: argument that is spoken of in messages.

    Raises:
        SubjectError: the data is no array, or the targets are missing.
    """
    check_no_stream(x, f"{what} x")
    if y is None:
        raise SubjectError(f"{what} y: expected targets; received none")
    inputs = [str(tensor.name) for tensor in model.inputs]
    outputs = output_names(model)
    return Rows(
        _arrays(x, inputs, floatx, f"{what} x"),
        _arrays(y, outputs, floatx, f"{what} y"),
        _weights(sample_weight, floatx, f"{what} sample_weight"),
    )


def output_names(model: Any) -> list[str]:
    """Return the names of a built model's outputs; a Sequential model has one, unnamed."""
    names = getattr(model, "output_names", None) or [tensor.name for tensor in model.outputs]
    return [str(name) for name in names]


def _arrays(value: Any, names: Sequence[str], floatx: str, what: str) -> tuple[Array, ...]:
    if isinstance(value, Mapping):
        missing = sorted(set(names) - set(value))
        if missing:
            raise SubjectError(
                f"{what}: expected the keys {', '.join(names)}; "
                f"received {', '.join(map(str, value))}"
            )
        return tuple(_array(value[name], floatx, what) for name in names)
    listed = isinstance(value, (list, tuple))
    if len(names) > 1:
        if not listed or len(value) != len(names):
            received = f"{len(value)}" if listed else f"a {type(value).__name__}"
            raise SubjectError(f"{what}: expected {len(names)} arrays; received {received}")
        return tuple(_array(item, floatx, what) for item in value)
    if listed and len(value) == 1 and np.ndim(value[0]) > 0:
        value = value[0]
    return (_array(value, floatx, what),)


def _array(value: Any, floatx: str, what: str) -> Array:
    if isinstance(value, (pd.DataFrame, pd.Series)):
        value = value.to_numpy()
    else:
        check_no_stream(value, what)
    try:
        array: Array = np.array(value)
    except ValueError as error:
        raise SubjectError(f"{what}: expected rows of one shape; {error}") from error
    if array.dtype.hasobject:
        raise SubjectError(f"{what}: expected numbers; received Python objects")
    if array.ndim == 0:
        raise SubjectError(f"{what}: expected an array; received a single value")
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array.astype(floatx))
    return np.ascontiguousarray(array)


def check_no_stream(value: Any, what: str) -> None:
    """Refuse data sets, generators and whatever else is no array.

    Raises:
        SubjectError: the value is neither an array nor a container of arrays.
    """
    containers = (list, tuple, Mapping, pd.DataFrame, pd.Series)
    if isinstance(value, containers) or (hasattr(value, "__array__") and hasattr(value, "shape")):
        return
    raise SubjectError(
        f"{what}: expected NumPy arrays, lists or pandas data; received a {type(value).__name__} "
        "(tf.data datasets, generators and other streams cannot be captured yet: "
        "give fit the arrays themselves)"
    )


def _weights(value: Any, floatx: str, what: str) -> Array | None:
    if value is None:
        return None
    array = _array(value, floatx, what).astype(floatx)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise SubjectError(f"{what}: expected one weight a row; received shape {array.shape}")
    return array


def validation_tail(rows: Rows, share: float) -> tuple[Rows, Rows]:
    """Split as ``validation_split`` does: the tail, before any shuffling, is for validation."""
    at = int(len(rows) * (1.0 - share))
    if not 0 < at < len(rows):
        raise SubjectError(
            f"validation_split: expected a share that leaves rows on both sides of {len(rows)}; "
            f"received {share}"
        )
    return rows.take(np.arange(at)), rows.take(np.arange(at, len(rows)))


def hold_out(rows: Rows) -> tuple[Rows, Rows]:
    """Hold out a seeded `HOLD_OUT` of the rows; both parts keep their order."""
    order = np.random.default_rng(0).permutation(len(rows))
    count = round(len(rows) * HOLD_OUT)
    if not 0 < count < len(rows):
        raise SubjectError(f"training rows: expected at least 3; received {len(rows)}")
    return rows.take(np.sort(order[count:])), rows.take(np.sort(order[:count]))


def rows_of_file(model: Any, path: Path, *, floatx: str) -> Rows:
    """Read held-out rows from an ``.npz`` file: ``x`` and ``y``, or ``x0``, ``x1``, ..., ``y0``.

    Raises:
        SubjectError: the file cannot be read or lacks them.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            held = {key: file[key] for key in file.files}
    except (OSError, ValueError) as error:
        raise SubjectError(f"--test {path}: expected an .npz file; {error}") from error
    parts: dict[str, list[Array]] = {}
    for letter in "xy":
        keys = [letter] if letter in held else sorted(k for k in held if k[:1] == letter)
        if not keys:
            raise SubjectError(f"--test {path}: expected arrays x and y; received {sorted(held)}")
        parts[letter] = [held[key] for key in keys]
    return rows_from(model, parts["x"], parts["y"], floatx=floatx, what="--test")


def is_classification(losses: Sequence[str], y: Sequence[Array]) -> bool:
    """Whether a program classifies, by its losses' names and else by its targets."""
    if any("crossentropy" in name or "hinge" in name for name in losses):
        return True
    return any(_are_labels(array) for array in y)


def _are_labels(array: Array) -> bool:
    values = np.unique(array)
    if array.ndim == 2 and array.shape[1] > 1:
        one_hot = bool(np.isin(values, (0, 1)).all() and (array.sum(axis=1) == 1).all())
        return one_hot
    counted = np.array_equal(values, np.arange(len(values)))
    return array.dtype.kind in "iub" and len(values) > 1 and counted
