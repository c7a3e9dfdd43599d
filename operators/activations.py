"""Wrong or missing activation functions."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
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
"""What an activation can become; ``linear`` is left to ARM.

At the output layer this holds the usual mismatches of head and loss: sigmoid where several classes
exclude each other, softmax on a single unit, relu on a number that can be negative."""


class _SetActivation(LayerOperator):
    """An operator that gives a layer another activation function."""

    group = "activation"
    parameters = ("activation",)
    keys = ("activation",)

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """All functions of `ACTIVATIONS`."""
        return ({"activation": name} for name in ACTIVATIONS)

    def value(self, parameters: Parameters) -> Json:
        """Return the function's name."""
        return parameters["activation"]


class AddActivation(_SetActivation):
    """Give a linear layer an activation function."""

    code = "AAL"
    name = "add-activation"
    fault_type = "AAL"
    requires = ("layer with linear activation",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer whose activation is linear."""
        return bool(target.config[key] == "linear")

    def examples(self) -> tuple[Example, ...]:
        """Squash numbers that are to be predicted; linear is Keras's default, so no slot was."""
        before, slot = _linear_head(), f"{LAYERS}/3/config/activation"
        change = Change(slot, ABSENT, "tanh")
        return (Example(before, slot, {"activation": "tanh"}, (change,)),)


class ChangeActivation(_SetActivation):
    """Replace a layer's activation function, also a linear one."""

    code = "ACH"
    name = "change-activation"
    fault_type = "ACH"
    requires = ("layer with activation",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that has an activation, as in DeepCrime; linear ones are AAL's too."""
        return True

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


def _linear_head() -> TrainingProgram:
    """Return a regression: the small program without its last activation."""
    slot = f"{LAYERS}/3/config/activation"
    document = small_program(loss="mean_squared_error", metrics=[]).document()
    return TrainingProgram.of(replaced(document, slot, ABSENT))


OPERATORS = (AddActivation, ChangeActivation, RemoveActivation)
