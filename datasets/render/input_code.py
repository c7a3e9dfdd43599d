"""Transforms that change input values, as code."""

from __future__ import annotations

from collections.abc import Mapping

from ..program import Json
from .snippets import TransformCode, drawn, share
from .training import RowNames

STORED = "stored_{}"
"""What a script calls the training rows as they were loaded, for transforms that need them."""

# The rules of `transforms.normalization.visible`; float64 as there, so that the bits are the same.
_VISIBLE = """\
def standard(mean, width):
    return np.median(np.abs(mean)) < 0.1 and np.median(np.abs(width - 1)) < 0.1


seen, offset, scale = {seen}, None, None
low, high = float(seen.min()), float(seen.max())
if seen.dtype.kind == "f" and low < high:
    columns = seen.reshape(-1, seen.shape[-1])
    mean, width = columns.mean(0, dtype="float64"), columns.std(0, dtype="float64")
    varying = width > 0
    if low >= -1 and high <= 1:
        offset, scale = (0.0, 255.0) if low >= 0 else (127.5, 127.5)
    elif (
        2 <= seen.ndim <= 3
        and len(width) > 1
        and varying.any()
        and standard(mean[varying], width[varying])
    ):
        scale = np.resize((1.0, 10.0, 100.0, 1000.0), len(width))
        offset = 3.0 * scale
    elif standard(seen.mean(dtype="float64"), seen.std(dtype="float64")):
        scale = 255.0 / (high - low)
        offset = -low * scale
    offset, scale = (None, None) if scale is None else (np.array(offset), np.array(scale))"""

_ORDERS = {
    "reversed": "{x}[..., ::-1]",
    "rotated": "np.roll({x}, 1, axis=-1)",
    "transposed": "np.swapaxes({x}, 1, 2)",
}


def add_noise(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Add noise in proportion to the spread of a row to a share of the rows."""
    x = names[role].x[0]
    return f"""\
chosen = {drawn(f"np.arange(len({x}))", parameters)}
part = {x}[chosen].astype("float64")
width = part.std(axis=tuple(range(1, {x}.ndim)), keepdims=True)
noisy = part + rng.normal(0.0, 1.0, part.shape) * width * ({share(parameters)})
if {x}.dtype.kind != "f":
    noisy = np.clip(np.rint(noisy), {x}.min(), {x}.max())
{x} = {x}.copy()
{x}[chosen] = noisy.astype({x}.dtype)"""


def scale_inputs(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Multiply an input by a factor."""
    x = names[role].x[int(parameters["input"])]
    return f"{_real(x)}\n{x} = {x} * {x}.dtype.type({parameters['factor']})"


def permute_features(
    parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]
) -> str:
    """Put the features of an input in another order."""
    x = names[role].x[int(parameters["input"])]
    return f"{x} = np.ascontiguousarray({_ORDERS[parameters['order']].format(x=x)})"


def standardize_inputs(
    parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]
) -> str:
    """Bring an input to mean 0 and standard deviation 1 along an axis."""
    position = int(parameters["input"])
    x, by_row = names[role].x[position], parameters["axis"] == "rows"
    over, stored = x, ""
    if not by_row and parameters["statistics"] != "own":
        over = "over"
        stored = f"over = {STORED.format(names['train'].x[position])}\n{_real('over')}\n"
    axes = f"tuple(range(1, {x}.ndim))" if by_row else "(0,)"
    return f"""\
{_real(x)}
{stored}axes = {axes}
mean = {over}.mean(axis=axes, keepdims=True, dtype="float64")
width = {over}.std(axis=axes, keepdims=True, dtype="float64")
{x} = (({x} - mean) / np.where(width > 0, width, 1.0)).astype({x}.dtype)"""


def renormalize_inputs(
    parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]
) -> str:
    """Take the normalisation that the training rows show back, or apply it once more."""
    position = int(parameters["input"])
    x, seen = names[role].x[position], STORED.format(names["train"].x[position])
    undo, again = f"{x} * scale + offset", f"({x} - offset) / scale"
    return f"""\
{_VISIBLE.format(seen=seen)}
if scale is not None:
    {_real(x)}
    {x} = ({undo if parameters["direction"] == "undo" else again}).astype({x}.dtype)"""


def _real(x: str) -> str:
    return f'{x} = {x} if {x}.dtype.kind == "f" else {x}.astype("float32")'


INPUT_CODE: dict[str, TransformCode] = {
    "add_noise": add_noise,
    "permute_features": permute_features,
    "renormalize_inputs": renormalize_inputs,
    "scale_inputs": scale_inputs,
    "standardize_inputs": standardize_inputs,
}
"""What renders each of these transforms, by name."""
