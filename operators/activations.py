"""Wrong or missing activation functions."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json
from ..datasets.slots import ABSENT, Change
from .base import Example, Parameters
from .cases import LAYERS, small_program
from .targets import LayerOperator, Target

ACTIVATIONS = (
    "elu",
    "exponential",
    "hard_sigmoid",
    "relu",
    "selu",
    "sigmoid",
    "softmax",
    "softplus",
    "softsign",
    "tanh",
)
"""What a changed activation can become; ``linear`` is left to ARM."""


class ChangeActivation(LayerOperator):
    """Replace a layer's activation function, also a linear one."""

    code = "ACH"
    name = "change-activation"
    group = "activation"
    fault_type = "ACH"
    requires = ("layer with activation",)
    parameters = ("activation",)
    keys = ("activation",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that has an activation."""
        return True

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """All functions of `ACTIVATIONS`."""
        return ({"activation": name} for name in ACTIVATIONS)

    def value(self, parameters: Parameters) -> Json:
        """Return the function's name."""
        return parameters["activation"]

    def examples(self) -> tuple[Example, ...]:
        """Make the first layer's relu a sigmoid."""
        slot = f"{LAYERS}/1/config/activation"
        change = Change(slot, "relu", "sigmoid")
        return (Example(small_program(), slot, {"activation": "sigmoid"}, (change,)),)


class RemoveActivation(LayerOperator):
    """Make a layer's non-linear activation linear."""

    code = "ARM"
    name = "remove-activation"
    group = "activation"
    fault_type = "ARM"
    requires = ("layer with non-linear activation",)
    keys = ("activation",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer whose activation is not linear already."""
        return bool(target.config[key] != "linear")

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return linear."""
        return "linear"

    def examples(self) -> tuple[Example, ...]:
        """Drop the softmax of the output; linear is Keras's default, so the slot goes."""
        slot = f"{LAYERS}/3/config/activation"
        return (Example(small_program(), slot, {}, (Change(slot, "softmax", ABSENT),)),)


OPERATORS = (ChangeActivation, RemoveActivation)
