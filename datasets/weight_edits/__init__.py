"""What trained-stage mutations do to the weights of a trained model: named, seeded, pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..arrays import Array
from ..errors import SubjectError
from ..program import Json
from .blocking import effect_block, stuck_at
from .inhibiting import activation_inverse, neuron_inhibition, weight_inhibition
from .perturbing import gaussian_fuzzing, quantisation
from .rearranging import neuron_switch, weight_shuffle

WeightEdit = Callable[[dict[str, Array], Mapping[str, Json], np.random.Generator], dict[str, Array]]

WEIGHT_EDITS: dict[str, WeightEdit] = {
    "activation_inverse": activation_inverse,
    "effect_block": effect_block,
    "gaussian_fuzzing": gaussian_fuzzing,
    "neuron_inhibition": neuron_inhibition,
    "neuron_switch": neuron_switch,
    "quantisation": quantisation,
    "stuck_at": stuck_at,
    "weight_inhibition": weight_inhibition,
    "weight_shuffle": weight_shuffle,
}
"""All weight edits by name."""


def apply_weight_edit(
    edit: Mapping[str, Json], weights: Mapping[str, Array], rng: np.random.Generator
) -> dict[str, Array]:
    """Return the weights after an edit; arrays that it leaves alone are the same objects.

    Args:
        edit: as in the program.
        weights: of the layers of `edited_layers`, by path: the name path of the layer in the
            program, ``/`` and the path of the variable within the layer, as in
            ``dense_1/kernel`` or ``lstm/lstm_cell/kernel``. They are not written to.
        rng: of the run.

    Raises:
        SubjectError: the edit, the layer or a neuron is not known.
    """
    name = edit["name"]
    if name not in WEIGHT_EDITS:
        raise SubjectError(f"weight edit {name}: expected one of {', '.join(sorted(WEIGHT_EDITS))}")
    return WEIGHT_EDITS[name](dict(weights), edit["parameters"], rng)


def edited_layers(edit: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the name paths of the layers whose weights an edit needs.

    The first one is the faulty layer. Others are those that its neurons feed, where the edit
    can do what it does to a neuron only in the weights that lead out of it.
    """
    parameters = edit["parameters"]
    return (parameters["layer"], *parameters.get("outgoing", ()))
