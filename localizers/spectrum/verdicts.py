"""Which tests pass, and how sure the model was, as GUIDER's released code decides it.

Source: Xu et al., TOSEM 2025 (doi 10.1145/3716849) and its artefact.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Task = Literal["classification", "regression"]

REGRESSION_TOLERANCE = 1e-3


def _rows(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """View (n, ...) as float64 (n, width)."""
    width = int(np.prod(values.shape[1:], dtype=np.int64))
    return np.asarray(values, dtype=np.float64).reshape(values.shape[0], width)


def passed(
    task: Task, labels: npt.NDArray[Any], predictions: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    """Return the verdict of each test, (n,) of bool: True where it passes.

    Classification: a one-unit output passes when the label equals it rounded half to even (so 1.6
    is class 2 and fails; NaN fails); a vector passes when its argmax is the label, or the argmax
    of a label vector of the same length. Regression: every |y - yhat| at most 1e-3. Labels of
    another length than the output fail.
    """
    y, out = _rows(labels), _rows(predictions)
    nothing = np.zeros(out.shape[0], dtype=np.bool_)
    if out.shape[1] == 0 or y.shape[1] == 0:
        return nothing
    if task == "regression":
        if y.shape != out.shape:
            return nothing
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(y - out) <= REGRESSION_TOLERANCE).all(axis=1))
    if out.shape[1] == 1:
        return np.asarray(y[:, 0] == np.rint(out[:, 0])) if y.shape[1] == 1 else nothing
    if y.shape[1] == 1:
        return np.asarray(y[:, 0] == out.argmax(axis=1))
    if y.shape[1] != out.shape[1]:
        return nothing
    return np.asarray(y.argmax(axis=1) == out.argmax(axis=1))


def raw_confidence(
    task: Task, labels: npt.NDArray[Any], predictions: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return the confidence before normalising, (n,).

    Classification: the largest output (for one sigmoid unit the raw output itself, so that a sure
    "0" has confidence near 0), NaN as 0. Regression: the L2 norm of y - yhat, an error; 0 where
    it is NaN or the shapes differ.
    """
    y, out = _rows(labels), _rows(predictions)
    if out.shape[1] == 0 or (task == "regression" and y.shape != out.shape):
        return np.zeros(out.shape[0])
    if task == "classification":
        raw = out.max(axis=1)
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            raw = np.sqrt(np.square(y - out).sum(axis=1))
    return np.where(np.isnan(raw), 0.0, raw)


def confidence(
    task: Task, labels: npt.NDArray[Any], predictions: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return the confidence of each test in [0, 1], (n,): min-max over the tests.

    All 0 when no two raw values differ. Regression then uses 1 minus it. A test that an infinite
    raw value leaves without a number counts as 0 (the released code has no rule for it).
    """
    raw = raw_confidence(task, labels, predictions)
    scaled = np.zeros_like(raw)
    if raw.size and raw.max() != raw.min():
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = (raw - raw.min()) / (raw.max() - raw.min())
        scaled = np.where(np.isnan(scaled), 0.0, scaled)
    return 1.0 - scaled if task == "regression" else scaled
