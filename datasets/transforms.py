"""What data mutations do to the rows of a role: named, seeded, pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from .arrays import Array, Rows
from .errors import SubjectError
from .program import Json

Task = Literal["classification", "regression"]


@dataclass(frozen=True)
class TransformResult:
    """Rows after a transform.

    Args:
        rows: as many rows as before, some with other values.
        index: the rows that stay, in order, or None for all; deletion is told by an index so
            that arrays keep their shapes.
        touched: sorted positions of the rows that were changed or deleted.
    """

    rows: Rows
    index: Array | None
    touched: Array

    def materialized(self) -> Rows:
        """Return the rows that stay."""
        return self.rows if self.index is None else self.rows.take(self.index)


Seeded = Callable[[], np.random.Generator]
"""Makes the generator of one transform; a transform that draws nothing never calls it."""

Transform = Callable[[Rows, Mapping[str, Json], Seeded, Task], TransformResult]


def task_of(document: Mapping[str, Json]) -> Task:
    """Whether a program learns classes or numbers, by its loss, else by its metrics."""
    if any(word in _words(document["loss"]) for word in ("crossentropy", "hinge", "divergence")):
        return "classification"
    signs = ("acc", "auc", "precision", "recall")
    metrics = _words(document["metrics"])
    return "classification" if any(sign in metrics for sign in signs) else "regression"


def task_of_labels(labels: Array) -> Task:
    """Guess the task from labels: integers, truth values, zeros and ones are classes."""
    discrete = labels.dtype.kind in "biuSU" or bool(np.isin(labels, (0, 1)).all())
    return "classification" if discrete else "regression"


def apply_transforms(
    rows: Rows,
    transforms: Iterable[Mapping[str, Json]],
    role: str,
    seed_for: Callable[[int], np.random.Generator],
) -> TransformResult:
    """Apply a program's transforms to the rows of one role.

    A later transform sees only the rows that the earlier ones left.

    Args:
        rows: of the role; never changed, and may be read-only.
        transforms: as in the program.
        role: train, validation or test; transforms for other roles are skipped.
        seed_for: makes the generator of the transform at a position in the program; called
            only for transforms that draw random numbers.

    Raises:
        SubjectError: a transform is not known.
    """
    index: Array | None = None
    touched = np.zeros(len(rows), bool)
    for position, transform in enumerate(transforms):
        if role not in transform["roles"]:
            continue
        parameters = transform["parameters"]
        here = np.arange(len(rows)) if index is None else index
        view = rows if index is None else rows.take(index)
        task = parameters.get("task") or task_of_labels(view.y[0])
        result = _named(transform["name"])(view, parameters, partial(seed_for, position), task)
        touched[here[result.touched]] = True
        if result.rows is not view:
            rows = result.rows if index is None else _put(rows, index, result.rows)
        if result.index is not None:
            index = here[result.index]
    return TransformResult(rows, index, np.flatnonzero(touched))


def change_labels(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Relabel a percentage of the most frequent class, each row to any other label alike.

    Labels are the distinct rows of the first output, so integers, one-hot vectors and truth
    values are one case. In regression every target gets N(0, std * percentage / 100).
    """
    labels, share, rng = rows.y[0], float(parameters["percentage"]) / 100, seeded()
    if task == "regression":
        noise = rng.normal(0.0, float(np.std(labels)) * share, labels.shape)
        kind = labels.dtype if labels.dtype.kind == "f" else np.dtype("float32")
        return TransformResult(
            _with_labels(rows, (labels + noise).astype(kind)), None, np.arange(len(rows))
        )
    kinds, ids = _classes(labels)
    counts = np.bincount(ids, minlength=len(kinds))
    frequent = int(counts.argmax())
    if len(kinds) == 1:
        return TransformResult(rows, None, np.arange(0))
    members = np.flatnonzero(ids == frequent)
    chosen = np.sort(rng.permutation(members)[: round(share * len(members))])
    others = np.flatnonzero(np.arange(len(kinds)) != frequent)
    changed = labels.copy()
    changed[chosen] = kinds[rng.choice(others, len(chosen))]
    return TransformResult(_with_labels(rows, changed), None, chosen)


def delete_rows(
    rows: Rows, parameters: Mapping[str, Json], seeded: Seeded, task: Task
) -> TransformResult:
    """Delete a percentage of every class, or of every bucket of targets; one row of each stays."""
    share, rng = float(parameters["percentage"]) / 100, seeded()
    ids = _buckets(rows.y[0]) if task == "regression" else _classes(rows.y[0])[1]
    deleted = np.zeros(len(rows), bool)
    for stratum in np.unique(ids):
        members = np.flatnonzero(ids == stratum)
        number = min(round(share * len(members)), len(members) - 1)
        deleted[rng.permutation(members)[:number]] = True
    return TransformResult(rows, np.flatnonzero(~deleted), np.flatnonzero(deleted))


TRANSFORMS: dict[str, Transform] = {"change_labels": change_labels, "delete_rows": delete_rows}
"""All transforms by name."""


def _named(name: str) -> Transform:
    if name not in TRANSFORMS:
        raise SubjectError(f"transform {name}: expected one of {', '.join(sorted(TRANSFORMS))}")
    return TRANSFORMS[name]


def _words(value: Json) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_words(item) for item in value)
    return str(value["class_name"] if isinstance(value, Mapping) else value).lower()


def _classes(labels: Array) -> tuple[Array, Array]:
    """Distinct labels, in order, and which of them each row has."""
    if labels.ndim == 1:
        kinds, ids = np.unique(labels, return_inverse=True)
    else:
        kinds, ids = np.unique(labels, axis=0, return_inverse=True)
    return kinds, ids.reshape(-1)


def _buckets(targets: Array) -> Array:
    """Three buckets around the mean for each of the first two target values."""
    flat = targets.reshape(len(targets), -1)[:, :2].astype("float64")
    centred, width = flat - flat.mean(axis=0), flat.std(axis=0)
    levels = np.where(centred > width, 2, np.where(centred < -width, 0, 1))
    ids: Array = (levels * 3 ** np.arange(flat.shape[1])).sum(axis=1)
    return ids


def _with_labels(rows: Rows, labels: Array) -> Rows:
    return replace(rows, y=(labels, *rows.y[1:]))


def _put(rows: Rows, index: Array, new: Rows) -> Rows:
    """Write the rows of a subset back to their places in copies of the arrays."""

    def merged(old: Array, part: Array) -> Array:
        whole = old.astype(part.dtype)
        whole[index] = part
        return whole

    weight = new.sample_weight
    if rows.sample_weight is not None and weight is not None:
        weight = merged(rows.sample_weight, weight)
    return Rows(tuple(map(merged, rows.x, new.x)), tuple(map(merged, rows.y, new.y)), weight)
