"""Redundant, wrong or missing weight regularisation, and wrong dropout."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from .base import Example, Parameters, Range, Site
from .cases import LAYERS, small_program
from .targets import LayerOperator, Target

_ARGUMENTS = {"L1": ("l1",), "L2": ("l2",), "L1L2": ("l1", "l2")}
FACTOR = 0.01
"""Keras's default factor of every kind."""


class _KernelRegularizer(LayerOperator):
    """An operator on the regularizer of a layer's kernel."""

    group = "regularization"
    keys = (
        "kernel_regularizer",
        "depthwise_regularizer",
        "pointwise_regularizer",
        "embeddings_regularizer",
    )

    def legal(self, target: Target, key: str) -> bool:
        """Every kernel with a regularizer."""
        return target.config[key] is not None


class _SetRegularizer(_KernelRegularizer):
    """An operator that gives a kernel a regularizer of another kind than it has."""

    parameters = ("factor", "regularizer")

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """L1, L2 and both, but for the present kind, with Keras's default factor."""
        present = (target.config[key] or {}).get("class_name")
        kinds = (name for name in _ARGUMENTS if name != present)
        return ({"factor": FACTOR, "regularizer": name} for name in kinds)

    def value(self, parameters: Parameters) -> Json:
        """Return the regularizer."""
        return _regularizer(parameters["regularizer"], float(parameters["factor"]))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the factor from a mild to a crushing penalty."""
        return {"factor": Range(0.0001, 1.0, "log", "increasing", 1.5)}


class AddWeightRegularizer(_SetRegularizer):
    """Penalise the kernel of a layer that has no kernel regularizer."""

    code = "RAW"
    name = "add-weight-regularizer"
    fault_type = "RAW"
    requires = ("layer with kernel and no regularizer",)

    def legal(self, target: Target, key: str) -> bool:
        """Every kernel without a regularizer."""
        return target.config[key] is None

    def examples(self) -> tuple[Example, ...]:
        """Penalise the first kernel's squares."""
        change = Change(_SLOT, ABSENT, _regularizer("L2", 0.1))
        return (Example(small_program(), _SLOT, {"factor": 0.1, "regularizer": "L2"}, (change,)),)


class ChangeWeightRegularizer(_SetRegularizer):
    """Penalise a regularised kernel in another way."""

    code = "RCW"
    name = "change-weight-regularizer"
    fault_type = "RCW"
    requires = ("layer with kernel regularizer",)

    def examples(self) -> tuple[Example, ...]:
        """Penalise absolute values instead of squares."""
        change = Change(_SLOT, _regularizer("L2", 0.001), _regularizer("L1", 0.1))
        parameters = {"factor": 0.1, "regularizer": "L1"}
        return (Example(_regularized(), _SLOT, parameters, (change,)),)


class RemoveWeightRegularizer(_KernelRegularizer):
    """Take away the penalty on a layer's kernel."""

    code = "RRW"
    name = "remove-weight-regularizer"
    fault_type = "RRW"
    requires = ("layer with kernel regularizer",)

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return none."""
        return None

    def examples(self) -> tuple[Example, ...]:
        """Free the first kernel."""
        change = Change(_SLOT, _regularizer("L2", 0.001), ABSENT)
        return (Example(_regularized(), _SLOT, {}, (change,)),)


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


_SLOT = f"{LAYERS}/1/config/kernel_regularizer"


def _regularizer(name: str, factor: float) -> Json:
    return {"class_name": name, "config": dict.fromkeys(_ARGUMENTS[name], factor)}


def _regularized() -> TrainingProgram:
    """Return the small program with a penalty on the squares of its first kernel."""
    document = replaced(small_program().document(), _SLOT, _regularizer("L2", 0.001))
    return TrainingProgram.of(document)


OPERATORS = (
    AddWeightRegularizer,
    ChangeDropoutRate,
    ChangeWeightRegularizer,
    RemoveWeightRegularizer,
)
