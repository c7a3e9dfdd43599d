"""Transforms as code give the rows that `datasets.transforms` gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows, by_hash
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import content_hash
from faultloom.datasets.render import render, script_arrays
from faultloom.datasets.render.transforms import TRANSFORM_CODE
from faultloom.datasets.transforms import TRANSFORMS, apply_transforms
from faultloom.generator.streams import Streams
from faultloom.operators.cases import small_program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.tf

KINDS = {
    "integer": lambda ids: ids,
    "column": lambda ids: ids.reshape(-1, 1),
    "one-hot": lambda ids: np.eye(4, dtype="float32")[ids],
    "boolean": lambda ids: ids > 0,
    "text": lambda ids: ids.astype("U3"),
    "float": lambda ids: ids.astype("float32") / 3,
    "several": lambda ids: np.stack([ids, ids % 2, -ids], 1).astype("float64"),
}
CASES = [
    (name, task, kind)
    for name in ("change_labels", "delete_rows")
    for task in ("classification", "regression")
    for kind in KINDS
    if task == "classification" or kind in ("integer", "float", "several")
]


def rows(ids: np.ndarray, kind: str, weighted: bool) -> Rows:
    count = len(ids)
    x = np.arange(count * 2, dtype="float32").reshape(count, 2)
    weight = np.arange(count, dtype="float32") if weighted else None
    return Rows((x, x[:, :1].astype("int64")), (KINDS[kind](ids), ids * 2), weight)


def loaded(text: str, folder: Path) -> dict[str, Any]:
    """Run the script up to its model."""
    data, model, _ = text.partition("\nmodel = ")
    assert model
    found: dict[str, Any] = {"__file__": str(folder / "program.py")}
    exec(compile(data, "program.py", "exec"), found)
    return found


def test_every_transform_is_tried() -> None:
    assert {name for name, *_ in CASES} == set(TRANSFORM_CODE) <= set(TRANSFORMS)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    chosen=st.lists(st.sampled_from(CASES), min_size=1, max_size=3),
    ids=st.lists(st.integers(0, 3), min_size=2, max_size=40),
    percentages=st.tuples(*[st.sampled_from([0.1, 12.5, 33.3, 50.0, 99.0, 100.0])] * 3),
    roles=st.sampled_from([["train"], ["train", "test"], ["validation", "train"]]),
    weighted=st.booleans(),
    seeds=st.tuples(st.integers(0, 2**40), st.integers(0, 99)),
)
def test_rows_are_exactly_those_of_the_run(
    tmp_path: Path,
    chosen: list[tuple[str, str, str]],
    ids: list[int],
    percentages: tuple[float, ...],
    roles: list[str],
    weighted: bool,
    seeds: tuple[int, int],
) -> None:
    kind = chosen[0][2]
    if "regression" in {task for _, task, _ in chosen} and kind in ("boolean", "text"):
        kind = "float"
    transforms = [
        {"name": name, "parameters": {"percentage": share, "task": task}, "roles": roles}
        for (name, task, _), share in zip(chosen, percentages, strict=False)
    ]
    parts = {
        role: rows(np.roll(ids, number), kind, weighted)
        for number, role in enumerate(("train", "validation", "test"))
    }
    parts["judge"] = parts["test"]
    data = {role: part.record() for role, part in parts.items()}
    program = small_program(data=data, transforms=transforms)
    arrays, streams = by_hash(list(parts.values())), Streams(*seeds)
    for name, array in script_arrays(program, arrays).items():
        np.save(tmp_path / f"{name}.npy", array)
    found = loaded(render(program, seed=seeds[0], run=seeds[1]).text, tmp_path)

    def seed_for(position: int) -> np.random.Generator:
        return streams.generator("data", content_hash(transforms[position]))

    blind = script_arrays(program, arrays, "blind", seed_for)
    for role, short in (("train", "train"), ("validation", "val"), ("test", "test")):
        expected = apply_transforms(parts[role], transforms, role, seed_for).materialized()
        names = [f"{part}_{short}" for part in ("x0", "x1", "y0", "y1")]
        names += [f"weight_{short}"] if weighted else []
        for name, array in zip(names, expected.arrays(), strict=True):
            for ours in (found[name], blind[name]):
                assert ours.dtype == array.dtype
                assert np.array_equal(ours, array)


def test_a_script_does_not_guess_the_task() -> None:
    transform = {"name": "change_labels", "parameters": {"percentage": 5.0}, "roles": ["train"]}
    with pytest.raises(SubjectError, match="expected classification or regression; received None"):
        render(small_program(transforms=[transform]))
