"""Wrong weight initialisation."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json
from ..datasets.slots import ABSENT, Change
from .base import Example, Parameters
from .cases import LAYERS, small_program
from .targets import LayerOperator, Target

INITIALIZERS = (
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "Zeros",
)
CONSTANT = 0.1
"""Value of the Constant initializer, which Keras gives no default."""


class ChangeWeightInitializer(LayerOperator):
    """Replace the initializer of a layer's kernel by one of another class."""

    code = "WCI"
    name = "change-weight-initializer"
    group = "weights"
    fault_type = "WCI"
    requires = ("layer with kernel",)
    parameters = ("initializer", "value")
    keys = (
        "kernel_initializer",
        "depthwise_initializer",
        "pointwise_initializer",
        "embeddings_initializer",
    )

    def legal(self, target: Target, key: str) -> bool:
        """Every kernel."""
        return True

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """All classes of `INITIALIZERS` but the present one, whatever its seed."""
        present = (target.config[key] or {}).get("class_name")
        return (
            {"initializer": name, "value": CONSTANT if name == "Constant" else None}
            for name in INITIALIZERS
            if name != present
        )

    def value(self, parameters: Parameters) -> Json:
        """Return the initializer; a value that is None is left out."""
        value = parameters["value"]
        config = {} if value is None else {"value": value}
        return {"class_name": parameters["initializer"], "config": config}

    def examples(self) -> tuple[Example, ...]:
        """Start the first layer from zeros."""
        slot = f"{LAYERS}/1/config/kernel_initializer"
        change = Change(slot, ABSENT, {"class_name": "Zeros", "config": {}})
        parameters = {"initializer": "Zeros", "value": None}
        return (Example(small_program(), slot, parameters, (change,)),)


OPERATORS = (ChangeWeightInitializer,)
