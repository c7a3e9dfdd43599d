"""Batches name their staging file by content; runs have one identity."""

import dataclasses
import json
from typing import Any

import pytest
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import with_slot
from faultloom.generator.units import Batch, Order, chunks, run_id
from faultloom.operators.cases import small_program

ORDER = Order("{}", "faulty", "m1", "ACH", 0, 3)
JUDGE = {"name": "accuracy", "metric": "accuracy", "loss": "mse", "higher_is_better": True}
BATCH = Batch("digits", 1, 2, JUDGE, "group", (ORDER, dataclasses.replace(ORDER, mutant_id="m2")))


def order(runs: int, name: str = "m") -> Order:
    return dataclasses.replace(ORDER, runs=runs, mutant_id=name)


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
    ("runs", "groups"),
    [
        ([], []),
        ([3], [[3]]),
        ([3, 3, 3], [[3, 3], [3]]),
        ([2, 4, 6, 1], [[2, 4], [6], [1]]),
        ([9, 1], [[9], [1]]),
        ([1, 9, 1], [[1], [9], [1]]),
    ],
)
def test_groups_are_as_large_as_they_may_be_and_keep_the_order(
    runs: list[int], groups: list[list[int]]
) -> None:
    orders = [order(count, f"m{index}") for index, count in enumerate(runs)]
    found = list(chunks(orders, 6))
    assert [[each.runs for each in group] for group in found] == groups
    assert [each for group in found for each in group] == orders
