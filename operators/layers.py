"""Layers with something missing."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json
from ..datasets.slots import ABSENT, Change
from .base import Example, Parameters
from .cases import LAYERS, small_program
from .targets import LayerOperator, Target


class RemoveBias(LayerOperator):
    """Take the bias from a layer that has one."""

    code = "WRB"
    name = "remove-bias"
    group = "weights"
    fault_type = "WRB"
    requires = ("layer with bias",)
    keys = ("use_bias",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that uses its bias."""
        return bool(target.config[key])

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return false."""
        return False

    def examples(self) -> tuple[Example, ...]:
        """Take the output layer's bias."""
        slot = f"{LAYERS}/3/config/use_bias"
        return (Example(small_program(), slot, {}, (Change(slot, ABSENT, False),)),)


OPERATORS = (RemoveBias,)
