"""DeepCrime's files: their columns, and that its own way of reading them gives our scores."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faultloom.generator.scores.deepcrime_csv import export
from faultloom.generator.scores.gathering import gather

pytestmark = pytest.mark.tf

Toy = Callable[..., Path]
Tables = dict[str, list[dict[str, Any]]]


def lines(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def exported(root: Path, folder: Path) -> Iterator[Path]:
    (found,) = gather(root)
    yield from export(found, folder)


def test_the_files_and_their_columns(toy: Toy, tmp_path: Path) -> None:
    folder = tmp_path / "csv"
    paths = [str(path.relative_to(folder)) for path in exported(toy(), folder)]
    assert paths == [
        "toy/results_test/stats/change_activation_function_exssearch.csv",
        "toy/results_train/stats/change_activation_function_exssearch.csv",
        "toy/results_test/stats/change_epochs_binarysearch.csv",
        "toy/results_train/stats/change_epochs_binarysearch.csv",
        "toy/toy_ms.csv",
    ]
    assert sorted(folder.rglob("*.csv")) == sorted(folder / path for path in paths)
    assert lines(folder / paths[0]) == [
        ["elu_0", "0.01", "0.0", "False"],
        ["tanh_0", "0.01", "1.0", "True"],
    ]
    # From 20 to 1 epochs over 10, 2 and 1: the end kills; in the middle 10 does not; then 2 does.
    assert lines(folder / paths[2]) == [
        ["20.0", "1.0", "1.0", "", "", "True"],
        ["20.0", "1.0", "10.0", "0.01", "0.1", "False"],
        ["10.0", "1.0", "2.0", "0.01", "5.0", "True"],
        ["2.0", "10.0"],
    ]
    assert lines(folder / paths[3])[-1] == ["10.0", "20.0"]
    epochs, activation = ("change_epochs_binarysearch.csv", paths[0].rpartition("/")[2])
    header, first, second, total = lines(folder / paths[4])
    assert header == ["operator_name", "operator_ms", "operator_instability_score"]
    assert first == [activation, "1.0", "0.0"]
    assert second[0] == epochs
    assert [float(value) for value in second[1:]] == pytest.approx([1 / 9, 8 / 9], abs=1e-5)
    assert total == ["total MS:", "1.0", ""]


def test_a_range_that_nothing_kills_has_one_row(toy: Toy, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        for row in tables["mutants"]:
            row["outcome"] = "survived"

    paths = list(exported(toy(change), tmp_path / "csv"))
    (only,) = lines(
        next(path for path in paths if "results_test" in str(path) and "ep" in str(path))
    )
    assert only == ["20.0", "1.0", "1.0", "", "", "False"]


def test_undecided_mutants_are_left_out_and_files_replaced(toy: Toy, tmp_path: Path) -> None:
    def change(tables: Tables) -> None:
        for row in tables["mutants"]:
            if row["operator"] == "ACH":
                row["outcome"] = "unfinished"

    folder = tmp_path / "csv"
    stats = folder / "toy" / "results_test" / "stats"
    root = toy(change)
    written = list(exported(root, folder))
    assert stats / "change_activation_function_exssearch.csv" not in written
    before = {path: path.read_bytes() for path in written}
    assert {path: path.read_bytes() for path in exported(root, folder)} == before
