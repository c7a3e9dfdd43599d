"""Wrong settings of embeddings."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change
from .base import Example, Parameters
from .cases import LAYERS, input_layer, layer, stack
from .layers import TAXONOMY
from .targets import LayerOperator, Target


class RemoveMask(LayerOperator):
    """Let padding be read as input: an embedding no longer masks zeros."""

    code = "RMK"
    name = "remove-mask"
    group = "embedding"
    fault_type = "RMK"
    requires = ("embedding that masks zeros",)
    keys = ("mask_zero",)
    source = "faultloom; padding that is not masked is a frequent question about Keras"

    def legal(self, target: Target, key: str) -> bool:
        """Every embedding that masks; a Masking layer is left out by LRM."""
        return bool(target.config[key])

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return false."""
        return False

    def examples(self) -> tuple[Example, ...]:
        """Read the zeros."""
        slot = f"{LAYERS}/1/config/mask_zero"
        return (Example(_text_program(), slot, {}, (Change(slot, True, ABSENT),)),)


class ShrinkVocabulary(LayerOperator):
    """Make an embedding one word too small, as when the index of the last word is its size."""

    code = "RVO"
    name = "shrink-vocabulary"
    group = "embedding"
    fault_type = "RVO"
    requires = ("embedding",)
    parameters = ("input_dim",)
    keys = ("input_dim",)
    source = f"{TAXONOMY}: wrong input size of a layer"

    def legal(self, target: Target, key: str) -> bool:
        """Every embedding of several words."""
        return target.class_name == "Embedding" and int(target.config[key]) > 1

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """One word less."""
        return ({"input_dim": int(target.config[key]) - 1},)

    def value(self, parameters: Parameters) -> Json:
        """Return the number of words."""
        return int(parameters["input_dim"])

    def examples(self) -> tuple[Example, ...]:
        """Forget the last word."""
        slot = f"{LAYERS}/1/config/input_dim"
        return (Example(_text_program(), slot, {"input_dim": 19}, (Change(slot, 20, 19),)),)


def _text_program() -> TrainingProgram:
    return stack(
        input_layer(7, dtype="int32"),
        layer("Embedding", "embedding", input_dim=20, output_dim=4, mask_zero=True),
        layer("LSTM", "lstm", units=4),
        layer("Dense", "dense", units=3, activation="softmax"),
    )


OPERATORS = (RemoveMask, ShrinkVocabulary)
