"""Callbacks that stop, slow down or restore for the wrong reason."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from .base import DEEPCRIME, Example, Operator, Parameters, Range, Site
from .cases import small_program

_PATIENCE = 10
"""Of the early stopping in the examples."""


class _CallbackArgument(Operator):
    """An operator that sets one argument of a callback; the parameter bears its name."""

    group = "callbacks"
    stage = "fit"
    granularity = "program"
    source = "faultloom"
    key: ClassVar[str]
    callbacks: ClassVar[tuple[str, ...]] = ("EarlyStopping",)

    @abstractmethod
    def values(self, program: TrainingProgram, config: Mapping[str, Any]) -> Iterable[Json]:
        """Return wrong values of the argument of a callback with all its arguments."""

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the argument in every callback of the right class that can be made worse."""
        return tuple(
            Site(f"/callbacks/{position}/config/{self.key}")
            for position, record in enumerate(program.document()["callbacks"])
            if record["class_name"] in self.callbacks
            and any(True for _ in self.values(program, _arguments(record)))
        )

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All values."""
        config = _arguments(_record(program, site))
        return ({self.key: value} for value in self.values(program, config))

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Put the value in; Keras's default is left out, as in every record."""
        value = parameters[self.key]
        default = _defaults(_record(program, site)["class_name"])[self.key]
        stored = ABSENT if value == default else value
        return replaced(program.document(), site.slot, stored)

    def example(self, old: Json, new: Json, stored: Json) -> tuple[Example, ...]:
        """Return the example of an early stopping, which keeps the best weights."""
        slot = f"/callbacks/0/config/{self.key}"
        config = {"patience": _PATIENCE, "restore_best_weights": True}
        before = small_program(callbacks=[{"class_name": "EarlyStopping", "config": config}])
        return (Example(before, slot, {self.key: new}, (Change(slot, old, stored),)),)


class ChangePatience(_CallbackArgument):
    """Stop early after fewer epochs without progress."""

    code = "RCP"
    name = "change-early-stopping-patience"
    fault_type = "RCP"
    requires = ("early stopping with patience",)
    parameters = ("patience",)
    key = "patience"
    source = DEEPCRIME

    def values(self, program: TrainingProgram, config: Mapping[str, Any]) -> Iterable[Json]:
        """A half, a tenth and one; Keras stops after one epoch whether that or none is given."""
        present = config["patience"]
        fewer = {present // 2, present // 10, 1}
        return sorted((value for value in fewer if 1 <= value < present), reverse=True)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search from the present patience down to one."""
        present = _arguments(_record(program, site))["patience"]
        return {"patience": Range(1, present, "linear", "decreasing", 1, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Stop at the first epoch without progress."""
        return self.example(_PATIENCE, 1, 1)


class DemandTooMuchProgress(_CallbackArgument):
    """Stop early because small progress is taken for none."""

    code = "CES"
    name = "demand-too-much-progress"
    fault_type = "CES"
    requires = ("early stopping",)
    parameters = ("min_delta",)
    key = "min_delta"

    def values(self, program: TrainingProgram, config: Mapping[str, Any]) -> Iterable[Json]:
        """A hundredth, a tenth and one: of an accuracy nothing reaches that much for long."""
        return [value for value in (0.01, 0.1, 1.0) if value > config["min_delta"]]

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search from hardly any progress to more than there is."""
        return {"min_delta": Range(0.0001, 10.0, "log", "increasing", 1.5)}

    def examples(self) -> tuple[Example, ...]:
        """Ask for a tenth in every epoch of the patience."""
        return self.example(ABSENT, 0.1, 0.1)


class ChangeMonitor(_CallbackArgument):
    """Let a callback watch something else that is logged, such as the loss of training rows."""

    code = "CMO"
    name = "change-monitor"
    fault_type = "CMO"
    requires = ("callback with monitor",)
    parameters = ("monitor",)
    key = "monitor"
    callbacks = ("EarlyStopping", "ReduceLROnPlateau")

    def values(self, program: TrainingProgram, config: Mapping[str, Any]) -> Iterable[Json]:
        """The losses, and metrics of validation rows."""
        logged = ["loss", *_logged_of_validation(program.document())]
        return [name for name in logged if name != config["monitor"]]

    def examples(self) -> tuple[Example, ...]:
        """Watch the training loss, which keeps falling."""
        return self.example(ABSENT, "loss", "loss")


class InvertMode(_CallbackArgument):
    """Let a callback take progress for its opposite."""

    code = "CWD"
    name = "invert-mode"
    fault_type = "CWD"
    requires = ("callback with monitor",)
    parameters = ("mode",)
    key = "mode"
    callbacks = ("EarlyStopping", "ReduceLROnPlateau")

    def values(self, program: TrainingProgram, config: Mapping[str, Any]) -> Iterable[Json]:
        """The direction in which what is monitored becomes worse, where it is not that."""
        from ..datasets.metric_direction import higher_is_better

        wrong = "min" if higher_is_better(config["monitor"]) else "max"
        return () if config["mode"] == wrong else (wrong,)

    def examples(self) -> tuple[Example, ...]:
        """Wait for a larger loss."""
        return self.example(ABSENT, "max", "max")


class KeepLastWeights(_CallbackArgument):
    """Stop early without going back to the best weights."""

    code = "CRB"
    name = "keep-last-weights"
    fault_type = "CRB"
    requires = ("early stopping that restores the best weights",)
    parameters = ("restore_best_weights",)
    key = "restore_best_weights"

    def values(self, program: TrainingProgram, config: Mapping[str, Any]) -> Iterable[Json]:
        """False, where it is true."""
        return (False,) if config["restore_best_weights"] else ()

    def examples(self) -> tuple[Example, ...]:
        """Forget the argument."""
        return self.example(True, False, ABSENT)


def _record(program: TrainingProgram, site: Site) -> dict[str, Json]:
    record: dict[str, Json] = program.document()["callbacks"][int(site.slot.split("/")[2])]
    return record


def _arguments(record: Json) -> dict[str, Any]:
    return {**_defaults(record["class_name"]), **record["config"]}


def _defaults(class_name: str) -> dict[str, Any]:
    """Return what Keras takes for each argument of a callback that is not given."""
    import keras

    parameters = inspect.signature(getattr(keras.callbacks, class_name).__init__).parameters
    return {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.default is not parameter.empty
    }


def _logged_of_validation(document: Json) -> list[str]:
    """Return what `fit` logs about validation rows; of several outputs the whole loss only."""
    from ..datasets.metric_names import logged_names

    if document["data"]["validation"] is None:
        return []
    metrics = document["metrics"]
    nested = any(isinstance(part, list) for part in metrics)
    names = [] if nested else logged_names(metrics, [""])[0]
    return ["val_loss", *(f"val_{name}" for name in names)]


OPERATORS = (
    ChangeMonitor,
    ChangePatience,
    DemandTooMuchProgress,
    InvertMode,
    KeepLastWeights,
)
