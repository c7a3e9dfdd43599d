"""Parts of transforms as code that several transforms share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import SubjectError
from ..program import Json
from .training import RowNames

TransformCode = Callable[[Mapping[str, Json], str, Mapping[str, RowNames]], str]
"""Takes the parameters, the role to transform and the variables of every role."""

GROUPS = """\
names, counts = np.unique(ids, return_counts=True)
order = np.argsort(-counts, kind="stable")
groups = [np.flatnonzero(ids == name) for name in names[order]]"""
"""Makes `groups`, the positions of each stratum's rows, the largest first, of `ids`."""


def classes(y: str) -> str:
    """Return statements that make `kinds`, the distinct labels, and `ids`, the label of a row."""
    return f"""\
kinds, ids = np.unique({y}, axis=0, return_inverse=True)
ids = ids.reshape(-1)"""


def strata(y: str, parameters: Mapping[str, Json]) -> str:
    """Return statements that make `ids`, the class of each row, or the bucket of its target.

    Raises:
        SubjectError: the parameters do not say which; a script does not guess it from labels.
    """
    task = parameters.get("task")
    if task == "classification":
        return f"ids = np.unique({y}, axis=0, return_inverse=True)[1].reshape(-1)"
    if task == "regression":
        return f"""\
targets = {y}.reshape(len({y}), -1)[:, :2].astype("float64")
centred, width = targets - targets.mean(axis=0), targets.std(axis=0)
levels = np.where(centred > width, 2, np.where(centred < -width, 0, 1))
ids = (levels * 3 ** np.arange(targets.shape[1])).sum(axis=1)"""
    raise SubjectError(f"transform task: expected classification or regression; received {task!r}")


def share(parameters: Mapping[str, Json]) -> str:
    """Return the share of rows that a transform is about."""
    return f"{parameters['percentage']} / 100"


def drawn(members: str, parameters: Mapping[str, Json]) -> str:
    """Return an expression that draws a share of some positions and sorts them."""
    return f"np.sort(rng.permutation({members})[: round({share(parameters)} * len({members}))])"


def taken(rows: RowNames, index: str) -> str:
    """Return the statement that keeps the rows at some positions."""
    parts = ", ".join(f"{name}[{index}]" for name in rows.all())
    return f"{', '.join(rows.all())} = {parts}"
