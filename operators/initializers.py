"""Wrong initialisation of weights and biases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

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
BIAS_INITIALIZERS = (
    "Constant",
    "Ones",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "Zeros",
)
"""Those that ask for no number of inputs and outputs, which a bias does not have."""
CONSTANT = 0.1
"""Value of the Constant initializer, which Keras gives no default."""


class _ChangeInitializer(LayerOperator):
    """An operator that replaces an initializer by one of another class."""

    group = "weights"
    parameters = ("initializer", "value")
    initializers: ClassVar[tuple[str, ...]]

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """All classes but the present one, whatever its seed."""
        present = (target.config[key] or {}).get("class_name")
        return (
            {"initializer": name, "value": CONSTANT if name == "Constant" else None}
            for name in self.initializers
            if name != present
        )

    def value(self, parameters: Parameters) -> Json:
        """Return the initializer; a value that is None is left out."""
        value = parameters["value"]
        config = {} if value is None else {"value": value}
        return {"class_name": parameters["initializer"], "config": config}


class ChangeWeightInitializer(_ChangeInitializer):
    """Replace the initializer of a layer's kernel by one of another class."""

    code = "WCI"
    name = "change-weight-initializer"
    fault_type = "WCI"
    requires = ("layer with kernel",)
    keys = (
        "kernel_initializer",
        "depthwise_initializer",
        "pointwise_initializer",
        "embeddings_initializer",
    )
    initializers = INITIALIZERS

    def legal(self, target: Target, key: str) -> bool:
        """Every kernel."""
        return True

    def examples(self) -> tuple[Example, ...]:
        """Start the first layer from zeros."""
        slot = f"{LAYERS}/1/config/kernel_initializer"
        change = Change(slot, ABSENT, {"class_name": "Zeros", "config": {}})
        parameters = {"initializer": "Zeros", "value": None}
        return (Example(small_program(), slot, parameters, (change,)),)


class ChangeBiasInitializer(_ChangeInitializer):
    """Replace the initializer of a layer's bias by one of another class."""

    code = "BCI"
    name = "change-bias-initializer"
    fault_type = "BCI"
    requires = ("layer with bias",)
    source = "change of the bias initialiser in Humbatova et al., EMSE 2025; re-implemented"
    keys = ("bias_initializer",)
    initializers = BIAS_INITIALIZERS

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that uses its bias."""
        return bool(target.config.get("use_bias"))

    def examples(self) -> tuple[Example, ...]:
        """Start the output layer's bias from ones."""
        slot = f"{LAYERS}/3/config/bias_initializer"
        change = Change(slot, ABSENT, {"class_name": "Ones", "config": {}})
        parameters = {"initializer": "Ones", "value": None}
        return (Example(small_program(), slot, parameters, (change,)),)


OPERATORS = (ChangeBiasInitializer, ChangeWeightInitializer)
