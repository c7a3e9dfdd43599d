"""Transforms that change labels, as code."""

from __future__ import annotations

from collections.abc import Mapping

from ..program import Json
from .snippets import GROUPS, TransformCode, classes, drawn, share, strata
from .training import RowNames

_NEAREST = """
    flat = {x}.reshape(len({x}), -1).astype("float64")
    means = np.array([flat[ids == number].mean(axis=0) for number in range(len(kinds))])
    squares = (means**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * means @ means.T
    distances[np.tril_indices(len(means))] = np.inf
    nearest = np.unravel_index(distances.argmin(), distances.shape)
    one, other = (np.flatnonzero(ids == number) for number in nearest)"""

_ONE_HOT = """\
one_hot = {y}.ndim > 1 and {y}.shape[-1] > 1 and np.isin({y}, (0, 1)).all()
if one_hot and ({y}.sum(axis=-1) == 1).all():
"""


def change_labels(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Relabel a share of the most frequent class, or add noise to the targets."""
    y = names[role].y[0]
    # Refuses parameters that name no task.
    strata(y, parameters)
    if parameters["task"] == "regression":
        return f"""\
noise = rng.normal(0.0, float(np.std({y})) * ({share(parameters)}), {y}.shape)
{y} = ({y} + noise).astype({y}.dtype if {y}.dtype.kind == "f" else "float32")"""
    return f"""\
{classes(y)}
frequent = np.bincount(ids).argmax()
members = np.flatnonzero(ids == frequent)
others = np.flatnonzero(np.arange(len(kinds)) != frequent)
if len(others):
    chosen = {drawn("members", parameters)}
    {y} = {y}.copy()
    {y}[chosen] = kinds[rng.choice(others, len(chosen))]"""


def confuse_classes(
    parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]
) -> str:
    """Give a share of each of two classes the label of the other one."""
    x, y = names[role].x[0], names[role].y[0]
    nearest = _NEAREST.format(x=x) if parameters["pair"] == "nearest" else ""
    return f"""\
{classes(y)}
{GROUPS}
if len(groups) > 1:
    one, other = groups[:2]{nearest}
    {y} = {y}.copy()
    for members, label in ((one, kinds[ids[other[0]]]), (other, kinds[ids[one[0]]])):
        {y}[{drawn("members", parameters)}] = label"""


def shuffle_labels(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Shuffle the labels of a share of the rows among these rows."""
    labels = names[role].y
    moved = ", ".join(f"{name}[source]" for name in labels)
    return f"""\
source = np.arange(len({labels[0]}))
chosen = {drawn("source", parameters)}
source[chosen] = rng.permutation(chosen)
{", ".join(labels)} = {moved}"""


def shift_labels(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Add one to the number of each row's class, or take one off."""
    y, shift = names[role].y[0], int(parameters["shift"])
    rolled = f"    {y} = np.roll({y}, {shift}, axis=-1)"
    if parameters["wrap"]:
        return f"""\
{_ONE_HOT.format(y=y)}{rolled}
else:
    kinds, numbers = np.unique({y}, return_inverse=True)
    {y} = kinds[(numbers.reshape({y}.shape) + {shift}) % len(kinds)]"""
    return f"""\
{_ONE_HOT.format(y=y)}{rolled}
    {y}[..., {0 if shift > 0 else -1}] = 0
else:
    kind = {y}.dtype if {y}.dtype.kind == "f" else np.dtype("int64")
    {y} = {y}.astype(kind) + kind.type({shift})"""


def recode_labels(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Make class numbers of one-hot labels, and one-hot vectors of all other labels."""
    y = names[role].y[0]
    return f"""\
{_ONE_HOT.format(y=y)}    {y} = {y}.argmax(axis=-1)
else:
    flat = {y}[..., 0] if {y}.ndim > 1 and {y}.shape[-1] == 1 else {y}
    if flat.dtype.kind in "biuf" and (flat >= 0).all() and (flat % 1 == 0).all():
        numbers = flat.astype("int64")
    else:
        numbers = np.unique(flat, return_inverse=True)[1].reshape(flat.shape)
    {y} = np.eye(numbers.max() + 1, dtype="float32")[numbers]"""


LABEL_CODE: dict[str, TransformCode] = {
    "change_labels": change_labels,
    "confuse_classes": confuse_classes,
    "recode_labels": recode_labels,
    "shift_labels": shift_labels,
    "shuffle_labels": shuffle_labels,
}
"""What renders each of these transforms, by name."""
