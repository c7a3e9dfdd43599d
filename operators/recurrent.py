"""Wrong settings of recurrent layers."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.program import Json, TrainingProgram
from ..datasets.slots import ABSENT, Change
from .activations import ACTIVATIONS
from .base import Example, Parameters, Site
from .cases import LAYERS, input_layer, layer, stack
from .targets import LayerOperator, Target

STUDIES = "fault studies of recurrent networks: deepmufl (ASE 2023), DEFault; values our own"


class ChangeRecurrentActivation(LayerOperator):
    """Replace the activation of the gates of a recurrent layer."""

    code = "RRA"
    name = "change-recurrent-activation"
    group = "recurrent"
    fault_type = "RRA"
    requires = ("LSTM or GRU layer",)
    parameters = ("activation",)
    keys = ("recurrent_activation",)
    source = STUDIES

    def legal(self, target: Target, key: str) -> bool:
        """Every layer with gates."""
        return True

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """All functions that ACH knows, and none."""
        return ({"activation": name} for name in (*ACTIVATIONS, "linear"))

    def value(self, parameters: Parameters) -> Json:
        """Return the function's name."""
        return parameters["activation"]

    def examples(self) -> tuple[Example, ...]:
        """Let the gates be tanh."""
        slot = f"{LAYERS}/1/config/recurrent_activation"
        change = Change(slot, ABSENT, "tanh")
        return (Example(_series_program(), slot, {"activation": "tanh"}, (change,)),)


class _Toggle(LayerOperator):
    """An operator that turns a switch of a recurrent layer."""

    group = "recurrent"
    source = STUDIES

    def legal(self, target: Target, key: str) -> bool:
        """Every layer with the switch."""
        return True

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """The other position."""
        return ({key: not target.config[key]},)

    def value(self, parameters: Parameters) -> Json:
        """Return the position."""
        return bool(parameters[self.keys[0]])


class ToggleReturnSequences(_Toggle):
    """Let a recurrent layer give all its outputs instead of the last one, or the reverse."""

    code = "RRS"
    name = "toggle-return-sequences"
    fault_type = "RRS"
    requires = ("recurrent layer",)
    parameters = ("return_sequences",)
    keys = ("return_sequences",)

    def examples(self) -> tuple[Example, ...]:
        """Give all outputs."""
        slot = f"{LAYERS}/1/config/return_sequences"
        change = Change(slot, ABSENT, True)
        return (Example(_series_program(), slot, {"return_sequences": True}, (change,)),)


class ToggleGoBackwards(_Toggle):
    """Let a recurrent layer read its input in the other direction."""

    code = "RGB"
    name = "toggle-go-backwards"
    fault_type = "RGB"
    requires = ("recurrent layer that is not bidirectional",)
    parameters = ("go_backwards",)
    keys = ("go_backwards",)

    def legal(self, target: Target, key: str) -> bool:
        """Every layer of one direction; a Bidirectional layer needs both."""
        return target.layer.class_name != "Bidirectional"

    def examples(self) -> tuple[Example, ...]:
        """Read from the end."""
        slot = f"{LAYERS}/1/config/go_backwards"
        change = Change(slot, ABSENT, True)
        return (Example(_series_program(), slot, {"go_backwards": True}, (change,)),)


class ToggleStateful(_Toggle):
    """Carry the state of a recurrent layer from batch to batch, or forget it."""

    code = "RST"
    name = "toggle-stateful"
    fault_type = "RST"
    requires = ("recurrent layer", "input with a fixed batch size")
    parameters = ("stateful",)
    keys = ("stateful",)

    def sites(self, program: TrainingProgram) -> tuple[Site, ...]:
        """Return recurrent layers; Keras carries state only where the batch size is fixed."""
        inputs = [
            entry["config"]
            for entry in program.document()["architecture"]["config"]["layers"]
            if entry["class_name"] == "InputLayer"
        ]
        fixed = all(config["batch_shape"][0] is not None for config in inputs)
        return super().sites(program) if fixed else ()

    def examples(self) -> tuple[Example, ...]:
        """Carry the state over."""
        start = input_layer(5, 2)
        start["config"]["batch_shape"][0] = 8
        slot = f"{LAYERS}/1/config/stateful"
        change = Change(slot, ABSENT, True)
        return (Example(_series_program(start), slot, {"stateful": True}, (change,)),)


class ChangeGates(LayerOperator):
    """Start an LSTM without open forget gates, or reset a GRU before its product."""

    code = "RGA"
    name = "change-gates"
    group = "recurrent"
    fault_type = "RGA"
    requires = ("LSTM or GRU layer",)
    keys = ("unit_forget_bias", "reset_after")
    source = STUDIES

    def legal(self, target: Target, key: str) -> bool:
        """Every LSTM with a bias and every GRU, as Keras makes them by default."""
        needs_bias = key == "unit_forget_bias"
        return bool(target.config[key]) and (target.config["use_bias"] or not needs_bias)

    def points(self, target: Target, key: str) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def value(self, parameters: Parameters) -> Json:
        """Return false."""
        return False

    def examples(self) -> tuple[Example, ...]:
        """Start with half-closed gates."""
        slot = f"{LAYERS}/1/config/unit_forget_bias"
        return (Example(_series_program(), slot, {}, (Change(slot, ABSENT, False),)),)


def _series_program(start: Json = None) -> TrainingProgram:
    return stack(
        start or input_layer(5, 2),
        layer("LSTM", "lstm", units=4),
        layer("Dense", "dense", units=3, activation="softmax"),
    )


OPERATORS = (
    ChangeRecurrentActivation,
    ToggleReturnSequences,
    ToggleGoBackwards,
    ToggleStateful,
    ChangeGates,
)
