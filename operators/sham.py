"""The null of every experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..datasets.program import Json, TrainingProgram
from .base import Example, Operator, Parameters, Site
from .cases import small_program


class Sham(Operator):
    """Change nothing but the random streams, which its runs salt."""

    code = "SHAM"
    source = "faultloom"
    name = "sham"
    group = "control"
    stage = "fit"
    fault_type = "SHAM"
    granularity = "program"
    reserved = True

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the whole program."""
        return (Site(""),)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Leave the document as it is."""
        return program.document()

    def apply(
        self, program: TrainingProgram, site: Site, parameters: Mapping[str, Json]
    ) -> TrainingProgram:
        """Return the program itself; the only operator that may change nothing."""
        return program

    def examples(self) -> tuple[Example, ...]:
        """Change nothing."""
        return (Example(small_program(), "", {}, ()),)


OPERATORS = (Sham,)
