"""Wrong number of epochs and batch size."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, get, replaced
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program

BATCH_SIZES = (16, 32, 64, 128, 256, 512)
"""DeepCrime's batch sizes."""

_ROWS = "/data/train/rows"


class NumberOperator(Operator):
    """An operator that replaces the number at a slot; the parameter bears the slot's last name."""

    group = "hyperparameters"
    granularity = "program"
    slot: ClassVar[str]

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the slot where it holds a number, not a schedule, that another could replace."""
        present = get(program.document(), self.slot)
        if not isinstance(present, (int, float)):
            return ()
        others = [value for value in self.values(program, present) if value != present]
        return (Site(self.slot),) if others else ()

    @abstractmethod
    def values(self, program: TrainingProgram, present: float) -> Iterable[float]:
        """Return values worth planning."""

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All values."""
        present = get(program.document(), site.slot)
        return ({self.parameters[0]: value} for value in self.values(program, present))

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Put the value in."""
        return replaced(program.document(), site.slot, parameters[self.parameters[0]])

    def example(self, old: float, new: float) -> tuple[Example, ...]:
        """Return the example of a change from one number to another."""
        change = Change(self.slot, old, new)
        return (Example(small_program(), self.slot, {self.parameters[0]: new}, (change,)),)


class ChangeEpochs(NumberOperator):
    """Train for fewer epochs."""

    code = "HNE"
    name = "change-epochs"
    stage = "fit"
    fault_type = "HNE"
    parameters = ("epochs",)
    slot = "/fit/epochs"

    def values(self, program: TrainingProgram, present: float) -> Iterable[float]:
        """A half, a quarter and a tenth, rounded, and one."""
        return sorted({max(1, round(present / part)) for part in (2, 4, 10)} | {1}, reverse=True)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search from the present number down to one."""
        present = get(program.document(), site.slot)
        return {"epochs": Range(1, present, "linear", "decreasing", 1, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Stop after the first epoch."""
        return self.example(20, 1)


class IncreaseEpochs(NumberOperator):
    """Train for more epochs, so that the network learns its training rows by heart."""

    code = "HEU"
    name = "increase-epochs"
    stage = "fit"
    fault_type = "HNE"
    parameters = ("epochs",)
    slot = "/fit/epochs"
    source = "faultloom; twofold in Humbatova et al., EMSE 2025, where DeepCrime's HNE only falls"

    def values(self, program: TrainingProgram, present: float) -> Iterable[float]:
        """Twice, five times and ten times as many."""
        return (present * factor for factor in (2, 5, 10))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search from the present number to ten times that."""
        present = get(program.document(), site.slot)
        return {"epochs": Range(present, 10 * present, "log", "increasing", 1.25, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Go on five times as long."""
        return self.example(20, 100)


class ChangeBatchSize(NumberOperator):
    """Train on smaller or larger batches."""

    code = "HBS"
    name = "change-batch-size"
    stage = "fit"
    fault_type = "HBS"
    parameters = ("batch_size",)
    slot = "/fit/batch_size"

    def values(self, program: TrainingProgram, present: float) -> Iterable[float]:
        """DeepCrime's sizes that leave more than one batch; one of all rows is HDB's."""
        rows = _rows(program)
        return (size for size in BATCH_SIZES if rows is None or size < rows)

    def examples(self) -> tuple[Example, ...]:
        """Make batches eight times larger."""
        return self.example(32, 256)


class DisableBatching(Operator):
    """Train on one batch of all training rows, a single step an epoch."""

    code = "HDB"
    name = "disable-batching"
    group = "hyperparameters"
    stage = "fit"
    fault_type = "HDB"
    granularity = "program"
    requires = ("known number of training rows", "several batches")

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the batch size where there is more than one batch."""
        rows, slot = _rows(program), ChangeBatchSize.slot
        several = rows is not None and get(program.document(), slot) < rows
        return (Site(slot),) if several else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Put in the number of training rows, before any are deleted."""
        return replaced(program.document(), site.slot, _rows(program))

    def examples(self) -> tuple[Example, ...]:
        """Make one batch of 320 rows."""
        slot = ChangeBatchSize.slot
        return (Example(small_program(), slot, {}, (Change(slot, 32, 320),)),)


def _rows(program: TrainingProgram) -> int | None:
    """Return the number of training rows; None where the program was made without it."""
    rows = get(program.document(), _ROWS)
    return None if rows is ABSENT else int(rows)


OPERATORS = (ChangeBatchSize, ChangeEpochs, DisableBatching, IncreaseEpochs)
