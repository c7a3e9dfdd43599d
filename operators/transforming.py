"""Operators that append a transform of the data: what it does is in `datasets.transforms`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from ..datasets.transforms import task_of
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program

TRANSFORMS = "/transforms"


class TransformOperator(Operator):
    """An operator that appends one transform of the rows of some roles.

    `transform` is its name and `roles` the roles whose rows it changes; `fixed` are parameters
    of the transform that the operator stands for.
    """

    stage = "data"
    granularity = "data"
    roles: ClassVar[tuple[str, ...]] = ("train",)
    transform: ClassVar[str]
    fixed: ClassVar[Parameters] = {}

    @abstractmethod
    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Return parameters worth planning; none where the data do not allow the fault."""

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the data, as the list of transforms, where there is something to plan."""
        site = Site(TRANSFORMS)
        return (site,) if any(True for _ in self.candidates(program, site)) else ()

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the transform."""
        document = program.document()
        last = len(document["transforms"])
        return replaced(document, f"{site.slot}/{last}", self.entry(parameters))

    def entry(self, parameters: Parameters) -> Json:
        """Return the transform as a program stores it."""
        return {
            "name": self.transform,
            "parameters": self.fixed | parameters,
            "roles": list(self.roles),
        }

    def example(self, parameters: Parameters) -> Example:
        """Return the case of the small program with these parameters."""
        change = Change(f"{TRANSFORMS}/0", ABSENT, self.entry(parameters))
        return Example(small_program(), TRANSFORMS, parameters, (change,))


class ShareOperator(TransformOperator):
    """A transform of a percentage of the rows, drawn anew in each run.

    `percentages` are planned and `highest` bounds a search. `choice` is a further parameter with
    the values that it takes. `classifiers_only` says that the fault has no meaning for numbers.
    """

    parameters: ClassVar[tuple[str, ...]] = ("percentage", "task")
    highest: ClassVar[float] = 100.0
    percentages: ClassVar[tuple[float, ...]]
    choice: ClassVar[tuple[str, tuple[str, ...]] | None] = None
    classifiers_only: ClassVar[bool] = False

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All percentages; the task is taken from the clean program and kept."""
        task = task_of(program.document())
        if self.classifiers_only and task != "classification":
            return
        name, values = self.choice or ("", ("",))
        for value in values:
            for share in self.percentages:
                every = {"percentage": share, "task": task, name: value}
                yield {key: every[key] for key in self.parameters}

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the transform; none of the rows is no transform."""
        if not parameters["percentage"] > 0:
            return program.document()
        return super().edited(program, site, parameters)

    def entry(self, parameters: Parameters) -> Json:
        """Return the transform as a program stores it."""
        return super().entry(parameters | {"percentage": float(parameters["percentage"])})

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the percentage."""
        return {"percentage": Range(0.0, self.highest, "linear", "increasing", 5.0)}

    def examples(self) -> tuple[Example, ...]:
        """Append a transform of half of the rows."""
        every = {"percentage": 50.0, "task": "classification"}
        if self.choice:
            every[self.choice[0]] = self.choice[1][0]
        return (self.example({key: every[key] for key in self.parameters}),)
