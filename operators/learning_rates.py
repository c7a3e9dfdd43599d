"""Wrong learning rates and schedules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, get, replaced
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program
from .hyperparameters import NumberOperator

LEARNING_RATE = "/optimizer/config/learning_rate"


class _Rate(NumberOperator):
    """An operator that multiplies a constant learning rate by powers of ten."""

    stage = "compile"
    fault_type = "HLR"
    requires = ("constant learning rate",)
    parameters = ("learning_rate",)
    slot = LEARNING_RATE
    powers: ClassVar[tuple[int, ...]]

    def values(self, program: TrainingProgram, present: float) -> Iterable[float]:
        """All powers, the mildest first."""
        return (float(f"{present * 10.0**power:.6g}") for power in self.powers)


class ChangeLearningRate(_Rate):
    """Train with a learning rate that is smaller by powers of ten."""

    code = "HLR"
    name = "change-learning-rate"
    powers = (-1, -2, -3)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search downwards, as DeepCrime does, but by ratios."""
        present = get(program.document(), site.slot)
        return {"learning_rate": Range(present / 1000, present, "log", "decreasing", 1.25)}

    def examples(self) -> tuple[Example, ...]:
        """Divide by ten."""
        return self.example(0.001, 0.0001)


class IncreaseLearningRate(_Rate):
    """Train with a learning rate that is larger by powers of ten."""

    code = "HLI"
    name = "increase-learning-rate"
    source = "faultloom; tenfold in Humbatova et al., EMSE 2025, where DeepCrime's HLR only falls"
    powers = (1, 2, 3)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search upwards by ratios."""
        present = get(program.document(), site.slot)
        return {"learning_rate": Range(present, present * 1000, "log", "increasing", 1.25)}

    def examples(self) -> tuple[Example, ...]:
        """Multiply by ten."""
        return self.example(0.001, 0.01)


class ZeroLearningRate(Operator):
    """Train with a learning rate of zero, so that no step moves a weight."""

    code = "HLZ"
    name = "zero-learning-rate"
    group = "hyperparameters"
    stage = "compile"
    fault_type = "HLR"
    granularity = "program"
    source = "faultloom; the end of HLR's range, which a search by ratios never reaches"

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the learning rate, be it a number or a schedule."""
        return (Site(LEARNING_RATE),) if get(program.document(), LEARNING_RATE) != 0 else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Put zero in."""
        return replaced(program.document(), site.slot, 0.0)

    def examples(self) -> tuple[Example, ...]:
        """Stand still."""
        return (Example(small_program(), LEARNING_RATE, {}, (Change(LEARNING_RATE, 0.001, 0.0),)),)


class DecayPerStep(Operator):
    """Let the learning rate decay exponentially by counting steps where epochs were meant."""

    code = "HLS"
    name = "decay-per-step"
    group = "hyperparameters"
    stage = "compile"
    fault_type = "HLR"
    granularity = "program"
    requires = ("no callback that sets the learning rate",)
    parameters = ("decay_rate", "decay_steps")
    source = "faultloom; Keras's schedules count batches, not epochs"

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the learning rate: a number, or a schedule with an initial one.

        Keras cannot reduce the rate of a schedule, so a program whose callback does would break.
        """
        document = program.document()
        if any(one["class_name"] == "ReduceLROnPlateau" for one in document["callbacks"]):
            return ()
        return (Site(LEARNING_RATE),) if _initial_rate(document) else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Mild and steep decay, at every step or once in as many steps as there are epochs."""
        epochs = program.document()["fit"]["epochs"]
        return (
            {"decay_rate": rate, "decay_steps": steps}
            for steps in sorted({epochs, 1}, reverse=True)
            for rate in (0.96, 0.5)
        )

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Start the schedule at the present rate."""
        document = program.document()
        return replaced(document, site.slot, _decay(_initial_rate(document), parameters))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the number of steps, from so many that hardly anything decays."""
        return {"decay_steps": Range(1, 10000, "log", "decreasing", 1.25, integer=True)}

    def examples(self) -> tuple[Example, ...]:
        """Halve the rate every twenty batches, not every twenty epochs."""
        parameters: Parameters = {"decay_rate": 0.5, "decay_steps": 20}
        change = Change(LEARNING_RATE, 0.001, _decay(0.001, parameters))
        return (Example(small_program(), LEARNING_RATE, parameters, (change,)),)


def _initial_rate(document: Json) -> Json:
    """Return the learning rate of the first step; `ABSENT` where a schedule names none."""
    rate = get(document, LEARNING_RATE)
    found = get(rate, "/config/initial_learning_rate") if isinstance(rate, dict) else rate
    return None if found is ABSENT else found


def _decay(rate: float, parameters: Parameters) -> Json:
    config = {"initial_learning_rate": rate, **parameters}
    return {"class_name": "ExponentialDecay", "config": config}


OPERATORS = (ChangeLearningRate, DecayPerStep, IncreaseLearningRate, ZeroLearningRate)
