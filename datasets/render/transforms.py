"""Data transforms as plain NumPy code: the same rows from the same random numbers.

A new transform needs one function here that returns its statements, and a line in
`TRANSFORM_CODE`. The statements may use `rng`, the transform's random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ..errors import SubjectError
from ..program import Json, content_hash
from .code import Block, joined, plain
from .training import RowNames

_Code = TypeVar("_Code")

TransformCode = Callable[[Mapping[str, Json], str, Mapping[str, RowNames]], str]
"""Takes the parameters, the role to transform and the variables of every role."""


def transforming(document: Json, names: Mapping[str, RowNames]) -> Block:
    """Return the statements that transform the rows of every role, in the program's order.

    Raises:
        SubjectError: a transform has no rendering.
    """
    blocks = []
    for position, transform in enumerate(document["transforms"]):
        code = code_of(transform["name"], TRANSFORM_CODE, "transform")
        for role in names:
            if role in transform["roles"]:
                text = seeded(code(transform["parameters"], role, names), transform)
                blocks += [plain(""), plain(text, f"/transforms/{position}")]
    return joined(blocks)


def seeded(text: str, entry: Mapping[str, Json]) -> str:
    """Put the statement that makes the random numbers before code that draws some.

    Args:
        text: statements.
        entry: transform or weight edit; its content names its stream.
    """
    return f'rng = generator("{content_hash(entry)}")\n{text}' if "rng" in text else text


def code_of(name: str, known: Mapping[str, _Code], what: str) -> _Code:
    """Return what renders a transform or weight edit.

    Raises:
        SubjectError: nothing does.
    """
    if name not in known:
        raise SubjectError(
            f"{what} {name}: it has no rendering as code; "
            f"expected one of {', '.join(sorted(known))}"
        )
    return known[name]


def change_labels(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Relabel a share of the most frequent class, or add noise to the targets."""
    y, share = names[role].y[0], f"{parameters['percentage']} / 100"
    if _task(parameters) == "regression":
        return f"""\
noise = rng.normal(0.0, float(np.std({y})) * ({share}), {y}.shape)
{y} = ({y} + noise).astype({y}.dtype if {y}.dtype.kind == "f" else "float32")"""
    return f"""\
kinds, labels = np.unique({y}, axis=0, return_inverse=True)
labels = labels.reshape(-1)
frequent = np.bincount(labels).argmax()
members = np.flatnonzero(labels == frequent)
others = np.flatnonzero(np.arange(len(kinds)) != frequent)
if len(others):
    chosen = np.sort(rng.permutation(members)[: round({share} * len(members))])
    {y} = {y}.copy()
    {y}[chosen] = kinds[rng.choice(others, len(chosen))]"""


def delete_rows(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Delete a share of every class, or of every bucket of targets."""
    rows, share = names[role], f"{parameters['percentage']} / 100"
    y, listed = rows.y[0], ", ".join(rows.all())
    kept = ", ".join(f"{name}[kept]" for name in rows.all())
    if _task(parameters) == "regression":
        strata = f"""\
targets = {y}.reshape(len({y}), -1)[:, :2].astype("float64")
centred, width = targets - targets.mean(axis=0), targets.std(axis=0)
levels = np.where(centred > width, 2, np.where(centred < -width, 0, 1))
labels = (levels * 3 ** np.arange(targets.shape[1])).sum(axis=1)"""
    else:
        strata = f"""\
labels = np.unique({y}, axis=0, return_inverse=True)[1].reshape(-1)"""
    return f"""\
{strata}
deleted = np.zeros(len({y}), bool)
for label in np.unique(labels):
    members = np.flatnonzero(labels == label)
    number = min(round({share} * len(members)), len(members) - 1)
    deleted[rng.permutation(members)[:number]] = True
kept = np.flatnonzero(~deleted)
{listed} = {kept}"""


def _task(parameters: Mapping[str, Json]) -> str:
    """Return the task that a transform names; a script does not guess it from labels."""
    task = parameters.get("task")
    if task not in ("classification", "regression"):
        raise SubjectError(
            f"transform task: expected classification or regression; received {task!r}"
        )
    return str(task)


TRANSFORM_CODE: dict[str, TransformCode] = {
    "change_labels": change_labels,
    "delete_rows": delete_rows,
}
"""What renders each transform, by name."""
