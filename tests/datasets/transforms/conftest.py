"""Rows that nobody can write to, and one transform of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.transforms import TransformResult, apply_transforms


def locked(rows: Rows) -> Rows:
    for array in rows.arrays():
        array.setflags(write=False)
    return rows


@pytest.fixture(scope="session")
def table() -> Callable[..., Rows]:
    """Make read-only rows of labels; inputs count up unless they are given."""

    def made(labels: Any, x: Any = None, weights: Any = None) -> Rows:
        labels = np.array(labels)
        inputs = np.arange(len(labels) * 2).reshape(-1, 2) if x is None else np.array(x)
        if x is None:
            inputs = inputs.astype("float32")
        return locked(Rows((inputs,), (labels,), None if weights is None else np.array(weights)))

    return made


@pytest.fixture(scope="session")
def transformed() -> Callable[..., TransformResult]:
    """Apply one transform to training rows."""

    def result(
        rows: Rows, name: str, /, *, seed: int = 7, stored: Any = None, **parameters: Any
    ) -> TransformResult:
        entry = {"name": name, "parameters": parameters, "roles": ["train"]}
        return apply_transforms(
            rows, [entry], "train", lambda position: np.random.default_rng(seed), stored
        )

    return result


@pytest.fixture(scope="session")
def undrawn() -> Callable[..., TransformResult]:
    """Apply one transform to the rows of a role; it may not draw random numbers."""

    def refuse(position: int) -> np.random.Generator:
        raise AssertionError("a transform that must be the same in all runs drew random numbers")

    def result(
        rows: Rows, name: str, /, *, role: str = "test", stored: Any = None, **parameters: Any
    ) -> TransformResult:
        entry = {"name": name, "parameters": parameters, "roles": [role]}
        return apply_transforms(rows, [entry], role, refuse, stored)

    return result
