"""A campaign under a runner that trains nothing: what is stored, and what interruptions cost."""

import dataclasses
import errno
import os
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.capture import load_subject
from faultloom.datasets.corpus import reader, staging, writer
from faultloom.datasets.errors import ConfigError, CorpusError, RunnerError, SubjectError
from faultloom.datasets.program import TrainingProgram
from faultloom.generator import campaign
from faultloom.generator.campaign import Progress
from faultloom.generator.config import CampaignConfig
from faultloom.generator.graph_key import graph_key
from faultloom.generator.killing import Criterion, criterion
from faultloom.generator.looks import until_decided
from faultloom.generator.runner import Done, Failure, Unit
from faultloom.generator.schedule import Planned, criterion_of, schedule
from faultloom.generator.stored import unfinished
from faultloom.generator.units import Batch, Order, Task, run_id

StableRows = Callable[[Path], dict[str, list[str]]]
CONFIG = CampaignConfig(
    subjects=("tiny",),
    criterion="welch",
    clean_replicates=4,
    faulty_replicates=3,
    keep_models=1,
    limit=2,
    sham_mutants=2,
)
CODES = ("ACH", "HNE", "TRD")
WORSE = ("HNE", "TRD")
BATCHES = 4
COMMITS = 2 * (BATCHES + 2)
"""Calls of fsync before compaction: file and folder, also of the environment and the verdicts."""


@pytest.fixture(scope="module")
def planned(tiny: Path) -> Planned:
    return Planned(load_subject(tiny), tiny, CODES, CONFIG)


def batches(planned: Planned) -> list[Batch]:
    return [unit.batch for unit in schedule([planned])]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    writer.check_or_create(folder, CONFIG.resolved())
    return folder


def rule_of(batch: Batch) -> Criterion:
    rule = batch.criterion
    return criterion(rule["name"], n_clean=rule["n_clean"], n_faulty=rule["n_faulty"])


class Made:
    """A runner of made-up rows: ``WORSE`` operators score half of the clean program.

    ``broken`` ones lose their worker, ``incompetent`` ones do not build; call ``end`` raises.
    """

    slots = 1

    def __init__(
        self,
        broken: tuple[str | None, ...] = (),
        incompetent: tuple[str | None, ...] = (),
        end: int = -1,
        error: BaseException | None = None,
    ) -> None:
        self.broken = broken
        self.incompetent = incompetent
        self.end = end
        self.error = error
        self.queue: deque[Unit] = deque()
        self.shared: dict[str, Any] = {}
        self.done: list[Batch] = []

    def share(self, name: str, arrays: Any) -> None:
        self.shared[name] = arrays

    def submit(self, unit: Unit) -> None:
        assert unit.shared in self.shared
        self.queue.append(unit)

    def pending(self) -> int:
        return len(self.queue)

    def next_done(self) -> Done:
        if len(self.done) == self.end and self.error is not None:
            raise self.error
        unit = self.queue.popleft()
        task = Task.of(unit.payload)
        batch = task.batch
        self.done.append(batch)
        if {order.operator for order in batch.orders} & set(self.broken):
            return Done(unit, None, Failure("timed_out", "took too long"), 3, "far/1", 9.0)
        return Done(unit, self.value(task), None, 1, "near/1", 0.1)

    def value(self, task: Task) -> dict[str, Any]:
        batch = task.batch
        if None in self.incompetent and batch.orders[0].operator is None:
            return {"refused": "shapes"}
        bad = {o.mutant_id: "shapes" for o in batch.orders if o.operator in self.incompetent}
        rows = [
            row
            for order in batch.orders
            if order.mutant_id not in bad
            for row in self.rows(task, order)
        ]
        tables = {"runs": rows, "predictions": [], "models": []}
        here = {"environment_id": "here"}
        return {"tables": tables, "environment": here, "incompetent": bad, "refused": None}

    def rows(self, task: Task, order: Order) -> list[dict[str, Any]]:
        def train(first: int, end: int) -> list[dict[str, Any]]:
            return [self.row(task.batch, order, k) for k in range(first, end)]

        if order.mutant_id is None:
            return train(order.first, order.first + order.runs)
        return until_decided(
            train,
            lambda row: float(row["metric_judge"]),
            rule_of(task.batch),
            task.clean,
            task.before.get(order.mutant_id, ()),
            higher_is_better=True,
        )

    def row(self, batch: Batch, order: Order, k: int) -> dict[str, Any]:
        program = TrainingProgram(order.program)
        return {
            "run_id": run_id(program, batch.seed, k, order.salt, "here"),
            "program_id": program.program_id,
            "mutant_id": order.mutant_id,
            "subject": batch.subject,
            "operator": order.operator,
            "role": order.role,
            "k": k,
            "outcome": "completed",
            "metric_judge": (0.45 if order.operator in WORSE else 0.9) + 0.01 * (k % 3),
            "metric_train": (0.45 if order.operator in WORSE else 0.9) + 0.01 * (k % 3),
        }


def run(root: Path, planned: Planned, runner: Made | None = None, **changes: Any) -> bool:
    config = CONFIG.model_copy(update=changes)
    used: Any = Made() if runner is None else runner
    return campaign.run(root, [planned], config, used, lambda progress: None)


def outcomes(root: Path) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for row in reader.rows(root, "mutants"):
        found.setdefault(row["operator"], Counter())[row["outcome"]] += 1
    return found


@pytest.fixture(scope="module")
def quiet(
    planned: Planned, tmp_path_factory: pytest.TempPathFactory, stable_rows: StableRows
) -> dict[str, list[str]]:
    """The rows of a campaign that nothing disturbed."""
    root = tmp_path_factory.mktemp("quiet") / "corpus"
    writer.check_or_create(root, CONFIG.resolved())
    assert run(root, planned)
    return stable_rows(root)


def test_a_plan_holds_every_run_once_clean_ones_first(planned: Planned) -> None:
    units = batches(planned)
    assert len(units) == BATCHES
    assert {order.operator for order in units[0].orders} == {None}
    runs = Counter(
        (order.mutant_id, k)
        for batch in units
        for order in batch.orders
        for k in range(order.first, order.first + order.runs)
    )
    wanted = {(None, k) for k in range(4)}
    wanted |= {(mutant.mutant_id, k) for mutant in planned.mutants() for k in range(3)}
    assert runs == dict.fromkeys(wanted, 1)
    for batch in units:
        keys = {graph_key(TrainingProgram(order.program)) for order in batch.orders}
        assert len(keys) == 1
    assert len({batch.key for batch in units}) == len(units)
    assert [batch.key for batch in batches(planned)] == [batch.key for batch in units]


def test_everything_is_trained_decided_and_compacted(root: Path, planned: Planned) -> None:
    seen: list[Progress] = []
    assert campaign.run(root, [planned], CONFIG, Made(), seen.append)  # type: ignore[arg-type]
    assert [progress.units for progress in seen] == list(range(BATCHES + 1))
    assert seen[0].trainings == 0
    assert seen[-1].trainings == seen[-1].planned_trainings == 4 + 3 * len(list(planned.mutants()))
    assert outcomes(root) == {
        "ACH": Counter(survived=2),
        "HNE": Counter(killed=2),
        "TRD": Counter(killed=2),
        "SHAM": Counter(survived=2),
    }
    runs = reader.rows(root, "runs")
    assert len(runs) == seen[-1].trainings
    assert {(row["worker"], row["attempts"]) for row in runs} == {("near/1", 1)}
    (subject,) = reader.rows(root, "subjects")
    assert (subject["clean_metric_n"], subject["sham_kill_rate"]) == (4, 0.0)
    assert (root / "data" / "mutants").is_dir()


def test_running_again_trains_nothing(
    root: Path, planned: Planned, quiet: dict[str, list[str]], stable_rows: StableRows
) -> None:
    assert run(root, planned)
    again = Made()
    assert run(root, planned, again)
    assert (again.done, again.shared) == ([], {})
    assert stable_rows(root) == quiet


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RunnerError("gone")], ids=repr)
@pytest.mark.parametrize("end", [0, 1, 3])
def test_an_interruption_costs_only_what_was_running(
    root: Path,
    planned: Planned,
    quiet: dict[str, list[str]],
    stable_rows: StableRows,
    error: BaseException,
    end: int,
) -> None:
    with pytest.raises(type(error)):
        run(root, planned, Made(end=end, error=error))
    assert len(staging.units(root)) == end + (end > 0)  # and one for the environment
    again = Made()
    assert run(root, planned, again)
    assert [batch.key for batch in again.done] == [batch.key for batch in batches(planned)[end:]]
    assert stable_rows(root) == quiet


class Backwards(Made):
    """A runner that takes the newest unit first, so that clean runs come last."""

    slots = BATCHES

    def next_done(self) -> Done:
        self.queue.reverse()
        done = super().next_done()
        self.queue.reverse()
        return done


@pytest.mark.parametrize("end", [-1, 2])
def test_mutants_that_come_before_their_clean_runs_are_decided_all_the_same(
    root: Path,
    planned: Planned,
    quiet: dict[str, list[str]],
    stable_rows: StableRows,
    end: int,
) -> None:
    if end > 0:
        with pytest.raises(KeyboardInterrupt):
            run(root, planned, Backwards(end=end, error=KeyboardInterrupt()))
        assert reader.rows(root, "mutants") == []
    again = Backwards()
    assert run(root, planned, again)
    assert again.done[-1].orders[0].role == "clean"
    assert stable_rows(root) == quiet


SEQUENTIAL = CampaignConfig(
    subjects=("tiny",),
    criterion="sequential",
    clean_replicates=30,
    keep_models=1,
    limit=2,
    sham_mutants=2,
)


@pytest.mark.parametrize("end", [-1, 1, 4])
@pytest.mark.parametrize("kind", [Made, Backwards])
def test_a_sequential_criterion_trains_as_far_as_each_mutant_needs(
    root: Path, planned: Planned, stable_rows: StableRows, kind: type[Made], end: int
) -> None:
    part = dataclasses.replace(planned, config=SEQUENTIAL)
    seen: list[Progress] = []

    def go_on(runner: Any) -> bool:
        return campaign.run(root, [part], SEQUENTIAL, runner, seen.append)

    if end > 0:
        with pytest.raises(KeyboardInterrupt):
            go_on(kind(end=end, error=KeyboardInterrupt()))
    assert go_on(kind())
    rule, rows = criterion_of(SEQUENTIAL), reader.rows(root, "runs")
    clean = [row["metric_judge"] for row in rows if row["role"] == "clean"]
    assert len(clean) == 30
    for mutant in reader.rows(root, "mutants"):
        own = [row for row in rows if row["mutant_id"] == mutant["mutant_id"]]
        assert [row["k"] for row in own] == list(range(mutant["n_faulty"]))
        verdict = rule.decide(clean, [r["metric_judge"] for r in own], higher_is_better=True)
        assert (verdict.decision, verdict.p_value) == (mutant["outcome"], mutant["p"])
    lengths = {m["operator"]: m["n_faulty"] for m in reader.rows(root, "mutants")}
    assert lengths["TRD"] == 4
    assert lengths["SHAM"] > 4
    assert seen[-1].complete and seen[-1].trainings == seen[-1].planned_trainings


def test_a_budget_that_ends_early_leaves_a_corpus_that_resumes(
    root: Path, planned: Planned, quiet: dict[str, list[str]], stable_rows: StableRows
) -> None:
    assert not run(root, planned, budget_s=1e-9)
    assert reader.rows(root, "mutants") == []
    assert run(root, planned, budget_s=3600.0)
    assert stable_rows(root) == quiet


@pytest.mark.parametrize("call", [0, 2, 5, COMMITS - 2, COMMITS, COMMITS + 15])
def test_a_full_disk_costs_no_finished_work(
    root: Path,
    planned: Planned,
    quiet: dict[str, list[str]],
    stable_rows: StableRows,
    monkeypatch: pytest.MonkeyPatch,
    call: int,
) -> None:
    real, calls = os.fsync, iter(range(10_000))

    def full(descriptor: int) -> None:
        if next(calls) == call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(writer.os, "fsync", full)
        with pytest.raises(CorpusError, match=r"disk is full.*run the same command again"):
            run(root, planned)
    finished = staging.units(root)
    again = Made()
    assert run(root, planned, again)
    assert not {batch.key for batch in again.done} & set(finished)
    assert stable_rows(root) == quiet


def test_a_lost_worker_leaves_its_mutants_unfinished_and_the_others_decided(
    root: Path, planned: Planned
) -> None:
    assert run(root, planned, Made(broken=("ACH",)))
    found = outcomes(root)
    assert found.pop("ACH") == Counter(unfinished=2)
    assert found["HNE"] == Counter(killed=2)
    assert unfinished(root) == 2
    lost = [row for row in reader.rows(root, "runs") if row["outcome"] != "completed"]
    assert sorted(row["k"] for row in lost) == [0, 0, 1, 1, 2, 2]
    assert {row["operator"] for row in lost} == {"ACH"}
    assert {(row["error"], row["attempts"]) for row in lost} == {("took too long", 3)}
    assert {row["metric_judge"] for row in lost} == {None}
    reasons = {row["reason"] for row in reader.rows(root, "mutants") if row["operator"] == "ACH"}
    assert reasons == {"timed_out: took too long"}


def test_without_clean_runs_nothing_is_decided(root: Path, planned: Planned) -> None:
    assert run(root, planned, Made(broken=(None,)))
    assert set().union(*outcomes(root).values()) == {"unfinished"}
    assert unfinished(root) == len(list(planned.mutants()))
    (subject,) = reader.rows(root, "subjects")
    assert (subject["clean_metric_n"], subject["clean_metric_mean"]) == (0, None)
    assert subject["sham_kill_rate"] is None


def test_incompetent_mutants_have_their_reason_and_no_runs(root: Path, planned: Planned) -> None:
    assert run(root, planned, Made(incompetent=("ACH",)))
    assert outcomes(root)["ACH"] == Counter(incompetent=2)
    rows = [row for row in reader.rows(root, "mutants") if row["operator"] == "ACH"]
    assert {row["reason"] for row in rows} == {"shapes"}
    assert {row["criterion"] for row in rows} == {None}
    assert not [row for row in reader.rows(root, "runs") if row["operator"] == "ACH"]
    assert unfinished(root) == 0


def test_a_clean_program_that_does_not_train_is_the_subjects_fault(
    root: Path, planned: Planned
) -> None:
    with pytest.raises(SubjectError, match=r"tiny.*clean program that trains.*shapes"):
        run(root, planned, Made(incompetent=(None,)))
    assert staging.units(root) == []


@pytest.mark.parametrize("key", sorted(set(CampaignConfig.model_fields)))
def test_only_what_steers_the_machinery_may_change(key: str) -> None:
    stored = CONFIG.resolved()
    campaign.check_config(stored, CONFIG)
    stored[key] = "another"
    if key in ("address", "budget_s", "deadline_s", "workers"):
        campaign.check_config(stored, CONFIG)
        return
    with pytest.raises(ConfigError, match=rf"^{key}: .*'another'.*name another folder"):
        campaign.check_config(stored, CONFIG)


def test_equivalent_mutants_are_stored_with_the_reason_and_not_trained(
    root: Path, planned: Planned
) -> None:
    document = planned.subject.program.document()
    callbacks = [{"class_name": "EarlyStopping", "config": {"monitor": "loss", "patience": 60}}]
    program = TrainingProgram.of({**document, "callbacks": callbacks})
    subject = dataclasses.replace(planned.subject, program=program)
    config = CONFIG.model_copy(update={"limit": None})
    patient = Planned(subject, planned.folder, ("RCP",), config)
    reason = "the patience of a callback outlasts the training"
    wanted = [m.mutant_id for m in patient.mutants() if m.equivalence == reason]
    assert wanted
    for _ in range(2):
        assert campaign.run(root, [patient], config, Made(), lambda _: None)  # type: ignore[arg-type]
        rows = [row for row in reader.rows(root, "mutants") if row["outcome"] == "equivalent"]
        assert [row["mutant_id"] for row in rows] == wanted
        assert {row["reason"] for row in rows} == {reason}
        assert not {row["mutant_id"] for row in reader.rows(root, "runs")} & set(wanted)
        faults = [row for row in reader.rows(root, "faults") if row["mutant_id"] in wanted]
        assert len(faults) == len(wanted)
