"""Layers of a wrong type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..datasets.program import Json, Layer, TrainingProgram
from ..datasets.slots import Change
from .base import Example, Parameters, Site
from .cases import LAYERS, input_layer, layer, stack
from .layers import TAXONOMY
from .structural import Rebuilt, StructuralOperator
from .structure import beside, free_name, with_layer

_FAMILIES = (
    ("LSTM", "GRU", "SimpleRNN"),
    *((f"MaxPooling{n}D", f"AveragePooling{n}D") for n in (1, 2, 3)),
    *((f"GlobalMaxPooling{n}D", f"GlobalAveragePooling{n}D") for n in (1, 2, 3)),
    *((f"Conv{n}D", f"SeparableConv{n}D") for n in (1, 2)),
)
_ALWAYS_WRITTEN = ("filters", "kernel_size", "name", "pool_size", "units")
"""Arguments that some types demand and others have a default for."""


class ChangeLayerType(StructuralOperator):
    """Exchange a layer for a related one: a recurrent, a pooling or a convolutional layer."""

    code = "LWS"
    name = "change-layer-type"
    group = "layers"
    fault_type = "LWS"
    requires = ("recurrent, pooling or convolutional layer",)
    parameters = ("class_name",)
    source = f"{TAXONOMY}; Deep4ge, operator LCT"

    def legal(self, document: Json, layer: Layer) -> bool:
        """Every layer of a family, in a Bidirectional or TimeDistributed layer too."""
        return bool(_relatives(layer))

    def candidates(self, program: TrainingProgram, site: Site) -> Iterable[Parameters]:
        """Every other member of the family."""
        names = _relatives(program.layer(str(site.layer)))
        return ({"class_name": name} for name in names)

    def rebuilt(self, document: Json, layer: Layer, parameters: Parameters) -> Rebuilt:
        """Keep the settings that both types have."""
        new = parameters["class_name"]
        if "layer" in layer.config:
            config = dict(layer.config)
            for key in ("layer", "backward_layer"):
                if key in config:
                    config[key] = _exchanged(config[key], new)
            return _result(document, layer, layer.class_name, config)
        config = _settings(layer.class_name, layer.config, new)
        old = layer.name.rpartition("/")[2]
        if _automatic(layer.class_name, old):
            config["name"] = free_name(document, layer.name, new)
        return _result(document, layer, new, config)

    def examples(self) -> tuple[Example, ...]:
        """Make a convolution separable; its initializer is that of both of its kernels."""
        zeros = {"class_name": "Zeros", "config": {}}
        size: dict[str, Json] = {"filters": 4, "kernel_size": [3, 3]}
        end = [layer("Flatten", "flatten"), layer("Dense", "dense", units=3)]
        conv = layer("Conv2D", "conv2d", kernel_initializer=zeros, **size)
        separable = layer(
            "SeparableConv2D",
            "separable_conv2d",
            depthwise_initializer=zeros,
            pointwise_initializer=zeros,
            **size,
        )
        program = stack(input_layer(8, 8, 1), conv, *end)
        slot = f"{LAYERS}/1"
        parameters = {"class_name": "SeparableConv2D"}
        return (Example(program, slot, parameters, (Change(slot, conv, separable),)),)


def _relatives(layer: Layer) -> tuple[str, ...]:
    wrapped = layer.config.get("layer")
    name = layer.class_name if wrapped is None else wrapped["class_name"]
    return tuple(
        other for family in _FAMILIES if name in family for other in family if other != name
    )


def _result(document: Json, layer: Layer, class_name: str, config: Mapping[str, Json]) -> Rebuilt:
    now = beside(layer.name, config["name"])
    document = with_layer(document, layer.name, class_name, config)
    return Rebuilt(document, now, layer.name, (now,))


def _exchanged(entry: Mapping[str, Json], new: str) -> dict[str, Json]:
    from ..datasets.automatic_names import snake

    config = _settings(entry["class_name"], entry["config"], new)
    prefix = re.match("(forward_|backward_)?", config["name"])[0]  # type: ignore[index]
    if _automatic(entry["class_name"], config["name"].removeprefix(prefix)):
        config["name"] = prefix + snake(new)
    return {**entry, "class_name": new, "config": config}


def _automatic(class_name: str, name: str) -> bool:
    from ..datasets.automatic_names import is_automatic

    return is_automatic(class_name, name)


def _settings(old: str, config: Mapping[str, Json], new: str) -> dict[str, Json]:
    from ..datasets.canonical import effective_config

    known = {*effective_config(new, {}), *_ALWAYS_WRITTEN}
    full = effective_config(old, config)
    written = {key: full[key] for key in full if key in config or key in _ALWAYS_WRITTEN}
    kept: dict[str, Json] = {}
    for key, value in written.items():
        part, _, setting = key.partition("_")
        if new.startswith("Separable") and part == "kernel" and setting != "size":
            kept |= {f"depthwise_{setting}": value, f"pointwise_{setting}": value}
        elif old.startswith("Separable") and part == "pointwise":
            kept[f"kernel_{setting}"] = value
        else:
            kept[key] = value
    return {key: value for key, value in kept.items() if key in known}


OPERATORS = (ChangeLayerType,)
