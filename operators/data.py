"""Wrong training data: what happens to the rows is in `datasets.transforms`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change, replaced
from ..datasets.transforms import task_of
from .base import Example, Operator, Parameters, Range, Site
from .cases import small_program


class _TrainTransform(Operator):
    """An operator that appends a transform of a percentage of the training rows."""

    group = "data"
    stage = "data"
    granularity = "data"
    parameters = ("percentage", "task")
    transform: ClassVar[str]
    highest: ClassVar[float] = 100.0
    percentages: ClassVar[tuple[float, ...]]

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the training data, as the list of transforms."""
        return (Site("/transforms"),)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All percentages; the task is taken from the clean program and kept."""
        task = task_of(program.document())
        return ({"percentage": share, "task": task} for share in self.percentages)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the transform; none of the rows is no transform."""
        document = program.document()
        if not parameters["percentage"] > 0:
            return document
        last = len(document["transforms"])
        return replaced(document, f"{site.slot}/{last}", self._entry(parameters))

    def _entry(self, parameters: Parameters) -> Json:
        parameters = parameters | {"percentage": float(parameters["percentage"])}
        return {"name": self.transform, "parameters": parameters, "roles": ["train"]}

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search the percentage."""
        return {"percentage": Range(0.0, self.highest, "linear", "increasing", 5.0)}

    def examples(self) -> tuple[Example, ...]:
        """Append a transform of half of the rows."""
        parameters: Parameters = {"percentage": 50.0, "task": "classification"}
        change = Change("/transforms/0", ABSENT, self._entry(parameters))
        return (Example(small_program(), "/transforms", parameters, (change,)),)


class ChangeLabels(_TrainTransform):
    """Give rows of the most frequent class another label; in regression, add noise to all."""

    code = "TCL"
    name = "change-labels"
    fault_type = "TCL"
    transform = "change_labels"
    percentages = (12.5, 25.0, 50.0, 100.0)


class DeleteTrainingData(_TrainTransform):
    """Delete training rows of every class alike."""

    code = "TRD"
    name = "delete-training-data"
    fault_type = "TRD"
    transform = "delete_rows"
    highest = 99.0
    percentages = (25.0, 50.0, 75.0, 90.0, 99.0)


OPERATORS = (ChangeLabels, DeleteTrainingData)
