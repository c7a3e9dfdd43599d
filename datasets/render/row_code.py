"""Transforms that delete, repeat, reorder or add rows, as code."""

from __future__ import annotations

from collections.abc import Mapping

from ..program import Json
from .snippets import GROUPS, TransformCode, classes, drawn, share, strata, taken
from .training import RowNames


def delete_rows(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Delete a share of every class, or of every bucket of targets."""
    y = names[role].y[0]
    return f"""\
{strata(y, parameters)}
deleted = np.zeros(len({y}), bool)
for stratum in np.unique(ids):
    members = np.flatnonzero(ids == stratum)
    number = min(round({share(parameters)} * len(members)), len(members) - 1)
    deleted[rng.permutation(members)[:number]] = True
{taken(names[role], "~deleted")}"""


def unbalance_rows(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Delete a share of every class with fewer rows than the mean."""
    y = names[role].y[0]
    return f"""\
{strata(y, parameters)}
{GROUPS}
deleted = np.zeros(len({y}), bool)
for members in groups:
    if len(members) < len({y}) / len(groups):
        deleted[{drawn("members", parameters)}] = True
{taken(names[role], "~deleted")}"""


def delete_class(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Delete a share of the class with most or fewest rows."""
    y, which = names[role].y[0], 0 if parameters["which"] == "most_frequent" else -1
    return f"""\
{strata(y, parameters)}
{GROUPS}
deleted = np.zeros(len({y}), bool)
chosen = {drawn(f"groups[{which}]", parameters)}
deleted[chosen[: len({y}) - 1]] = True
{taken(names[role], "~deleted")}"""


def truncate_rows(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Cut a share of the rows off at the end."""
    y = names[role].y[0]
    return f"""\
stay = max(1, len({y}) - round({share(parameters)} * len({y})))
{taken(names[role], ":stay")}"""


def repeat_rows(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Repeat a share of the rows, or of the most frequent class, after all others."""
    y = names[role].y[0]
    if parameters["which"] == "most_frequent":
        members = f"{strata(y, parameters)}\n{GROUPS}\nmembers = groups[0]"
    else:
        members = f"members = np.arange(len({y}))"
    return f"""\
{members}
number = round({share(parameters)} * len(members))
again = np.sort(np.resize(rng.permutation(members), number))
kept = np.concatenate([np.arange(len({y})), again])
{taken(names[role], "kept")}"""


def sort_rows(parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]) -> str:
    """Sort the rows by their labels."""
    return f"""\
{classes(names[role].y[0])}
order = np.argsort(ids, kind="stable")
{taken(names[role], "order")}"""


def overlap_classes(
    parameters: Mapping[str, Json], role: str, names: Mapping[str, RowNames]
) -> str:
    """Add copies of rows of the most frequent class under the label of the second one."""
    y = names[role].y[0]
    lines = [
        f"    {name} = np.concatenate([{name}, {name}[{'labelled' if name == y else 'chosen'}]])"
        for name in names[role].all()
    ]
    copied = "\n".join(lines)
    return f"""\
{strata(y, parameters)}
{GROUPS}
if len(groups) > 1:
    chosen = {drawn("groups[0]", parameters)}
    labelled = np.resize(groups[1], len(chosen))
{copied}"""


ROW_CODE: dict[str, TransformCode] = {
    "delete_class": delete_class,
    "delete_rows": delete_rows,
    "overlap_classes": overlap_classes,
    "repeat_rows": repeat_rows,
    "sort_rows": sort_rows,
    "truncate_rows": truncate_rows,
    "unbalance_rows": unbalance_rows,
}
"""What renders each of these transforms, by name."""
