"""Wrong preparation of training rows: labels counted or coded wrongly, rows sorted or cut off.

Labels of held-out rows are never changed: faults are judged by the right answers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from ..datasets.transforms import task_of
from .base import Example, Parameters, Site
from .cases import small_program
from .transforming import TRANSFORMS, ShareOperator, TransformOperator


class _Preparation(TransformOperator):
    source = "faultloom"
    group = "preprocessing"
    fault_type = "CPP"


class _Labels(_Preparation):
    """A transform of the labels that a classifier learns from."""

    requires = ("classification",)
    roles = ("train", "validation")

    @abstractmethod
    def points(self) -> Iterable[Parameters]:
        """Return the parameters worth planning."""

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All points, for programs that learn classes."""
        return self.points() if task_of(program.document()) == "classification" else ()


class LabelsOffByOne(_Labels):
    """Number classes one too high or too low; with wrap the class after the last is the first."""

    code = "PLO"
    name = "labels-off-by-one"
    parameters = ("shift", "wrap")
    transform = "shift_labels"

    def points(self) -> Iterable[Parameters]:
        """Both directions, each with and without wrap."""
        return ({"shift": shift, "wrap": wrap} for wrap in (False, True) for shift in (1, -1))

    def examples(self) -> tuple[Example, ...]:
        """Count classes from one."""
        return (self.example({"shift": 1, "wrap": False}),)


class OneHotMismatch(_Labels):
    """Give a loss for class numbers one-hot labels, or the other way round.

    Keras refuses most of these programs, which are then incompetent; a loss of distances on one
    unit broadcasts the labels and learns nonsense.
    """

    code = "POH"
    name = "one-hot-mismatch"
    transform = "recode_labels"

    def points(self) -> Iterable[Parameters]:
        """There is one way: labels become what they are not."""
        return ({},)

    def examples(self) -> tuple[Example, ...]:
        """Recode the labels."""
        return (self.example({}),)


class SortedRows(_Preparation):
    """Train on rows sorted by label, without shuffling."""

    code = "PUS"
    name = "sorted-rows"
    transform = "sort_rows"

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the transform and turn the shuffling off."""
        document = super().edited(program, site, parameters)
        return replaced(document, "/fit/shuffle", False)

    def examples(self) -> tuple[Example, ...]:
        """Change both the data and the fit."""
        changes = (
            Change("/fit/shuffle", True, False),
            Change(f"{TRANSFORMS}/0", ABSENT, self.entry({})),
        )
        return (Example(small_program(), TRANSFORMS, {}, changes),)


class TruncatedData(ShareOperator):
    """Train on the first part of the rows only."""

    code = "PTD"
    source = "faultloom"
    name = "truncated-data"
    group = "preprocessing"
    fault_type = "TRD"
    parameters = ("percentage",)
    transform = "truncate_rows"
    highest = 99.0
    percentages = (50.0, 75.0, 90.0, 99.0)


OPERATORS = (LabelsOffByOne, OneHotMismatch, SortedRows, TruncatedData)
