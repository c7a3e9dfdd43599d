"""Layers that have no effect, each as the rewriting that takes it away, with its proof.

Keras's losses look at how an output was computed, and outputs are known by the layer that gives
them. So the last layer stays, but for one of a Sequential model that returns its very input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from ..datasets.program import Json
from .graph import outputs_of, references
from .idle_rules import Rule, Span, with_layers
from .structure import without

_NONNEGATIVE = (
    "exponential",
    "hard_sigmoid",
    "relu",
    "relu6",
    "sigmoid",
    "softmax",
    "softplus",
)
_IDENTITY_ABOVE_ZERO = ("elu", "leaky_relu", "relu")
_RECTIFIERS = {
    "ELU": ("alpha", "name"),
    "LeakyReLU": ("name", "negative_slope"),
    "ReLU": ("name", "negative_slope"),
}
"""Layers that leave numbers above zero as they are, with the arguments that change no such one."""
_KEEPS_SIGN = (
    *("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
    *("Flatten", "Reshape", "Permute", "RepeatVector"),
    *(f"{kind}Pooling{n}D" for kind in ("Max", "Average") for n in (1, 2, 3)),
    *(f"Global{kind}Pooling{n}D" for kind in ("Max", "Average") for n in (1, 2, 3)),
)
_KEEPS_RANK = (
    *("Activation", "BatchNormalization", "Dense", "ELU", "LayerNormalization", "LeakyReLU"),
    *("Dropout", "GaussianDropout", "AlphaDropout", "GaussianNoise", "PReLU", "ReLU", "Softmax"),
)
_ENDS_WITH_ACTIVATION = (
    "Dense",
    *(f"Conv{n}D" for n in (1, 2, 3)),
    *(f"{kind}Conv{n}D" for kind in ("Depthwise", "Separable") for n in (1, 2)),
)
_RATES = ("AlphaDropout", "Dropout", "GaussianDropout", *(f"SpatialDropout{n}D" for n in (1, 2, 3)))


@dataclass(frozen=True)
class _Stack:
    """The outermost model of a program: its layers, and which layer feeds which."""

    model: Json

    @cached_property
    def layers(self) -> list[Json]:
        return list(self.model["config"]["layers"])

    @cached_property
    def sources(self) -> list[list[int]]:
        """Positions of the layers that each layer takes tensors from; twice if twice."""
        if self.model["class_name"] == "Sequential":
            return [[position - 1] if position else [] for position in range(len(self.layers))]
        return [
            [self._position(history) for node in e["inbound_nodes"] for history in references(node)]
            for e in self.layers
        ]

    @cached_property
    def outputs(self) -> list[int]:
        """Positions of the layers that give the model's outputs."""
        if self.model["class_name"] == "Sequential":
            return [len(self.layers) - 1]
        return [self._position(history) for history in outputs_of(self.model)]

    def _position(self, history: list[Json]) -> int:
        return next(i for i, e in enumerate(self.layers) if e["config"]["name"] == history[0])

    def source(self, position: int) -> int | None:
        """Return the one layer whose output a layer takes, in one call; None if there is none."""
        sources = self.sources[position]
        return sources[0] if len(sources) == 1 else None

    def feeds_only(self, position: int, other: int) -> bool:
        """Whether a layer's output goes to one call of one other layer and nowhere else."""
        takers = [i for i, sources in enumerate(self.sources) for one in sources if one == position]
        return takers == [other] and position not in self.outputs

    def back_through(self, position: int, kinds: tuple[str, ...]) -> Json | None:
        """Return the first layer in front of a layer that is none of some kinds."""
        found = self.source(position)
        while found is not None and self.layers[found]["class_name"] in kinds:
            found = self.source(found)
        return None if found is None else self.layers[found]


def zero_rate(stack: _Stack, position: int) -> bool:
    """Whether a layer is a dropout of rate zero or noise of no width.

    Proof: Keras returns the input itself unless the rate is above zero.
    """
    entry = stack.layers[position]
    if entry["class_name"] in _RATES:
        return bool(entry["config"]["rate"] == 0)
    return bool(entry["class_name"] == "GaussianNoise" and entry["config"]["stddev"] == 0)


def linear_activation(stack: _Stack, position: int) -> bool:
    """Whether a layer applies the linear function.

    Proof: it returns its input.
    """
    entry = stack.layers[position]
    return bool(entry["class_name"] == "Activation" and entry["config"]["activation"] == "linear")


def rectified_twice(stack: _Stack, position: int) -> bool:
    """Whether a layer is a rectifier of numbers that are not negative.

    Proof: it is the identity above zero. At zero its slope may be another one, but there nothing
    comes back through the layers before it either: relu and its kin are flat where they give
    zero, and exponential, sigmoid and softmax give zero by underflow only, where their slope, a
    multiple of what they give, is zero too; softplus's is below the smallest normal number.
    Dropout, reshaping and pooling of such numbers give zero only where all that they take is
    zero or dropped.
    """
    if not _is_rectifier(stack.layers[position]) or position in stack.outputs:
        return False
    before = stack.back_through(position, _KEEPS_SIGN)
    if before is None:
        return False
    if before["class_name"] in ("ReLU", "Softmax"):
        return set(before["config"]) <= {"name"}
    gives = before["config"].get("activation", "linear")
    return before["class_name"] in ("Activation", *_ENDS_WITH_ACTIVATION) and gives in _NONNEGATIVE


def _is_rectifier(entry: Mapping[str, Json]) -> bool:
    config = entry["config"]
    if entry["class_name"] == "Activation":
        return config["activation"] in _IDENTITY_ABOVE_ZERO
    return set(config) <= set(_RECTIFIERS.get(entry["class_name"], ()))


def flat_already(stack: _Stack, position: int) -> bool:
    """Whether a layer flattens rows that are one-dimensional.

    Proof: it reshapes them to the shape that they have. They are one-dimensional behind a global
    pooling, another Flatten and an input of that shape, and the layers between keep the rank.
    """
    if stack.layers[position]["class_name"] != "Flatten" or position in stack.outputs:
        return False
    before = stack.back_through(position, _KEEPS_RANK)
    if before is None:
        return False
    if before["class_name"] == "InputLayer":
        return len(before["config"]["batch_shape"]) == 2
    keeps = before["config"].get("keepdims", False)
    return before["class_name"] == "Flatten" or (
        before["class_name"].startswith("Global") and not keeps
    )


Idle = Callable[[_Stack, int], bool]


def _without_idle(idle: Idle, document: Json, span: Span) -> Json:
    """Take away, one after the other, the layers that are idle."""
    if document["weight_edits"]:
        return document  # they name layers
    while True:
        stack = _Stack(document["architecture"])
        place = next((p for p in span.positions(stack.layers) if _removable(idle, stack, p)), None)
        if place is None:
            return document
        document = _without(document, stack, place)


def _removable(idle: Idle, stack: _Stack, position: int) -> bool:
    config = stack.layers[position]["config"]
    more = "dtype" in config or "activity_regularizer" in config
    named = position in stack.outputs and stack.model["class_name"] != "Sequential"
    return not (more or named or stack.source(position) is None) and idle(stack, position)


def merged_activations(document: Json, span: Span) -> Json:
    """Let a linear layer apply the activation that a layer of its own applies behind it.

    Proof: Keras applies the activation argument to the result, last of all, which is what the
    layer behind would do. Only where nothing else takes the result, and it is not penalised.
    """
    if document["weight_edits"]:
        return document
    while True:
        stack = _Stack(document["architecture"])
        place = next((p for p in span.positions(stack.layers) if _mergeable(stack, p)), None)
        if place is None:
            return document
        before = stack.source(place)
        assert before is not None
        entry, applied = stack.layers[before], stack.layers[place]["config"]["activation"]
        layers = list(stack.layers)
        layers[before] = {**entry, "config": {**entry["config"], "activation": applied}}
        document = with_layers(document, layers)
        document = _without(document, _Stack(document["architecture"]), place)


def _mergeable(stack: _Stack, position: int) -> bool:
    entry, before = stack.layers[position], stack.source(position)
    if entry["class_name"] != "Activation" or before is None or position in stack.outputs:
        return False
    if entry["config"]["activation"] == "linear" or not set(entry["config"]) <= {
        "activation",
        "name",
    }:
        return False
    config = stack.layers[before]["config"]
    return (
        stack.layers[before]["class_name"] in _ENDS_WITH_ACTIVATION
        and config.get("activation", "linear") == "linear"
        and not {"activity_regularizer", "dtype"} & set(config)
        and stack.feeds_only(before, position)
    )


def _without(document: Json, stack: _Stack, position: int) -> Json:
    if stack.model["class_name"] == "Sequential":
        return with_layers(document, [e for i, e in enumerate(stack.layers) if i != position])
    return without(document, stack.layers[position]["config"]["name"])


def _rule(reason: str, idle: Idle) -> Rule:
    return Rule(reason, partial(_without_idle, idle))


LAYER_RULES = (
    _rule("a dropout of rate zero drops nothing", zero_rate),
    _rule("a linear activation changes nothing", linear_activation),
    Rule("the activation is applied once, within a layer or behind it", merged_activations),
    _rule("a rectifier changes no number that is not negative", rectified_twice),
    _rule("rows that are flat already are flattened", flat_already),
)
