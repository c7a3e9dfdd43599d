"""Redundant biases; missing ones are in `layers`."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from .base import Example, Parameters
from .cases import LAYERS, small_program
from .targets import LayerOperator, Target


class AddBias(LayerOperator):
    """Give a bias to a layer that has none."""

    code = "WAB"
    name = "add-bias"
    group = "weights"
    fault_type = "WAB"
    requires = ("layer without bias",)
    keys = ("use_bias",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that could use a bias and does not."""
        return not target.config[key]

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return true."""
        return True

    def examples(self) -> tuple[Example, ...]:
        """Give the first layer a bias; that is Keras's default, so the slot goes."""
        slot = f"{LAYERS}/1/config/use_bias"
        before = TrainingProgram.of(replaced(small_program().document(), slot, False))
        return (Example(before, slot, {}, (Change(slot, False, ABSENT),)),)


OPERATORS = (AddBias,)
