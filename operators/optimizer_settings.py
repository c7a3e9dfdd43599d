"""Wrong settings of an optimizer: gradient clipping, momentum, epsilon, weight decay."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program

CLIPS = ("clipnorm", "clipvalue", "global_clipnorm")
_CONFIG = "/optimizer/config"


class _Setting(Operator):
    """An operator that sets one constructor argument of the optimizer.

    `keys` are the arguments that it looks for; there is a site for each one that the optimizer
    has and that another of the `values` could replace.
    """

    group = "optimizer"
    stage = "compile"
    granularity = "program"
    parameters = ("value",)
    source = "faultloom"
    keys: ClassVar[tuple[str, ...]]

    @abstractmethod
    def values(self, key: str, present: Json) -> Iterable[Json]:
        """Return wrong values of an argument; none where it is not for this operator."""

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return every argument that can be made worse."""
        config = _arguments(program)
        return tuple(
            Site(f"{_CONFIG}/{key}")
            for key in self.keys
            if key in config
            and any(value != config[key] for value in self.values(key, config[key]))
        )

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All values."""
        values = self.values(_key(site), _present(program, site))
        return ({"value": value} for value in values)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Set the argument."""
        value = parameters["value"]
        value = value if value is None else float(value)
        return replaced(program.document(), site.slot, value)


class AddGradientClip(_Setting):
    """Clip gradients that were not clipped, so hard that little of them is left."""

    code = "OCL"
    name = "add-gradient-clip"
    fault_type = "OCG"
    requires = ("optimizer without gradient clipping",)
    keys = ("clipnorm", "clipvalue")

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return both ways of clipping; Keras takes one at a time."""
        clipped = any(_arguments(program)[key] is not None for key in CLIPS)
        return () if clipped else super().sites(program)

    def values(self, key: str, present: Json) -> Iterable[Json]:
        """Limits below usual gradients; optimizers that rescale feel only the smallest."""
        return (0.1, 0.001, 0.00001)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search downwards from a limit that is seldom reached."""
        return {"value": Range(1e-7, 10.0, "log", "decreasing", 2.0)}

    def examples(self) -> tuple[Example, ...]:
        """Leave a thousandth."""
        return _example("clipnorm", ABSENT, 0.001)


class ChangeGradientClip(_Setting):
    """Clip gradients far harder than before, or no longer.

    DeepCrime's operator of this code, which found no optimizer to change, would have set a
    `clipnorm` of -1, which Keras takes for none, or a `clipvalue` of 0.5.
    """

    code = "OCG"
    name = "change-gradient-clip"
    fault_type = "OCG"
    requires = ("optimizer with gradient clipping",)
    keys = CLIPS
    source = "DeepCrime (Humbatova, Jahangirova, Tonella, ISSTA 2021); values of our own"

    def values(self, key: str, present: Json) -> Iterable[Json]:
        """None, and parts of the present limit."""
        if present is None:
            return ()
        return (None, *(float(f"{present / part:.6g}") for part in (10, 1000)))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search downwards from the present limit."""
        present = _present(program, site)
        return {"value": Range(present / 100000, present, "log", "decreasing", 2.0)}

    def examples(self) -> tuple[Example, ...]:
        """Clip no longer."""
        return _example("clipnorm", 1.0, None, config={"clipnorm": 1.0})


class ChangeMomentum(_Setting):
    """Let an optimizer remember past gradients for too long or not at all."""

    code = "OMO"
    name = "change-momentum"
    fault_type = "OMO"
    requires = ("optimizer with momentum",)
    keys = ("momentum", "beta_1")

    def values(self, key: str, present: Json) -> Iterable[Json]:
        """Half, and memories of a hundred and a thousand steps; of what can do without, none."""
        return (*((0.0,) if key == "momentum" else ()), 0.5, 0.99, 0.999)

    def examples(self) -> tuple[Example, ...]:
        """Average over a thousand steps."""
        return _example("beta_1", ABSENT, 0.999)


class IncreaseEpsilon(_Setting):
    """Add so much to the denominator of an adaptive optimizer that it hardly adapts."""

    code = "OEP"
    name = "increase-epsilon"
    fault_type = "HAE"
    requires = ("optimizer with epsilon",)
    keys = ("epsilon",)
    source = "faultloom; Adam's epsilon (HAE) among the real faults of Humbatova et al."

    def values(self, key: str, present: Json) -> Iterable[Json]:
        """From what slows down to what stops."""
        return [value for value in (0.001, 0.1, 1.0, 10.0) if value > present]

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search upwards by ratios."""
        present = _present(program, site) or 1e-7
        return {"value": Range(present, present * 1e9, "log", "increasing", 2.0)}

    def examples(self) -> tuple[Example, ...]:
        """Divide by one and more."""
        return _example("epsilon", ABSENT, 1.0)


class IncreaseWeightDecay(_Setting):
    """Let weights decay by so much at each step that they cannot grow."""

    code = "OWD"
    name = "increase-weight-decay"
    fault_type = "WDW"
    keys = ("weight_decay",)
    source = "faultloom; weight decay (WDW) among the real faults of Humbatova et al."

    def values(self, key: str, present: Json) -> Iterable[Json]:
        """Multiples of a tenth, which Keras multiplies with the learning rate."""
        return [value for value in (0.1, 1.0, 10.0) if value > (present or 0.0)]

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search upwards by ratios."""
        present = _present(program, site) or 0.001
        return {"value": Range(present, present * 100000, "log", "increasing", 2.0)}

    def examples(self) -> tuple[Example, ...]:
        """Take a hundredth part of the weights at each step."""
        return _example("weight_decay", ABSENT, 10.0)


def _arguments(program: TrainingProgram) -> dict[str, Json]:
    from ..datasets.canonical import effective_config

    optimizer = program.document()["optimizer"]
    return effective_config(optimizer["class_name"], optimizer["config"])


def _present(program: TrainingProgram, site: Site) -> Json:
    return _arguments(program)[_key(site)]


def _key(site: Site) -> str:
    return site.slot.rpartition("/")[2]


def _example(
    key: str, old: Json, new: Json, config: Parameters | None = None
) -> tuple[Example, ...]:
    adam = {"learning_rate": 0.001, **(config or {})}
    before = small_program(optimizer={"class_name": "Adam", "config": adam})
    slot = f"{_CONFIG}/{key}"
    change = Change(slot, old, ABSENT if new is None else new)
    return (Example(before, slot, {"value": new}, (change,)),)


OPERATORS = (
    AddGradientClip,
    ChangeGradientClip,
    ChangeMomentum,
    IncreaseEpsilon,
    IncreaseWeightDecay,
)
