"""Rows that fit a program, and scripts written beside their arrays."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.arrays import Array, Rows, by_hash
from faultloom.datasets.program import TrainingProgram, is_model
from faultloom.datasets.render import render, script_arrays
from faultloom.datasets.slots import with_slot

Filled = tuple[TrainingProgram, dict[str, Array]]


def shapes(model: Any) -> Iterator[list[int]]:
    for entry in model["config"]["layers"]:
        if entry["class_name"] == "InputLayer":
            yield entry["config"]["batch_shape"][1:]
            if model["class_name"] == "Sequential":
                return
        elif is_model(entry) and model["class_name"] == "Sequential":
            yield from shapes(entry)
            return


@pytest.fixture(scope="session")
def filled() -> Callable[..., Filled]:
    """Give a program rows of its inputs' shapes and labels 0, 1, 2."""

    def fill(program: TrainingProgram, validation: bool = True, targets: int = 1) -> Filled:
        def rows(count: int, first: float) -> Rows:
            x = tuple(
                np.linspace(first, 9, count * int(np.prod(shape)), dtype="float32").reshape(
                    count, *shape
                )
                for shape in shapes(program.document()["architecture"])
            )
            return Rows(x, (np.arange(count) % 3,) * targets)

        train, held, tests = rows(30, 0), rows(9, 1), rows(12, 2)
        data = {role: part.record() for role, part in (("train", train), ("test", tests))}
        data |= {"judge": tests.record(), "validation": held.record() if validation else None}
        return with_slot(program, "/data", data), by_hash([train, held, tests])

    return fill


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write the script of a program, and its arrays beside it."""

    def write(program: TrainingProgram, arrays: dict[str, Array], mode: Any = "reproduce") -> Path:
        for name, array in script_arrays(program, arrays, mode).items():
            np.save(tmp_path / f"{name}.npy", array, allow_pickle=False)
        path = tmp_path / "program.py"
        path.write_text(render(program, mode).text, encoding="utf-8")
        return path

    return write
