"""Wrong loss functions."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import Change, get, replaced
from .base import Example, Operator, Parameters, Site
from .cases import small_program

LOSSES = (
    "binary_crossentropy",
    "categorical_crossentropy",
    "categorical_hinge",
    "hinge",
    "huber",
    "kl_divergence",
    "log_cosh",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "poisson",
    "squared_hinge",
)
"""DeepCrime's losses under Keras 3's names. Sparse crossentropy is not among them: labels that
another loss was trained on have no integer classes. The labels are never converted, so a dense
loss on integer labels broadcasts them or does not compile, as it would for its author."""


class ChangeLoss(Operator):
    """Compile with another loss function, the labels left as they are."""

    code = "LCH"
    name = "change-loss"
    group = "loss"
    stage = "compile"
    fault_type = "LCH"
    granularity = "program"
    parameters = ("loss",)

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the loss, or that of each output."""
        loss = program.document()["loss"]
        if isinstance(loss, list):
            return tuple(Site(f"/loss/{output}") for output, one in enumerate(loss) if one)
        return (Site("/loss"),) if loss else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All of `LOSSES` but the present one, be it written as a function or as a class."""
        present = get(program.document(), site.slot)
        name = present if isinstance(present, str) else present["class_name"]
        return (
            {"loss": loss}
            for loss in LOSSES
            if loss.replace("_", "") != name.replace("_", "").lower()
        )

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Name the other loss."""
        return replaced(program.document(), site.slot, parameters["loss"])

    def examples(self) -> tuple[Example, ...]:
        """Train a classifier on the squared error of its class numbers."""
        change = Change("/loss", "sparse_categorical_crossentropy", "mean_squared_error")
        return (Example(small_program(), "/loss", {"loss": "mean_squared_error"}, (change,)),)


OPERATORS = (ChangeLoss,)
