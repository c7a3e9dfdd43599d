"""Which neurons a test activates, as GUIDER defines it (TOSEM 2025, doi 10.1145/3716849)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...datasets.errors import ConfigError

RandomSource = np.random.RandomState | np.random.Generator


def flatten_neurons(outputs: npt.NDArray[Any], n_tests: int) -> npt.NDArray[Any]:
    """View a layer's output (n, ...) as (n, neurons): each scalar of the output is a neuron.

    Every pixel and channel of a convolution, every step and unit of a returned sequence counts.
    Raises ConfigError when the output has not one row per test.
    """
    if outputs.ndim == 0 or outputs.shape[0] != n_tests:
        raise ConfigError(
            f"a layer's output must have one row per test: expected {n_tests} rows, got shape "
            f"{outputs.shape}; check the case's activations"
        )
    width = int(np.prod(outputs.shape[1:], dtype=np.int64))
    return outputs.reshape(n_tests, width)


def sample_neurons(n_neurons: int, n_selected: int, rng: RandomSource) -> npt.NDArray[np.int64]:
    """Choose the neurons of one layer that are looked at; sorted flat indices, repeats possible.

    All of them when there are at most ``n_selected`` (then ``rng`` is not consumed), else
    ``n_selected`` draws *with replacement*, as GUIDER's released code draws.
    """
    if n_neurons <= n_selected:
        return np.arange(n_neurons, dtype=np.int64)
    if isinstance(rng, np.random.RandomState):
        drawn = rng.randint(0, n_neurons, n_selected)
    else:
        drawn = rng.integers(0, n_neurons, n_selected)
    return np.sort(np.asarray(drawn, dtype=np.int64))


def active(values: npt.NDArray[Any], threshold: float = 0.1) -> npt.NDArray[np.bool_]:
    """Return where a raw output is strictly above ``threshold``; NaN is inactive, nothing scaled.

    ``values`` and the answer are (n, neurons).
    """
    return np.asarray(values > threshold)
