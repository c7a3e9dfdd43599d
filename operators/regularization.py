"""Redundant weight regularisation and wrong dropout."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change
from .base import Example, Parameters, Range, Site
from .cases import LAYERS, small_program
from .targets import LayerOperator, Target

_ARGUMENTS = {"L1": ("l1",), "L2": ("l2",), "L1L2": ("l1", "l2")}


class AddWeightRegularizer(LayerOperator):
    """Penalise the kernel of a layer that has no kernel regularizer."""

    code = "RAW"
    name = "add-weight-regularizer"
    group = "regularization"
    fault_type = "RAW"
    requires = ("layer with kernel and no regularizer",)
    parameters = ("factor", "regularizer")
    keys = (
        "kernel_regularizer",
        "depthwise_regularizer",
        "pointwise_regularizer",
        "embeddings_regularizer",
    )

    def legal(self, target: Target, key: str) -> bool:
        """Every kernel without a regularizer."""
        return target.config[key] is None

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """L1, L2 and both, with Keras's default factor."""
        return ({"factor": 0.01, "regularizer": name} for name in _ARGUMENTS)

    def value(self, parameters: Parameters) -> Json:
        """Return the regularizer."""
        name = parameters["regularizer"]
        return {
            "class_name": name,
            "config": {argument: float(parameters["factor"]) for argument in _ARGUMENTS[name]},
        }

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the factor from a mild to a crushing penalty."""
        return {"factor": Range(0.0001, 1.0, "log", "increasing", 1.5)}

    def examples(self) -> tuple[Example, ...]:
        """Penalise the first kernel's squares."""
        slot = f"{LAYERS}/1/config/kernel_regularizer"
        change = Change(slot, ABSENT, {"class_name": "L2", "config": {"l2": 0.1}})
        parameters = {"factor": 0.1, "regularizer": "L2"}
        return (Example(small_program(), slot, parameters, (change,)),)


class ChangeDropoutRate(LayerOperator):
    """Give a dropout layer another rate."""

    code = "RCD"
    name = "change-dropout-rate"
    group = "regularization"
    fault_type = "RCD"
    requires = ("dropout layer",)
    parameters = ("rate",)
    keys = ("rate",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer of the dropout family."""
        return "Dropout" in target.class_name

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """DeepCrime's rates; Gaussian and alpha dropout are undefined at 1."""
        everything = target.class_name not in ("AlphaDropout", "GaussianDropout")
        rates = (0.125, 0.25, 0.75, *((1.0,) if everything else ()))
        return ({"rate": rate} for rate in rates)

    def value(self, parameters: Parameters) -> Json:
        """Return the rate."""
        return float(parameters["rate"])

    def examples(self) -> tuple[Example, ...]:
        """Drop three quarters instead of half."""
        slot = f"{LAYERS}/2/config/rate"
        return (Example(small_program(), slot, {"rate": 0.75}, (Change(slot, 0.5, 0.75),)),)


OPERATORS = (AddWeightRegularizer, ChangeDropoutRate)
