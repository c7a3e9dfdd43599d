"""Wrong learning rate, number of epochs and batch size."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import Change, get, replaced
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program

BATCH_SIZES = (16, 32, 64, 128, 256, 512)
"""DeepCrime's batch sizes."""


class _Number(Operator):
    """An operator that replaces the number at a slot; the parameter bears the slot's last name."""

    group = "hyperparameters"
    granularity = "program"
    slot: ClassVar[str]

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the slot where it holds a number, not a schedule."""
        value = get(program.document(), self.slot)
        return (Site(self.slot),) if isinstance(value, (int, float)) else ()

    @abstractmethod
    def values(self, present: float) -> Iterable[float]:
        """Return values worth planning."""

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All values."""
        present = get(program.document(), site.slot)
        return ({self.parameters[0]: value} for value in self.values(present))

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Put the value in."""
        return replaced(program.document(), site.slot, parameters[self.parameters[0]])

    def _example(self, old: float, new: float) -> tuple[Example, ...]:
        change = Change(self.slot, old, new)
        return (Example(small_program(), self.slot, {self.parameters[0]: new}, (change,)),)


class ChangeLearningRate(_Number):
    """Train with a learning rate that is smaller or larger by powers of ten."""

    code = "HLR"
    name = "change-learning-rate"
    stage = "compile"
    fault_type = "HLR"
    requires = ("constant learning rate",)
    parameters = ("learning_rate",)
    slot = "/optimizer/config/learning_rate"

    def values(self, present: float) -> Iterable[float]:
        """Up to a thousandth and a hundredfold."""
        return (float(f"{present * 10.0**power:.6g}") for power in (-3, -2, -1, 1, 2))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search downwards, as DeepCrime does, but by ratios."""
        present = get(program.document(), site.slot)
        return {"learning_rate": Range(present / 1000, present, "log", "decreasing", 1.25)}

    def examples(self) -> tuple[Example, ...]:
        """Multiply by ten."""
        return self._example(0.001, 0.01)


class ChangeEpochs(_Number):
    """Train for fewer epochs."""

    code = "HNE"
    name = "change-epochs"
    stage = "fit"
    fault_type = "HNE"
    parameters = ("epochs",)
    slot = "/fit/epochs"

    def values(self, present: float) -> Iterable[float]:
        """A half, a quarter and a tenth, rounded, and one."""
        return sorted({max(1, round(present / part)) for part in (2, 4, 10)} | {1}, reverse=True)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search from the present number down to one."""
        present = get(program.document(), site.slot)
        return {"epochs": Range(1, present, "linear", "decreasing", 1, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Stop after the first epoch."""
        return self._example(20, 1)


class ChangeBatchSize(_Number):
    """Train on smaller or larger batches."""

    code = "HBS"
    name = "change-batch-size"
    stage = "fit"
    fault_type = "HBS"
    parameters = ("batch_size",)
    slot = "/fit/batch_size"

    def values(self, present: float) -> Iterable[float]:
        """DeepCrime's sizes."""
        return BATCH_SIZES

    def examples(self) -> tuple[Example, ...]:
        """Make batches sixteen times larger."""
        return self._example(32, 512)


OPERATORS = (ChangeLearningRate, ChangeEpochs, ChangeBatchSize)
