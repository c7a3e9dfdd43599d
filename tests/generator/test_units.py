"""Batches name their staging file by content; runs have one identity."""

import dataclasses
import json
from typing import Any

import pytest
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import with_slot
from faultloom.generator.units import Batch, Order, Task, chunks, run_id
from faultloom.operators.cases import small_program

ORDER = Order("{}", "faulty", "m1", "ACH", 0, 3)
JUDGE = {"name": "accuracy", "metric": "accuracy", "loss": "mse", "higher_is_better": True}
RULE = {"name": "welch", "n_clean": 4, "n_faulty": 3}
BATCH = Batch(
    "digits", 1, 2, JUDGE, RULE, "group", (ORDER, dataclasses.replace(ORDER, mutant_id="m2"))
)


def test_a_payload_reads_back_after_json() -> None:
    again = Batch.of(json.loads(json.dumps(BATCH.payload())))
    assert again == BATCH
    assert again.key == BATCH.key


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "other"},
        {"seed": 2},
        {"keep_models": 3},
        {"judge": JUDGE | {"higher_is_better": False}},
        {"criterion": RULE | {"n_faulty": 4}},
        {"data_group": "other"},
        {"orders": BATCH.orders[:1]},
        {"orders": BATCH.orders[::-1]},
        {"orders": (dataclasses.replace(ORDER, salt="s"), BATCH.orders[1])},
        {"orders": (dataclasses.replace(ORDER, runs=4), BATCH.orders[1])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_key_changes_with_everything_that_rows_depend_on(change: dict[str, Any]) -> None:
    changed = dataclasses.replace(BATCH, **change)
    assert changed.key != BATCH.key
    assert len(changed.key) == 64


def test_a_run_is_named_by_program_seed_number_salt_and_environment() -> None:
    clean = small_program()
    other: TrainingProgram = with_slot(clean, "/fit/epochs", 30)
    calls = [
        (clean, 0, 0, "", "e"),
        (other, 0, 0, "", "e"),
        (clean, 1, 0, "", "e"),
        (clean, 0, 1, "", "e"),
        (clean, 0, 0, "s", "e"),
        (clean, 0, 0, "", "f"),
    ]
    assert len({run_id(*call) for call in calls}) == len(calls)
    assert run_id(*calls[0]) == run_id(small_program(), 0, 0, "", "e")


@pytest.mark.parametrize(
    ("count", "groups"), [(0, []), (1, [1]), (3, [3]), (4, [3, 1]), (7, [3, 3, 1])]
)
def test_groups_are_as_large_as_they_may_be_and_keep_the_order(
    count: int, groups: list[int]
) -> None:
    orders = [dataclasses.replace(ORDER, mutant_id=f"m{index}") for index in range(count)]
    found = list(chunks(orders, 3))
    assert [len(group) for group in found] == groups
    assert [each for group in found for each in group] == orders


def test_a_task_reads_back_after_json() -> None:
    for task in (Task(BATCH, None, {}), Task(BATCH, (0.9, 0.8), {"m1": (0.5,), "m2": ()})):
        assert Task.of(json.loads(json.dumps(task.payload()))) == task
