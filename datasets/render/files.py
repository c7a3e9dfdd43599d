"""The arrays that a rendered script reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..arrays import Array, Rows, rows_of, split_held_out
from ..errors import SubjectError
from ..program import TrainingProgram
from ..transforms import apply_transforms
from .script import Mode
from .training import RowNames, row_names

SeedFor = Callable[[int], np.random.Generator]
"""Makes the generator of the transform at a position in the program, in one run."""


def script_arrays(
    program: TrainingProgram,
    arrays: Mapping[str, Array],
    mode: Mode = "reproduce",
    seed_for: SeedFor | None = None,
) -> dict[str, Array]:
    """Return the arrays of a program's script by name; each belongs in the file ``NAME.npy``.

    The script of mode ``reproduce`` transforms rows itself, so it gets them as they were; where
    judge and test rows are two halves it gets the held-out rows whole, as the first script had
    them, unless a transform tells them apart. The one of mode ``blind`` gets the rows of a run.

    Args:
        program: that was rendered.
        arrays: arrays of the subject by hash.
        mode: that it was rendered in.
        seed_for: as for `apply_transforms`; mode ``blind`` needs it where transforms draw.

    Raises:
        SubjectError: an array or `seed_for` is missing.
    """
    document = program.document()
    transforms = document["transforms"]
    stored = {role: rows_of(held, arrays) for role, held in document["data"].items() if held}
    found: dict[str, Array] = {}
    for role, names in row_names(document["data"]).items():
        rows = stored[role]
        if mode == "blind":
            rows = apply_transforms(
                rows, transforms, role, seed_for or _no_seed, stored.__getitem__
            ).materialized()
        elif role == "test" and not any("test" in entry["roles"] for entry in transforms):
            rows = _held_out(stored["judge"], rows)
        found |= _named(names, rows)
    return found


def _named(names: RowNames, rows: Rows) -> dict[str, Array]:
    return dict(zip(names.all(), rows.arrays(), strict=True))


def _no_seed(position: int) -> np.random.Generator:
    raise SubjectError(
        f"blind script: transform {position} draws random numbers; expected the generators of a "
        "run in seed_for"
    )


def _held_out(judge: Rows, test: Rows) -> Rows:
    """Undo `split_held_out`, by splitting row numbers; other judge and test rows stay apart."""
    if judge.record() == test.record():
        return test
    count = len(judge) + len(test)
    numbers = np.arange(count)
    first, second, disjoint = split_held_out(Rows((numbers,), (numbers,)), seed=0)
    if not disjoint or (len(first), len(second)) != (len(judge), len(test)):
        return test
    back = np.argsort(np.concatenate([first.x[0], second.x[0]]))
    weights = (judge.sample_weight, test.sample_weight)
    both = [part for part in weights if part is not None]
    return Rows(
        tuple(np.concatenate(pair)[back] for pair in zip(judge.x, test.x, strict=True)),
        tuple(np.concatenate(pair)[back] for pair in zip(judge.y, test.y, strict=True)),
        np.concatenate(both)[back] if len(both) == 2 else None,
    )
