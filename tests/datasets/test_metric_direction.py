"""Directions of metrics by name."""

import inspect
from typing import Any

import keras
import pytest
from faultloom.datasets.metric_direction import higher_is_better

pytestmark = pytest.mark.tf


def keras_metrics() -> list[Any]:
    found = []
    for name, kind in vars(keras.metrics).items():
        if inspect.isclass(kind) and name not in ("Metric", "MeanMetricWrapper"):
            try:
                direction = getattr(kind(), "_direction", None)
            except TypeError:
                continue
            if direction is not None:
                found.append(pytest.param(kind, direction, id=name))
    return found


@pytest.mark.parametrize(("kind", "direction"), keras_metrics())
def test_directions_are_those_of_keras(kind: Any, direction: str) -> None:
    name = keras.src.utils.naming.to_snake_case(kind.__name__)
    assert higher_is_better(name) == (direction == "up")
    assert higher_is_better(f"val_{name}") == (direction == "up")


@pytest.mark.parametrize(
    "name", ["loss", "mse", "mae", "mape", "msle", "log_cosh", "false_positives"]
)
def test_errors_are_better_when_lower_under_any_name(name: str) -> None:
    assert not higher_is_better(name) and not higher_is_better(f"val_{name}")
