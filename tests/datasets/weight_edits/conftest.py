"""Weights of every class of layer, and a slow account of whose each of them is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.weight_edits import apply_weight_edit

Weights = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A layer among others: its units, and the shapes of its variables by path within it."""

    units: int
    shapes: Mapping[str, tuple[int, ...]]
    multiplier: int | None = None

    def weights(self) -> Weights:
        """Return read-only weights of the layer and of one that has nothing to do with it."""
        rng = np.random.default_rng(4)
        shapes = {f"model/layer/{path}": shape for path, shape in self.shapes.items()}
        shapes |= {"layer/kernel": (5, self.units), "model/layer_1/kernel": (5, self.units)}
        made = {path: rng.normal(size=shape).astype("float32") for path, shape in shapes.items()}
        for array in made.values():
            array.setflags(write=False)
        return made

    def owner(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Return neuron and gate of an entry of a kernel or bias."""
        if self.multiplier is not None and len(index) > 1:
            return index[-2] * self.multiplier + index[-1], 0
        return index[-1] % self.units, index[-1] // self.units

    def entries(self, shape: tuple[int, ...]) -> dict[tuple[int, int], list[tuple[int, ...]]]:
        """Return the indices of an array's entries by neuron and gate, in order."""
        found: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for index in np.ndindex(*shape):
            found.setdefault(self.owner(index), []).append(index)
        return found

    def edit(self, name: str, neurons: list[int], **rest: Any) -> dict[str, Any]:
        """Return an edit of some neurons of the layer."""
        parameters = {"layer": "model/layer", "neurons": neurons, "units": self.units, **rest}
        return {"name": name, "parameters": parameters}

    def applied(self, edit: Any, seed: int = 1) -> tuple[Weights, Weights]:
        """Return the weights before and after an edit, of which the former did not change."""
        old = self.weights()
        kept = {path: array.copy() for path, array in old.items()}
        new = apply_weight_edit(edit, old, np.random.default_rng(seed))
        assert list(new) == list(old)
        for path, array in kept.items():
            assert np.array_equal(old[path], array)
            assert new[path].dtype == np.float32 and new[path].shape == array.shape
        return old, new


CASES = {
    "Dense": Case(6, {"kernel": (7, 6), "bias": (6,)}),
    "Dense without bias": Case(4, {"kernel": (3, 4)}),
    "Conv1D": Case(4, {"kernel": (3, 2, 4), "bias": (4,)}),
    "Conv2D": Case(4, {"kernel": (3, 2, 2, 4), "bias": (4,)}),
    "DepthwiseConv2D": Case(6, {"kernel": (3, 3, 3, 2), "bias": (6,)}, multiplier=2),
    "SeparableConv2D": Case(
        4,
        {"depthwise_kernel": (3, 3, 2, 2), "pointwise_kernel": (1, 1, 4, 4), "bias": (4,)},
    ),
    "SimpleRNN": Case(
        3, {"cell/kernel": (4, 3), "cell/recurrent_kernel": (3, 3), "cell/bias": (3,)}
    ),
    "LSTM": Case(3, {"cell/kernel": (4, 12), "cell/recurrent_kernel": (3, 12), "cell/bias": (12,)}),
    "GRU": Case(3, {"cell/kernel": (4, 9), "cell/recurrent_kernel": (3, 9), "cell/bias": (2, 9)}),
    "ConvLSTM2D": Case(
        3,
        {
            "cell/kernel": (2, 2, 2, 12),
            "cell/recurrent_kernel": (2, 2, 3, 12),
            "cell/bias": (12,),
        },
    ),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def named() -> Callable[[str], Case]:
    """Return one case by the class of its layer."""
    return CASES.__getitem__


INCOMING = ("kernel", "recurrent_kernel", "pointwise_kernel")


@pytest.fixture
def expected() -> Callable[..., Weights]:
    """Return weights in which a function was applied to what belongs to some neurons."""

    def with_changes(
        case: Case,
        neurons: list[int],
        change: Callable[[list[float]], list[float]],
        names: tuple[str, ...] = (*INCOMING, "bias"),
    ) -> Weights:
        made = {path: array.copy() for path, array in case.weights().items()}
        for path, array in made.items():
            if not path.startswith("model/layer/") or path.rsplit("/", 1)[-1] not in names:
                continue
            for (neuron, _), indices in case.entries(array.shape).items():
                if neuron in neurons:
                    values = change([float(array[index]) for index in indices])
                    for index, value in zip(indices, values, strict=True):
                        array[index] = value
        return made

    return with_changes
