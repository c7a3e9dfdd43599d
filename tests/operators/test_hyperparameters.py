"""Epochs and batch sizes."""

from typing import Any

import pytest
from faultloom.datasets.program import Json, TrainingProgram
from faultloom.datasets.slots import ABSENT, replaced
from faultloom.operators import operator
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf


def program(rows: Json = 320, **fit: Json) -> TrainingProgram:
    document = small_program().document()
    document["fit"] |= fit
    return TrainingProgram.of(replaced(document, "/data/train/rows", rows))


def test_epochs_fall_to_one_and_rise_tenfold(new_values: Any) -> None:
    assert new_values("HNE", program(epochs=20)) == [[10, 5, 2, 1]]
    assert new_values("HEU", program(epochs=20)) == [[40, 100, 200]]


def test_a_single_epoch_cannot_be_fewer(new_values: Any) -> None:
    assert new_values("HNE", program(epochs=1)) == []
    assert new_values("HEU", program(epochs=1)) == [[2, 5, 10]]


def test_epochs_are_searched_from_the_present_number() -> None:
    few = operator("HNE").ranges(program(epochs=20), operator("HNE").sites(program())[0])
    many = operator("HEU").ranges(program(epochs=20), operator("HEU").sites(program())[0])
    assert (few["epochs"].low, few["epochs"].high, few["epochs"].direction) == (1, 20, "decreasing")
    assert (many["epochs"].low, many["epochs"].high) == (20, 200)


def test_batching_is_disabled_with_the_number_of_training_rows(new_values: Any) -> None:
    assert new_values("HDB", program(rows=341)) == [[341]]


@pytest.mark.parametrize("rows", [20, 32, ABSENT])
def test_one_batch_or_an_unknown_number_of_rows_leaves_nothing_to_disable(
    rows: Json, new_values: Any
) -> None:
    assert new_values("HDB", program(rows=rows)) == []


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        (320, [[16, 64, 128, 256]]),
        (128, [[16, 64]]),
        (16, []),
        (ABSENT, [[16, 64, 128, 256, 512]]),
    ],
)
def test_batch_sizes_leave_several_batches(rows: Json, sizes: Any, new_values: Any) -> None:
    assert new_values("HBS", program(rows=rows)) == sizes
