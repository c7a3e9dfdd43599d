"""Wrong loss functions, and losses computed in a wrong way."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, get, replaced
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


class _LossArgument(Operator):
    """An operator that sets one constructor argument of a loss."""

    group = "loss"
    stage = "compile"
    granularity = "program"
    source = "faultloom; wrong loss computation (LWC) among the real faults of Humbatova et al."
    key: ClassVar[str]

    @abstractmethod
    def other(self, class_name: str, present: Json) -> Json:
        """Return the wrong value of the argument; `ABSENT` where there is none."""

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the loss, or that of each output, where it has the argument."""
        document = program.document()
        listed = ChangeLoss().sites(program)
        return tuple(s for s in listed if self._wrong(get(document, s.slot)) is not ABSENT)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Set the argument."""
        document = program.document()
        present = get(document, site.slot)
        return replaced(document, site.slot, _with(present, self.key, self._wrong(present)))

    def _wrong(self, loss: Json) -> Json:
        from ..datasets.canonical import effective_config

        record = _record(loss)
        config = effective_config(record["class_name"], record["config"])
        if self.key not in config:
            return ABSENT
        return self.other(record["class_name"], config[self.key])


class LogitsMismatch(_LossArgument):
    """Tell the loss that the outputs are probabilities where they are logits.

    The opposite is offered for focal losses only. Keras's other crossentropies see that a softmax
    or sigmoid made the outputs and compute with what went into it, whatever `from_logits` says:
    with it the weights after training are bit for bit the same.
    """

    code = "LFL"
    name = "logits-mismatch"
    fault_type = "LFL"
    requires = ("crossentropy from logits, or focal",)
    key = "from_logits"

    def other(self, class_name: str, present: Json) -> Json:
        """Return the opposite, where that makes a difference."""
        return not present if present or "Focal" in class_name else ABSENT

    def examples(self) -> tuple[Example, ...]:
        """Forget the argument."""
        name = "sparse_categorical_crossentropy"
        old = {"class_name": "SparseCategoricalCrossentropy", "config": {"from_logits": True}}
        return (Example(small_program(loss=old), "/loss", {}, (Change("/loss", old, name),)),)


class SumReduction(_LossArgument):
    """Add the losses of a batch up instead of taking their mean, so that steps grow with it."""

    code = "LWR"
    name = "sum-reduction"
    fault_type = "LWR"
    key = "reduction"

    def other(self, class_name: str, present: Json) -> Json:
        """Return the sum, where it is not that."""
        return ABSENT if present == "sum" else "sum"

    def examples(self) -> tuple[Example, ...]:
        """Sum a loss that is known by its function's name."""
        old = "sparse_categorical_crossentropy"
        new = {"class_name": "SparseCategoricalCrossentropy", "config": {"reduction": "sum"}}
        return (Example(small_program(), "/loss", {}, (Change("/loss", old, new),)),)


def _record(loss: Json) -> dict[str, Json]:
    """Return the loss as an object; a function is the object without arguments."""
    if isinstance(loss, dict):
        return loss
    from ..datasets.keras_classes import loss_class

    return {"class_name": loss_class(loss), "config": {}}


def _with(loss: Json, key: str, value: Json) -> Json:
    """Return the canonical loss with another argument: a function where none is left."""
    from ..datasets.automatic_names import snake
    from ..datasets.canonical import canonical_object

    record = _record(loss)
    changed = canonical_object({**record, "config": {**record["config"], key: value}})
    return changed if changed["config"] else snake(changed["class_name"])


OPERATORS = (ChangeLoss, LogitsMismatch, SumReduction)
