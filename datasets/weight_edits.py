"""What trained-stage mutations do to the weights of a trained model: named, seeded, pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .arrays import Array
from .errors import SubjectError
from .program import Json

WeightEdit = Callable[[dict[str, Array], Mapping[str, Json], np.random.Generator], dict[str, Array]]

_KERNELS = ("kernel", "pointwise_kernel")


def apply_weight_edit(
    edit: Mapping[str, Json], weights: Mapping[str, Array], rng: np.random.Generator
) -> dict[str, Array]:
    """Return the weights after an edit; arrays that it leaves alone are the same objects.

    Args:
        edit: as in the program.
        weights: by path: the name path of the layer in the program, ``/`` and the path of the
            variable within the layer, as in ``dense_1/kernel`` or ``lstm/lstm_cell/kernel``.
        rng: of the run.

    Raises:
        SubjectError: the edit, the layer or a neuron is not known.
    """
    name = edit["name"]
    if name not in WEIGHT_EDITS:
        raise SubjectError(f"weight edit {name}: expected one of {', '.join(sorted(WEIGHT_EDITS))}")
    return WEIGHT_EDITS[name](dict(weights), edit["parameters"], rng)


def gaussian_fuzzing(
    weights: dict[str, Array], parameters: Mapping[str, Json], rng: np.random.Generator
) -> dict[str, Array]:
    """Multiply each incoming weight of the named neurons by 1 + N(0, magnitude).

    In a recurrent layer a neuron's incoming weights are its columns in every gate.
    """
    layer, units = parameters["layer"], int(parameters["units"])
    paths = [
        path
        for path in weights
        if path.startswith(layer + "/") and path.rsplit("/", 1)[-1] in _KERNELS
    ]
    if not paths:
        raise SubjectError(f"weight edit: layer {layer!r} has no kernel among {', '.join(weights)}")
    for path in paths:
        kernel = weights[path]
        columns = columns_of(parameters["neurons"], units, kernel.shape[-1])
        factors = 1 + rng.normal(0.0, parameters["magnitude"], (*kernel.shape[:-1], len(columns)))
        changed = kernel.copy()
        changed[..., columns] = (kernel[..., columns] * factors).astype(kernel.dtype)
        weights[path] = changed
    return weights


def columns_of(neurons: list[int], units: int, width: int) -> Array:
    """Return the columns of a kernel that lead into the neurons, gate by gate.

    Raises:
        SubjectError: a neuron or the number of units does not fit the kernel.
    """
    if width % units or any(not 0 <= neuron < units for neuron in neurons):
        raise SubjectError(
            f"weight edit: a kernel of {width} columns with {units} units has no neurons "
            f"{', '.join(map(str, neurons))}"
        )
    return np.concatenate(
        [np.asarray(neurons, int) + gate * units for gate in range(width // units)]
    )


WEIGHT_EDITS: dict[str, WeightEdit] = {"gaussian_fuzzing": gaussian_fuzzing}
"""All weight edits by name."""
