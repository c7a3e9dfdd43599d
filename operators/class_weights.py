"""Wrong or missing weights of classes."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import Change, get, replaced
from .base import Example, Operator, Parameters, Site
from .cases import small_program

SLOT = "/fit/class_weight"


class ChangeClassWeights(Operator):
    """Weigh the classes by the reciprocals of their weights, or by each other's."""

    code = "CWW"
    name = "change-class-weights"
    group = "loss"
    stage = "fit"
    fault_type = "CWW"
    granularity = "program"
    requires = ("class weights",)
    parameters = ("class_weight",)
    source = "faultloom"

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the class weights, unless all are 1 or 0."""
        weights = get(program.document(), SLOT) or {}
        return (Site(SLOT),) if set(weights.values()) - {0.0, 1.0} else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Frequencies for inverse frequencies, and each class with the next one's weight."""
        weights = get(program.document(), site.slot)
        labels = sorted(weights, key=int)
        following = [*labels[1:], labels[0]]
        yield {"class_weight": {label: _reciprocal(weights[label]) for label in labels}}
        yield {"class_weight": {a: weights[b] for a, b in zip(labels, following, strict=True)}}

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Put the weights in."""
        return replaced(program.document(), site.slot, parameters["class_weight"])

    def examples(self) -> tuple[Example, ...]:
        """Weigh a frequent class more and a rare one less."""
        weights = {"0": 2.0, "1": 1.0, "2": 0.5}
        changes = Change(f"{SLOT}/0", 2.0, 0.5), Change(f"{SLOT}/2", 0.5, 2.0)
        parameters = {"class_weight": {"0": 0.5, "1": 1.0, "2": 2.0}}
        return (Example(_weighted(weights), SLOT, parameters, changes),)


class RemoveClassWeights(Operator):
    """Train without the class weights that the data asks for."""

    code = "CWM"
    name = "remove-class-weights"
    group = "loss"
    stage = "fit"
    fault_type = "CWM"
    granularity = "program"
    requires = ("class weights",)
    source = "faultloom"

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return the class weights."""
        return (Site(SLOT),) if get(program.document(), SLOT) else ()

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Forget them."""
        return replaced(program.document(), site.slot, None)

    def examples(self) -> tuple[Example, ...]:
        """Forget that the second class is rare."""
        weights = {"1": 4.0}
        return (Example(_weighted(weights), SLOT, {}, (Change(SLOT, weights, None),)),)


def _reciprocal(weight: float) -> float:
    return float(f"{1 / weight:.6g}") if weight else weight


def _weighted(weights: Json) -> TrainingProgram:
    fit = small_program().document()["fit"]
    return small_program(fit={**fit, "class_weight": weights})


OPERATORS = (ChangeClassWeights, RemoveClassWeights)
