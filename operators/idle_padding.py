"""Padding that adds nothing, as the rewriting that drops it, with its proof."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..datasets.program import Json
from .idle_rules import Rule, Span, with_layers

_SLIDES = re.compile(r"(Depthwise|Separable)?Conv[123]D|(Max|Average)Pooling[123]D")
_KEEPS_SIZE = re.compile(
    r"Activation|BatchNormalization|Dropout|ELU|(Gaussian|Alpha|Spatial)Dropout.*|GaussianNoise"
    r"|InputLayer|LayerNormalization|LeakyReLU|PReLU|ReLU|Softmax"
)

Sizes = list[int | None]


def idle_padding(document: Json, span: Span) -> Json:
    """Drop the padding of convolutions and pools where there is nothing to pad.

    Proof: with windows of k numbers (dilated, as wide as they reach), s apart, over n numbers,
    ``same`` gives ceil(n / s) results and pads max(0, (ceil(n / s) - 1) s + k - n) numbers.
    Where that is zero, these are the windows that lie within the n numbers, as without padding;
    so for k = 1 always, also for ``causal``. n is followed from the input of a Sequential model
    through layers that slide or keep the size.
    """
    model = document["architecture"]
    layers = model["config"]["layers"]
    wanted = set(span.positions(layers))
    if not any(_padded(layers[position]) for position in wanted):
        return document
    new: list[Json] = []
    sizes = _input_sizes(layers) if model["class_name"] == "Sequential" else None
    for position, entry in enumerate(layers):
        if position in wanted and _padded(entry) and _pads_nothing(entry, sizes):
            config = {key: item for key, item in entry["config"].items() if key != "padding"}
            entry = {**entry, "config": config}
        new.append(entry)
        sizes = _sizes_behind(entry, sizes)
    return with_layers(document, new)


def _padded(entry: Json) -> bool:
    slides = _SLIDES.fullmatch(entry["class_name"])
    return slides is not None and entry["config"].get("padding") in ("same", "causal")


def _input_sizes(layers: list[Json]) -> Sizes | None:
    shape = layers[0]["config"].get("batch_shape")
    return shape[1:-1] if shape else None


def _pads_nothing(entry: Json, sizes: Sizes | None) -> bool:
    config = _full(entry)
    windows, steps = _windows(config)
    if all(width == 1 for width in windows):
        return True
    if sizes is None or len(sizes) != len(windows) or config["padding"] != "same":
        return False
    return all(
        size is not None and (-(-size // step) - 1) * step + width <= size
        for size, width, step in zip(sizes, windows, steps, strict=True)
    )


def _sizes_behind(entry: Json, sizes: Sizes | None) -> Sizes | None:
    if sizes is None or _KEEPS_SIZE.fullmatch(entry["class_name"]):
        return sizes
    if not _SLIDES.fullmatch(entry["class_name"]):
        return None
    config = _full(entry)
    windows, steps = _windows(config)
    if config["data_format"] != "channels_last" or len(sizes) != len(windows):
        return None
    inside = config["padding"] == "valid"
    return [
        None if size is None else (size - width) // step + 1 if inside else -(-size // step)
        for size, width, step in zip(sizes, windows, steps, strict=True)
    ]


def _windows(config: Mapping[str, Json]) -> tuple[list[int], list[int]]:
    """Return how wide windows reach and how far they are apart, for each axis."""
    size = config.get("kernel_size", config.get("pool_size"))
    size = size if isinstance(size, list) else [size]
    step = config["strides"] or size
    gap = config.get("dilation_rate") or 1
    steps, gaps = (v if isinstance(v, list) else [v] * len(size) for v in (step, gap))
    widths = [(width - 1) * gap + 1 for width, gap in zip(size, gaps, strict=True)]
    return widths, steps


def _full(entry: Json) -> dict[str, Json]:
    from ..datasets.canonical import effective_config

    return effective_config(entry["class_name"], entry["config"])


PADDING_RULE = Rule("there is nothing to pad", idle_padding)
