"""Wrong use of held-out rows: no validation rows, or rows that leak into training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import Change, replaced
from .base import Example, Operator, Parameters, Site
from .cases import small_program
from .transforming import TRANSFORMS, ShareOperator

_VALIDATION = "/data/validation"
_RECORDS = {
    role: {"x": [f"x_{role}"], "y": [f"y_{role}"], "sample_weight": None}
    for role in ("train", "validation", "judge", "test")
}
_STOPPING = {"class_name": "EarlyStopping", "config": {"monitor": "val_loss", "patience": 3}}


class RemoveValidationSet(Operator):
    """Train without the validation rows that a callback monitors, so that it never acts.

    Where no callback looks at validation rows they change nothing, and the operator does not
    apply.
    """

    code = "VRM"
    name = "remove-validation-set"
    group = "validation"
    stage = "fit"
    fault_type = "VRM"
    requires = ("validation rows", "callback that monitors them")
    granularity = "program"

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the validation rows where it matters whether there are any."""
        document = program.document()
        needed = any(_looks_at_validation(entry) for entry in document["transforms"])
        monitored = any(map(_monitors_validation, document["callbacks"]))
        present = document["data"]["validation"] is not None
        return (Site(_VALIDATION),) if present and monitored and not needed else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Take the rows out."""
        return replaced(program.document(), site.slot, None)

    def examples(self) -> tuple[Example, ...]:
        """Leave early stopping with nothing to stop at."""
        program = small_program(callbacks=[_STOPPING])
        change = Change(_VALIDATION, program.document()["data"]["validation"], None)
        return (Example(program, _VALIDATION, {}, (change,)),)


class _Leak(ShareOperator):
    """Rows of another role among the training rows; those that faults are judged on never are."""

    source = "faultloom"
    group = "validation"
    fault_type = "IDS"
    parameters = ("percentage",)
    transform = "leak_rows"
    percentages = (25.0, 50.0, 100.0)
    leaking: ClassVar[str]
    kept_clean: ClassVar[tuple[str, ...]]

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """All percentages, where the rows are there and are none of those that stay untouched."""
        data = program.document()["data"]
        leaking = data[self.leaking]
        if leaking is None or any(leaking == data[role] for role in self.kept_clean):
            return ()
        return super().candidates(program, site)

    def examples(self) -> tuple[Example, ...]:
        """Train on half of the rows too."""
        parameters: Parameters = {"percentage": 50.0}
        (shown,) = (self.example(parameters),)
        return (Example(small_program(data=_RECORDS), TRANSFORMS, parameters, shown.changes),)


class LeakValidationRows(_Leak):
    """Put validation rows into the training rows, so that validation promises too much.

    Rows that are judge or test rows too stay out; where all are, as in scripts that validate on
    their test rows, no row leaks.
    """

    code = "VLK"
    name = "leak-validation-rows"
    requires = ("validation rows that are no judge or test rows",)
    fixed: ClassVar[Parameters] = {"source": "validation"}
    leaking = "validation"
    kept_clean = ("judge", "test")


class LeakTestRows(_Leak):
    """Put test rows into the training rows; faults are judged on judge rows, which stay out.

    It needs judge rows that are no test rows, that is, at least 1,000 held-out rows.
    """

    code = "PLK"
    name = "leak-test-rows"
    requires = ("test rows that are no judge rows",)
    fixed: ClassVar[Parameters] = {"source": "test"}
    leaking = "test"
    kept_clean = ("judge",)


def _monitors_validation(record: Json) -> bool:
    if record["class_name"] == "TerminateOnNaN":
        return False
    return str(record["config"].get("monitor", "val_loss")).startswith("val_")


def _looks_at_validation(entry: Json) -> bool:
    return bool(entry["parameters"].get("source") == "validation")


OPERATORS = (RemoveValidationSet, LeakValidationRows, LeakTestRows)
