"""Batch normalisation that is set wrongly, missing, misplaced or frozen."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, Layer, TrainingProgram
from ..datasets.slots import ABSENT, Change, get
from .base import Example, Parameters, Range, Site
from .cases import LAYERS, input_layer, layer, stack
from .graph import links
from .layers import TAXONOMY
from .structural import LayerRemoval, Rebuilt, StructuralOperator
from .structure import beside, entry_at, free_name, removable, with_behind, with_layer, without
from .targets import LayerOperator, Target

_BATCH = "BatchNormalization"
_ACTIVATIONS = ("Activation", "ELU", "LeakyReLU", "PReLU", "ReLU", "Softmax")
_WITH_ACTIVATION = ("Conv1D", "Conv2D", "Conv3D", "Dense", "DepthwiseConv", "SeparableConv")


class _Setting(LayerOperator):
    """An operator that sets an argument of batch normalisation."""

    group = "normalization"
    requires = ("batch normalisation",)
    source = f"{TAXONOMY}; DEFault++ has the like for layer normalisation"

    def legal(self, target: Target, key: str) -> bool:
        """Every batch normalisation."""
        return target.class_name == _BATCH

    def value(self, parameters: Parameters) -> Json:
        """Return the number."""
        return float(parameters[self.keys[0]])


class ChangeBatchNormEpsilon(_Setting):
    """Add another epsilon to the variances of a batch normalisation."""

    code = "BNE"
    name = "change-batch-norm-epsilon"
    fault_type = "BNE"
    parameters = ("epsilon",)
    keys = ("epsilon",)

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """Next to nothing, and enough to hide the variance."""
        return ({"epsilon": epsilon} for epsilon in (1e-7, 0.1, 1.0, 10.0))

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search from Keras's default to a number that hides every variance."""
        return {"epsilon": Range(0.001, 100.0, "log", "increasing", 1.5)}

    def examples(self) -> tuple[Example, ...]:
        """Hide the variance."""
        slot = f"{LAYERS}/2/config/epsilon"
        return (Example(_program(), slot, {"epsilon": 1.0}, (Change(slot, ABSENT, 1.0),)),)


class ChangeBatchNormMomentum(_Setting):
    """Average the statistics of a batch normalisation over another time."""

    code = "BNM"
    name = "change-batch-norm-momentum"
    fault_type = "BNM"
    parameters = ("momentum",)
    keys = ("momentum",)

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """The last batch alone, short and long averages, and the first values for ever."""
        return ({"momentum": momentum} for momentum in (0.0, 0.5, 0.9, 0.999, 1.0))

    def examples(self) -> tuple[Example, ...]:
        """Never learn the statistics."""
        slot = f"{LAYERS}/2/config/momentum"
        return (Example(_program(), slot, {"momentum": 1.0}, (Change(slot, ABSENT, 1.0),)),)


class FreezeBatchNorm(_Setting):
    """Freeze a batch normalisation, which then uses its first statistics."""

    code = "BNF"
    name = "freeze-batch-norm"
    fault_type = "BNF"
    keys = ("trainable",)

    def legal(self, target: Target, key: str) -> bool:
        """Every batch normalisation that is trained."""
        return super().legal(target, key) and bool(target.config[key])

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return false."""
        return False

    def examples(self) -> tuple[Example, ...]:
        """Freeze the only one."""
        slot = f"{LAYERS}/2/config/trainable"
        return (Example(_program(), slot, {}, (Change(slot, ABSENT, False),)),)


class RemoveBatchNorm(LayerRemoval):
    """Leave out a batch normalisation."""

    code = "BNR"
    name = "remove-batch-norm"
    group = "normalization"
    fault_type = "BNR"
    requires = ("batch normalisation",)
    source = TAXONOMY

    def wanted(self, layer: Layer) -> bool:
        """Every batch normalisation."""
        return layer.class_name == _BATCH

    def examples(self) -> tuple[Example, ...]:
        """Leave out the only one."""
        before = get(_program().document(), LAYERS)
        after = [*before[:2], *before[3:]]
        change = Change(LAYERS, before, after)
        return (Example(_program(), f"{LAYERS}/2", {}, (change,)),)


class MisplaceBatchNorm(StructuralOperator):
    """Put a batch normalisation on the other side of the activation next to it."""

    code = "BNP"
    name = "misplace-batch-norm"
    group = "normalization"
    fault_type = "BNP"
    requires = ("batch normalisation next to an activation",)
    parameters = ("place",)
    source = "faultloom; the order of normalisation and activation is a frequent question"

    def legal(self, document: Json, layer: Layer) -> bool:
        """Every batch normalisation that follows or precedes an activation, and only that."""
        return layer.class_name == _BATCH and bool(_places(document, layer))

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Before the activation that it follows, or after the one that follows it."""
        places = _places(program.document(), program.layer(str(site.layer)))
        return ({"place": place} for place in places)

    def rebuilt(self, document: Json, layer: Layer, parameters: Parameters) -> Rebuilt:
        """Exchange the two; an activation within a layer becomes a layer behind."""
        neighbour = _places(document, layer)[parameters["place"]]
        entry = entry_at(document, neighbour)
        moved, front = layer.name, neighbour
        if parameters["place"] == "before":
            moved, front = neighbour, layer.name
        if entry["class_name"] in _ACTIVATIONS:
            moving = entry_at(document, moved)
            document = without(document, moved)
            document = with_behind(document, front, moving["class_name"], moving["config"])
            return Rebuilt(document, layer.name, layer.name, (layer.name, neighbour))
        name = free_name(document, layer.name, "Activation")
        config = {"name": name, "activation": entry["config"].pop("activation")}
        document = with_layer(document, neighbour, entry["class_name"], entry["config"])
        document = with_behind(document, layer.name, "Activation", config)
        return Rebuilt(document, layer.name, layer.name, (layer.name, beside(layer.name, name)))

    def examples(self) -> tuple[Example, ...]:
        """Normalise before the activation instead of after it."""
        before = get(_program().document(), LAYERS)
        after = [
            before[0],
            layer("Dense", "dense", units=8),
            before[2],
            layer("Activation", "activation", activation="relu"),
            before[3],
        ]
        change = Change(LAYERS, before, after)
        return (Example(_program(), f"{LAYERS}/2", {"place": "before"}, (change,)),)


def _places(document: Json, layer: Layer) -> dict[str, str]:
    """Return where a normalisation can go, with the layer whose activation it passes."""
    if not removable(document, layer.name):
        return {}
    pairs = links(document["architecture"])
    before = [source for source, fed in pairs if fed == layer.name]
    after = [fed for source, fed in pairs if source == layer.name]
    found = {}
    if len(before) == 1 and [fed for one, fed in pairs if one == before[0]] == [layer.name]:
        found["before"] = before[0]
    if len(after) == 1 and [one for one, fed in pairs if fed == after[0]] == [layer.name]:
        found["after"] = after[0]
    return {
        place: name
        for place, name in found.items()
        if name == beside(layer.name, name.rpartition("/")[2])
        and _has_activation(document, name, separate=place == "after")
    }


def _has_activation(document: Json, path: str, *, separate: bool) -> bool:
    entry = entry_at(document, path)
    if entry["class_name"] in _ACTIVATIONS:
        return removable(document, path)
    holds = entry["class_name"].startswith(_WITH_ACTIVATION) and "activation" in entry["config"]
    return holds and not separate


def _program() -> TrainingProgram:
    return stack(
        input_layer(4),
        layer("Dense", "dense", units=8, activation="relu"),
        layer("BatchNormalization", "batch_normalization"),
        layer("Dense", "dense_1", units=3, activation="softmax"),
    )


OPERATORS = (
    ChangeBatchNormEpsilon,
    ChangeBatchNormMomentum,
    FreezeBatchNorm,
    RemoveBatchNorm,
    MisplaceBatchNorm,
)
