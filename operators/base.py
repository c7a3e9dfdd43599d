"""What an operator is: sites, parameters, an edit of a training program, and its ground truth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

from ..datasets.errors import ConfigError, NotApplicable
from ..datasets.program import Json, TrainingProgram, canonical_json
from ..datasets.slots import Change

Stage = Literal["data", "architecture", "compile", "fit", "trained"]
Granularity = Literal["data", "program", "layer", "neuron"]
Parameters = dict[str, Json]


@dataclass(frozen=True)
class Site:
    """Where an operator applies.

    Args:
        slot: JSON pointer that the operator changes, or the list to which it appends.
        layer: name path of the layer, or None.
        layer_index: index of the layer in `TrainingProgram.layers`, or None.
    """

    slot: str
    layer: str | None = None
    layer_index: int | None = None


@dataclass(frozen=True, eq=False)
class Mutation:
    """An operator at a site with its parameters; as data, one edit of a program.

    Args:
        code: of the operator.
        site: where.
        parameters: plain JSON.
    """

    code: str
    site: Site
    parameters: Mapping[str, Json]

    @cached_property
    def text(self) -> str:
        """The mutation as canonical JSON; equal mutations have equal text."""
        return canonical_json(self.to_dict())

    def to_dict(self) -> dict[str, Json]:
        """Return the mutation as JSON data."""
        return {
            "code": self.code,
            "layer": self.site.layer,
            "layer_index": self.site.layer_index,
            "parameters": dict(self.parameters),
            "slot": self.site.slot,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Mutation:
        """Read what `to_dict` wrote."""
        site = Site(value["slot"], value["layer"], value["layer_index"])
        return cls(value["code"], site, dict(value["parameters"]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mutation) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(frozen=True)
class Located:
    """Which layers answer for a structural fault, as slots of their configurations.

    Args:
        layer: in the faulty program.
        clean_layer: in the clean program; None for a layer that it does not have.
        acceptable: in the faulty program, all layers that are as right an answer as `layer`,
            which is one of them.
    """

    layer: str
    clean_layer: str | None
    acceptable: tuple[str, ...]


@dataclass(frozen=True)
class Range:
    """The values of one parameter through which a search may go.

    Args:
        low: smallest value.
        high: largest value.
        scale: on which a midpoint is taken.
        direction: where the mutation becomes more aggressive, ``increasing`` or ``decreasing``.
        precision: width of the bracket at which a search stops; a ratio on a log scale.
        integer: whether only whole numbers have a meaning.
    """

    low: float
    high: float
    scale: Literal["linear", "log"] = "linear"
    direction: Literal["increasing", "decreasing"] = "increasing"
    precision: float = 1.0
    integer: bool = False


@dataclass(frozen=True)
class Example:
    """A case that an operator documents itself with; the test suite runs all of them.

    Args:
        program: before.
        slot: of the site.
        parameters: of the mutation.
        changes: the whole difference between before and after.
    """

    program: TrainingProgram
    slot: str
    parameters: Mapping[str, Json]
    changes: tuple[Change, ...]


DEEPCRIME = "DeepCrime (Humbatova, Jahangirova, Tonella, ISSTA 2021), re-implemented"
"""The source of most operators."""


class Operator(ABC):
    """One way in which a training program goes wrong.

    Operators are pure: programs go in and come out, nothing is trained, printed or drawn.
    Class attributes declare what the operator is; `parameters` names what `apply` takes, `source`
    the paper or tool that defined it. An operator is `structural` when it adds, removes or
    exchanges layers: its ground truth is one record, about the layers that `located` names.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    group: ClassVar[str]
    stage: ClassVar[Stage]
    fault_type: ClassVar[str]
    requires: ClassVar[tuple[str, ...]] = ()
    granularity: ClassVar[Granularity]
    layer_localisable: ClassVar[bool] = False
    reserved: ClassVar[bool] = False
    structural: ClassVar[bool] = False
    parameters: ClassVar[tuple[str, ...]] = ()
    source: ClassVar[str] = DEEPCRIME

    @abstractmethod
    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return where the operator applies; nowhere when its requirements are not met."""

    @abstractmethod
    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Return parameters worth planning; those that change nothing may be among them."""

    @abstractmethod
    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Return the document after the edit; it need not be canonical."""

    @abstractmethod
    def examples(self) -> tuple[Example, ...]:
        """Return cases that show what the operator does."""

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Return the parameters that a search may vary, with their ranges."""
        return {}

    def located(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Located:
        """Return the layers that answer for a structural fault; the others never ask."""
        raise NotImplementedError(f"{self.code} is structural: it must say which layers answer")

    def variants(self, program: TrainingProgram, site: Site) -> tuple[Parameters, ...]:
        """Return the parameters to plan: each gives another program than the others and this."""
        found: dict[str, Parameters] = {}
        for parameters in self.candidates(program, site):
            try:
                mutant = self.apply(program, site, parameters)
            except NotApplicable:
                continue
            found.setdefault(mutant.program_id, parameters)
        return tuple(found.values())

    def apply(
        self, program: TrainingProgram, site: Site, parameters: Mapping[str, Json]
    ) -> TrainingProgram:
        """Return the mutated program in canonical form.

        Raises:
            ConfigError: the parameters are not those that the operator takes.
            NotApplicable: the site is none of the program's, or nothing would change.
        """
        from ..datasets.canonical import canonicalize

        if set(parameters) != set(self.parameters):
            raise ConfigError(
                f"{self.code}: expected the parameters {', '.join(self.parameters) or '(none)'}; "
                f"received {', '.join(sorted(parameters)) or '(none)'}"
            )
        if site not in self.sites(program):
            raise NotApplicable(f"{self.code} does not apply at {site.layer or site.slot}")
        mutant = canonicalize(self.edited(program, site, dict(parameters)))
        if mutant.program_id == program.program_id:
            raise NotApplicable(
                f"{self.code} at {site.layer or site.slot}: "
                f"{canonical_json(dict(parameters))} would change nothing"
            )
        return mutant


def listing(operator: Operator) -> dict[str, Any]:
    """Return what an operator declares, as a table row."""
    return {
        "code": operator.code,
        "name": operator.name,
        "group": operator.group,
        "stage": operator.stage,
        "fault_type": operator.fault_type,
        "granularity": operator.granularity,
        "layer_localisable": operator.layer_localisable,
        "requires": list(operator.requires),
        "parameters": list(operator.parameters),
        "source": operator.source,
        "summary": (type(operator).__doc__ or "").strip().split("\n")[0],
    }
