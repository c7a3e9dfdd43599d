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
from faultloom.datasets.transforms import INFORMED, TRANSFORMS, apply_transforms
from faultloom.generator.streams import Streams
from faultloom.operators.cases import small_program
from hypothesis import HealthCheck, assume, given, settings
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
ENTRIES: dict[str, dict[str, list[Any]]] = {
    "add_noise": {"percentage": [60.0, 100.0]},
    "change_labels": {"percentage": [12.5, 100.0], "task": ["classification", "regression"]},
    "confuse_classes": {"percentage": [50.0], "pair": ["frequent", "nearest"]},
    "delete_class": {
        "percentage": [50.0, 100.0],
        "task": ["classification", "regression"],
        "which": ["most_frequent", "least_frequent"],
    },
    "delete_rows": {"percentage": [33.3, 99.0], "task": ["classification", "regression"]},
    "overlap_classes": {"percentage": [0.1, 60.0], "task": ["classification", "regression"]},
    "permute_features": {"input": [0], "order": ["reversed", "rotated", "transposed"]},
    "recode_labels": {},
    "renormalize_inputs": {"input": [0, 1], "direction": ["undo", "again"]},
    "repeat_rows": {
        "percentage": [30.0, 250.0],
        "task": ["classification", "regression"],
        "which": ["all", "most_frequent"],
    },
    "scale_inputs": {"input": [0, 1], "factor": [255.0, 0.1]},
    "shift_labels": {"shift": [1, -1], "wrap": [True, False]},
    "shuffle_labels": {"percentage": [40.0, 100.0]},
    "sort_rows": {},
    "standardize_inputs": {
        "input": [0, 1],
        "axis": ["rows", "columns"],
        "statistics": ["own", "train"],
    },
    "truncate_rows": {"percentage": [20.0, 100.0]},
    "unbalance_rows": {"percentage": [70.0], "task": ["classification", "regression"]},
}
# It looks at the judge rows, which no script has.
NOT_WRITTEN = {"leak_rows"}
NUMBERS = {"integer", "float", "several"}

entries = st.sampled_from(sorted(ENTRIES)).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.fixed_dictionaries({key: st.sampled_from(v) for key, v in ENTRIES[name].items()}),
    )
)


def rows(ids: np.ndarray, kind: str, weighted: bool) -> Rows:
    count = len(ids)
    x = np.sin(np.arange(count * 4, dtype="float32")).reshape(count, 2, 2)
    weight = np.arange(count, dtype="float32") if weighted else None
    return Rows((x, (9 * x[:, :1]).astype("int64")), (KINDS[kind](ids), ids * 2), weight)


def loaded(text: str, folder: Path) -> dict[str, Any]:
    """Run the script up to its model."""
    data, model, _ = text.partition("\nmodel = ")
    assert model
    found: dict[str, Any] = {"__file__": str(folder / "program.py")}
    exec(compile(data, "program.py", "exec"), found)
    return found


def test_every_transform_is_tried() -> None:
    assert set(ENTRIES) == set(TRANSFORM_CODE)
    assert set(ENTRIES) | NOT_WRITTEN == set(TRANSFORMS) | set(INFORMED)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    chosen=st.lists(entries, min_size=1, max_size=3),
    kind=st.sampled_from(sorted(KINDS)),
    ids=st.lists(st.integers(0, 3), min_size=2, max_size=30),
    roles=st.sampled_from([["train"], ["train", "test"], ["validation", "train"], ["test"]]),
    weighted=st.booleans(),
    seeds=st.tuples(st.integers(0, 2**40), st.integers(0, 99)),
)
def test_rows_are_exactly_those_of_the_run(
    tmp_path: Path,
    chosen: list[tuple[str, dict[str, Any]]],
    kind: str,
    ids: list[int],
    roles: list[str],
    weighted: bool,
    seeds: tuple[int, int],
) -> None:
    transforms = [{"name": name, "parameters": p, "roles": roles} for name, p in chosen]
    numeric = any(p.get("task") == "regression" for _, p in chosen)
    assume(kind in NUMBERS or not numeric)
    assume(kind != "text" or "shift_labels" not in dict(chosen))
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

    def expected_of(role: str) -> Rows:
        return apply_transforms(
            parts[role], transforms, role, seed_for, parts.__getitem__
        ).materialized()

    blind = script_arrays(program, arrays, "blind", seed_for)
    for role, short in (("train", "train"), ("validation", "val"), ("test", "test")):
        expected = expected_of(role)
        names = [f"{part}_{short}" for part in ("x0", "x1", "y0", "y1")]
        names += [f"weight_{short}"] if weighted else []
        for name, array in zip(names, expected.arrays(), strict=True):
            for ours in (found[name], blind[name]):
                assert ours.dtype == array.dtype
                assert np.array_equal(ours, array, equal_nan=array.dtype.kind == "f")


def test_a_script_does_not_guess_the_task() -> None:
    transform = {"name": "change_labels", "parameters": {"percentage": 5.0}, "roles": ["train"]}
    with pytest.raises(SubjectError, match="expected classification or regression; received None"):
        render(small_program(transforms=[transform]))


NORMAL = np.random.default_rng(0).normal(size=(60, 3))
INPUTS = {
    "unit": np.abs(np.sin(NORMAL)),
    "signed": np.sin(NORMAL),
    "standard": (NORMAL - NORMAL.mean(0)) / NORMAL.std(0) * [1, 1, 0],
    "steps": np.repeat((NORMAL - NORMAL.mean(0)) / NORMAL.std(0), 2, 1).reshape(60, 2, 3),
    "whole": NORMAL.reshape(60, 3, 1),
    "image": NORMAL.reshape(60, 1, 1, 3),
    "raw": NORMAL * 40 + 90,
    "constant": np.ones((60, 3)),
    "bytes": (NORMAL * 40 + 90).astype("uint8"),
}


@pytest.mark.parametrize("direction", ["undo", "again"])
@pytest.mark.parametrize("name", INPUTS)
def test_normalisation_is_seen_as_the_run_sees_it(
    name: str, direction: str, tmp_path: Path
) -> None:
    x = INPUTS[name] if name == "bytes" else INPUTS[name].astype("float32")
    parts = {"train": Rows((x,), (np.arange(60) % 3,)), "test": Rows((x[:9],), (np.arange(9),))}
    parts["judge"] = parts["test"]
    data = {"validation": None, **{role: part.record() for role, part in parts.items()}}
    parameters = {"input": 0, "direction": direction}
    transforms = [
        {"name": "renormalize_inputs", "parameters": parameters, "roles": ["train", "test"]}
    ]
    program = small_program(data=data, transforms=transforms)
    for held, array in script_arrays(program, by_hash(list(parts.values()))).items():
        np.save(tmp_path / f"{held}.npy", array)
    found = loaded(render(program).text, tmp_path)
    for role in ("train", "test"):
        after = apply_transforms(
            parts[role], transforms, role, np.random.default_rng, parts.__getitem__
        )
        assert found[f"x_{role}"].dtype == after.rows.x[0].dtype
        assert np.array_equal(found[f"x_{role}"], after.rows.x[0])
        assert (len(after.touched) > 0) == (name not in ("raw", "constant", "bytes"))
