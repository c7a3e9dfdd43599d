"""Wrong optimizers."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.errors import ConfigError
from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import Change, replaced
from .base import Example, Operator, Parameters, Site
from .cases import small_program

DEFAULT_RATES = {
    "Adadelta": 0.001,
    "Adagrad": 0.001,
    "Adam": 0.001,
    "Adamax": 0.001,
    "Nadam": 0.001,
    "RMSprop": 0.001,
    "SGD": 0.01,
}
"""DeepCrime's optimizers with Keras's default learning rates."""


class ChangeOptimizer(Operator):
    """Compile with another optimizer, which keeps the learning rate or takes its default."""

    code = "OCH"
    name = "change-optimizer"
    group = "optimizer"
    stage = "compile"
    fault_type = "OCH"
    granularity = "program"
    parameters = ("learning_rate", "optimizer")

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the optimizer."""
        return (Site("/optimizer"),)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All classes but the present one, twice."""
        present = program.document()["optimizer"]["class_name"]
        return (
            {"learning_rate": rate, "optimizer": name}
            for name in DEFAULT_RATES
            for rate in ("keep", "default")
            if name != present
        )

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Make the other optimizer; only the learning rate can stay."""
        document, name = program.document(), parameters["optimizer"]
        if name not in DEFAULT_RATES or parameters["learning_rate"] not in ("keep", "default"):
            raise ConfigError(
                f"OCH: expected an optimizer of {', '.join(DEFAULT_RATES)} and learning_rate keep "
                f"or default; received {name} and {parameters['learning_rate']}"
            )
        kept = document["optimizer"]["config"]["learning_rate"]
        rate = kept if parameters["learning_rate"] == "keep" else DEFAULT_RATES[name]
        new = {"class_name": name, "config": {"learning_rate": rate}}
        return replaced(document, site.slot, new)

    def examples(self) -> tuple[Example, ...]:
        """Give Adam's rate to plain gradient descent."""
        before = small_program()
        old = before.document()["optimizer"]
        change = Change("/optimizer", old, {**old, "class_name": "SGD"})
        parameters = {"learning_rate": "keep", "optimizer": "SGD"}
        return (Example(before, "/optimizer", parameters, (change,)),)


OPERATORS = (ChangeOptimizer,)
