"""Layers that are missing, redundant or frozen, or that miss their bias."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, Layer, TrainingProgram
from ..datasets.slots import ABSENT, Change, get
from .base import Example, Parameters, Site
from .cases import LAYERS, input_layer, layer, small_program
from .structural import LayerRemoval, Rebuilt, StructuralOperator
from .structure import beside, entry_at, extensible, free_name, unary, with_behind, with_layer
from .targets import LayerOperator, Target, has_weights

TAXONOMY = "real faults in the taxonomy of Humbatova et al. (ICSE 2020)"
"""The source of operators that DeepCrime names but does not have."""

_INSERTED: dict[str, dict[str, Json]] = {
    "Activation": {"activation": "tanh"},
    "BatchNormalization": {},
    "Dropout": {"rate": 0.5},
}
_NOT_REPEATABLE = ("Embedding", "Flatten", "Masking", "Permute", "ReLU", "RepeatVector", "Reshape")
"""A second one would change nothing, or could never take what the first one gives."""


class RemoveBias(LayerOperator):
    """Take the bias from a layer that has one."""

    code = "WRB"
    name = "remove-bias"
    group = "weights"
    fault_type = "WRB"
    requires = ("layer with bias",)
    keys = ("use_bias",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer that uses its bias."""
        return bool(target.config[key])

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return false."""
        return False

    def examples(self) -> tuple[Example, ...]:
        """Take the output layer's bias."""
        slot = f"{LAYERS}/3/config/use_bias"
        return (Example(small_program(), slot, {}, (Change(slot, ABSENT, False),)),)


class FreezeLayer(LayerOperator):
    """Keep the weights of a layer as they were initialised."""

    code = "LFZ"
    name = "freeze-layer"
    group = "layers"
    fault_type = "LFZ"
    requires = ("trainable layer",)
    keys = ("trainable",)
    source = "faultloom; layers left frozen are a known fault of fine-tuned models"

    def legal(self, target: Target, key: str) -> bool:
        """Every trainable layer with weights; a frozen batch normalisation is BNF."""
        return (
            bool(target.config[key])
            and has_weights(target)
            and target.class_name != "BatchNormalization"
        )

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return false."""
        return False

    def examples(self) -> tuple[Example, ...]:
        """Freeze the hidden layer."""
        slot = f"{LAYERS}/1/config/trainable"
        return (Example(small_program(), slot, {}, (Change(slot, ABSENT, False),)),)


class RemoveLayer(LayerRemoval):
    """Leave out a layer that is neither dropout (LDP) nor batch normalisation (BNR)."""

    code = "LRM"
    name = "remove-layer"
    group = "layers"
    fault_type = "LRM"
    requires = ("two layers",)
    source = f"{TAXONOMY}; DeepMutation (Ma et al., ISSRE 2018), operator LR"

    def wanted(self, layer: Layer) -> bool:
        """All layers but those that have an operator of their own."""
        return "Dropout" not in layer.class_name and layer.class_name != "BatchNormalization"

    def examples(self) -> tuple[Example, ...]:
        """Leave out the hidden layer."""
        after = [
            input_layer(4),
            layer("Dropout", "dropout", rate=0.5),
            layer("Dense", "dense", units=3, activation="softmax"),
        ]
        return (Example(small_program(), f"{LAYERS}/1", {}, (_layers_become(after),)),)


class RemoveDropout(LayerRemoval):
    """Leave out a dropout layer."""

    code = "LDP"
    name = "remove-dropout"
    group = "layers"
    fault_type = "LDP"
    requires = ("dropout layer",)
    source = TAXONOMY

    def wanted(self, layer: Layer) -> bool:
        """Every layer of the dropout family."""
        return "Dropout" in layer.class_name

    def examples(self) -> tuple[Example, ...]:
        """Leave out the only one."""
        after = [
            input_layer(4),
            layer("Dense", "dense", units=8, activation="relu"),
            layer("Dense", "dense_1", units=3, activation="softmax"),
        ]
        return (Example(small_program(), f"{LAYERS}/2", {}, (_layers_become(after),)),)


class AddLayer(StructuralOperator):
    """Put a redundant layer behind a layer: a copy of it, dropout, tanh or batch normalisation."""

    code = "LAD"
    name = "add-layer"
    group = "layers"
    fault_type = "LAD"
    requires = ("layer with one output",)
    parameters = ("inserted",)
    source = f"{TAXONOMY}; DeepMutation (Ma et al., ISSRE 2018), operators LAs and LAm"

    def legal(self, document: Json, layer: Layer) -> bool:
        """Behind every layer that gives one tensor."""
        return extensible(document, layer.name)

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """A copy where it can do something, and each of the others."""
        at = program.layer(str(site.layer))
        repeatable = at.class_name not in _NOT_REPEATABLE and not at.class_name.startswith("Global")
        idle = at.class_name == "Activation" and at.config["activation"] in ("linear", "relu")
        if repeatable and not idle and unary(program.document(), at.name):
            yield {"inserted": "copy"}
        yield from ({"inserted": name} for name in _INSERTED)

    def rebuilt(self, document: Json, layer: Layer, parameters: Parameters) -> Rebuilt:
        """Put the layer in; of two equal layers either is the redundant one."""
        inserted = parameters["inserted"]
        copied = inserted == "copy"
        class_name = layer.class_name if copied else inserted
        config = entry_at(document, layer.name)["config"] if copied else _INSERTED[inserted]
        name = free_name(document, layer.name, class_name)
        document = with_behind(document, layer.name, class_name, {**config, "name": name})
        if copied:
            document = with_layer(
                document, layer.name, class_name, _giving_sequences(class_name, config)
            )
        added = beside(layer.name, name)
        return Rebuilt(document, added, None, (layer.name, added) if copied else (added,))

    def examples(self) -> tuple[Example, ...]:
        """Repeat the hidden layer; drop the outputs."""
        clean = get(small_program().document(), LAYERS)
        hidden = layer("Dense", "dense_1", units=8, activation="relu")
        output = layer("Dense", "dense_2", units=3, activation="softmax")
        copied = _layers_become([*clean[:2], hidden, clean[2], output])
        dropout = layer("Dropout", "dropout_1", rate=0.5)
        return (
            Example(small_program(), f"{LAYERS}/1", {"inserted": "copy"}, (copied,)),
            Example(
                small_program(),
                f"{LAYERS}/3",
                {"inserted": "Dropout"},
                (Change(f"{LAYERS}/4", ABSENT, dropout),),
            ),
        )


def _giving_sequences(class_name: str, config: dict[str, Json]) -> dict[str, Json]:
    """Let a recurrent layer give what a copy behind it takes; others stay as they are."""
    from ..datasets.canonical import effective_config

    if class_name == "Bidirectional":
        inner = {key: config[key] for key in ("layer", "backward_layer") if key in config}
        return config | {
            key: {**one, "config": _giving_sequences(one["class_name"], one["config"])}
            for key, one in inner.items()
        }
    sequences = "return_sequences" in effective_config(class_name, config)
    return config | {"return_sequences": True} if sequences else config


def _layers_become(after: list[Json]) -> Change:
    return Change(LAYERS, get(small_program().document(), LAYERS), after)


OPERATORS = (RemoveBias, FreezeLayer, RemoveLayer, RemoveDropout, AddLayer)
