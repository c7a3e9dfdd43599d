"""The searches of a campaign: trials, the value found, its confirmation, resuming."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.capture import load_subject
from faultloom.datasets.corpus import reader, writer
from faultloom.datasets.corpus.writer import StagingWriter
from faultloom.datasets.program import TrainingProgram
from faultloom.generator.config import CampaignConfig
from faultloom.generator.records import mutant_rows
from faultloom.generator.schedule import Planned, Scheduled, criterion_of
from faultloom.generator.searching import Searches
from faultloom.generator.units import TRIAL, Order
from faultloom.generator.verdicts import CleanRuns

CONFIG = CampaignConfig(
    subjects=("tiny",),
    criterion="welch",
    clean_replicates=4,
    faulty_replicates=3,
    search="bisection",
    sham_mutants=0,
)
Kills = Callable[[str, float], bool]


@pytest.fixture(scope="module")
def planned(tiny: Path) -> Planned:
    return Planned(load_subject(tiny), tiny, ("ACH", "TRD"), CONFIG)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    writer.check_or_create(tmp_path / "corpus", CONFIG.resolved())
    return tmp_path / "corpus"


class Campaign:
    """Trains nothing: a run scores half where ``kills`` says so, by role and percentage."""

    def __init__(self, root: Path, part: Planned, kills: Kills) -> None:
        self.root, self.part, self.kills = root, part, kills
        self.clean = CleanRuns(criterion_of(CONFIG))
        self.clean.add([self.row("clean", None, k, 0.9) for k in range(4)])
        self.searches = Searches(root, [part], lambda part, runs: self.outcome(runs))
        self.orders: list[Order] = []

    def outcome(self, runs: Any) -> Any:
        return self.clean.outcome(self.part.subject.name, runs, higher_is_better=True)

    def row(self, role: str, order: Order | None, k: int, score: float) -> dict[str, Any]:
        return {
            "run_id": f"{role}-{order.mutant_id if order else ''}-{k}",
            "program_id": "p",
            "mutant_id": order and order.mutant_id,
            "operator": order and order.operator,
            "subject": self.part.subject.name,
            "data_group": "d",
            "split": "train",
            "role": role,
            "k": k,
            "metric_judge": score + 0.01 * (k % 3),
            "metric_train": score + 0.01 * (k % 3),
            "outcome": "completed",
        }

    def rows(self, order: Order) -> list[dict[str, Any]]:
        (transform,) = TrainingProgram(order.program).document()["transforms"]
        killed = self.kills(order.role, transform["parameters"]["percentage"])
        score = 0.4 if killed else 0.9
        return [self.row(order.role, order, k, score) for k in range(order.first, order.runs)]

    def end(self, unit: Scheduled) -> None:
        tables: dict[str, list[dict[str, Any]]] = {"runs": []}
        for order, mutant in zip(unit.batch.orders, unit.mutants, strict=True):
            rows = self.rows(order)
            tables["runs"] += rows
            if not unit.trial:
                more = mutant_rows(self.part.subject, mutant, self.outcome(rows), seed=0)
                for table, found in more.items():
                    tables.setdefault(table, []).extend(found)
            self.orders.append(order)
        StagingWriter(self.root).commit(unit.batch.key, tables)

    def rounds(self) -> Iterator[list[Scheduled]]:
        while units := self.searches.units():
            assert len(self.orders) < 60
            yield units

    def run(self) -> list[dict[str, Any]]:
        for units in self.rounds():
            for unit in units:
                self.end(unit)
        return list(reader.rows(self.root, "mutants"))


def test_searched_sites_are_left_out_of_the_grid(planned: Planned) -> None:
    assert {mutant.operator for mutant in planned.mutants()} == {"ACH"}
    assert [quest.code for quest in planned.quests()] == ["TRD"]


def test_the_mildest_value_that_kills_is_confirmed_on_fresh_runs(
    root: Path, planned: Planned
) -> None:
    made = Campaign(root, planned, lambda role, share: share >= 60)
    (row,) = made.run()
    assert (row["operator"], row["outcome"]) == ("TRD", "killed")
    found = json.loads(row["search"])
    share = json.loads(row["mutations"][0]["parameters"])["percentage"]
    assert found["killed"] == share and 60 <= share <= 65 and found["survived"] < 60
    assert [order.role for order in made.orders] == [TRIAL] * len(found["steps"]) + ["faulty"]
    assert {order.salt for order in made.orders} == {TRIAL, ""}
    assert len({order.role + str(order.mutant_id) for order in made.orders}) == len(made.orders)


def test_a_lucky_value_is_unstable_and_the_next_one_is_confirmed(
    root: Path, planned: Planned
) -> None:
    made = Campaign(root, planned, lambda role, share: share >= (60 if role == TRIAL else 80))
    rows = made.run()
    shares = [json.loads(row["mutations"][0]["parameters"])["percentage"] for row in rows]
    by_share = dict(zip(shares, rows, strict=True))
    *unstable, confirmed = sorted(by_share)
    assert unstable and all(by_share[share]["outcome"] == "unstable" for share in unstable)
    assert max(unstable) < 80 <= confirmed and by_share[confirmed]["outcome"] == "killed"
    assert "killed in the search, not on fresh runs" in by_share[unstable[0]]["reason"]


def test_what_cannot_be_killed_has_a_survivor_in_the_corpus(root: Path, planned: Planned) -> None:
    (row,) = Campaign(root, planned, lambda role, share: False).run()
    assert row["outcome"] == "survived"
    assert json.loads(row["search"])["state"] == "not_killable"


def test_an_interrupted_search_goes_on_where_it_was(root: Path, planned: Planned) -> None:
    first = Campaign(root, planned, lambda role, share: share >= 60)
    for number, units in enumerate(first.rounds()):
        for unit in units:
            first.end(unit)
        if number == 1:
            break
    second = Campaign(root, planned, lambda role, share: share >= 60)
    (row,) = second.run()
    assert row["outcome"] == "killed"
    asked = [order.mutant_id for order in (*first.orders, *second.orders) if order.role == TRIAL]
    assert len(set(asked)) == len(asked) == len(json.loads(row["search"])["steps"])


def test_a_trial_that_does_not_train_does_not_kill(root: Path, planned: Planned) -> None:
    made = Campaign(root, planned, lambda role, share: share >= 60)
    made.rows = lambda order: []  # type: ignore[method-assign]
    (row,) = made.run()
    found = json.loads(row["search"])
    assert found["state"] == "not_killable"
    assert {step["outcome"] for step in found["steps"]} == {"incompetent"}


def test_without_a_search_there_is_nothing_to_do(root: Path, planned: Planned) -> None:
    config = CONFIG.model_copy(update={"search": "none"})
    part = Planned(planned.subject, planned.folder, planned.codes, config)
    assert Campaign(root, part, lambda role, share: True).searches.units() == []
    assert {mutant.operator for mutant in part.mutants()} == {"ACH", "TRD"}
