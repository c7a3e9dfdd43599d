"""A campaign: plan, train what is missing, decide, store. Running it again resumes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets.capture import Subject, load_arrays
from ..datasets.corpus import reader, writer
from ..datasets.errors import ConfigError, SubjectError
from ..datasets.program import TrainingProgram, content_hash
from .config import CampaignConfig
from .graph_key import graph_key
from .killing import Criterion, criterion
from .plan import Mutant
from .records import mutant_rows, subject_row
from .runner import Done, Runner, Unit
from .scoring import Judge
from .units import Batch, Order, chunks
from .verdicts import Outcome, outcome_of
from .window import windowed

_WORK = "faultloom.generator.work:train_batch"
_TRAININGS_PER_UNIT = 60
_KILLED = ("killed", "diverged")


@dataclass(frozen=True)
class Planned:
    """A subject with everything that is to be trained for it.

    Args:
        subject: the clean program.
        folder: where its arrays are.
        judge: the metric that decides.
        mutants: the plan.
        batches: the units, clean runs first.
    """

    subject: Subject
    folder: Path
    judge: Judge
    mutants: tuple[Mutant, ...]
    batches: tuple[Batch, ...]


@dataclass(frozen=True)
class Progress:
    """How far a campaign is: finished and planned trainings and units."""

    trainings: int
    planned_trainings: int
    units: int
    planned_units: int


def plan_subject(
    subject: Subject, folder: Path, mutants: Sequence[Mutant], config: CampaignConfig
) -> Planned:
    """Lay out the trainings of a subject as units."""
    judge = Judge.of(subject.program, subject.task)
    chosen = criterion_of(config)
    clean = [
        Order(subject.program.text, "clean", None, None, first, min(10, chosen.n_clean - first))
        for first in range(0, chosen.n_clean, 10)
    ]
    faulty: dict[str, list[Order]] = defaultdict(list)
    for mutant in mutants:
        role = "sham" if mutant.operator == "SHAM" else "faulty"
        order = Order(
            mutant.program.text,
            role,
            mutant.mutant_id,
            mutant.operator,
            0,
            chosen.n_faulty,
            mutant.salt,
        )
        faulty[graph_key(mutant.program)].append(order)
    batches = tuple(
        Batch(
            subject.name,
            config.seed,
            config.keep_models,
            {
                "name": judge.name,
                "metric": judge.metric,
                "loss": judge.loss,
                "higher_is_better": judge.higher_is_better,
                "task": judge.task,
            },
            subject.data_group,
            orders,
        )
        for group in [clean, *faulty.values()]
        for orders in chunks(group, _TRAININGS_PER_UNIT)
    )
    return Planned(subject, folder, judge, tuple(mutants), batches)


def criterion_of(config: CampaignConfig) -> Criterion:
    """Return the configured criterion with the configured numbers of runs."""
    return criterion(
        config.criterion, n_clean=config.clean_replicates, n_faulty=config.faulty_replicates
    )


def run(
    root: Path,
    planned: Sequence[Planned],
    config: CampaignConfig,
    runner: Runner,
    report: Callable[[Progress], None],
) -> bool:
    """Train what is planned and not done, then decide and compact.

    Args:
        root: the corpus.
        planned: all subjects.
        config: the campaign.
        runner: what runs the units.
        report: called after each unit.

    Returns:
        Whether everything planned is done; False when the budget ended first.

    Raises:
        SubjectError: a clean program cannot be trained.
    """
    staging = writer.StagingWriter(root)
    done = staging.done()
    pending = [(part, batch) for part in planned for batch in part.batches if batch.key not in done]
    sizes = {batch.key: _trainings(batch) for part in planned for batch in part.batches}
    total, finished = sum(sizes.values()), sum(sizes[key] for key in sizes if key in done)
    units = len(sizes) - len(pending)
    report(Progress(finished, total, units, len(sizes)))
    for part in {part.subject.name: part for part, _ in pending}.values():
        runner.share(part.subject.name, load_arrays(part.folder))
    by_key = {batch.key: (part, batch) for part, batch in pending}
    waiting = (
        Unit(batch.key, _WORK, batch.payload(), part.subject.name) for part, batch in pending
    )
    for result in windowed(waiting, runner, config.budget_s):
        part, batch = by_key[result.unit.key]
        _commit(staging, part, batch, result)
        finished, units = finished + sizes[batch.key], units + 1
        report(Progress(finished, total, units, len(sizes)))
    complete = units == len(sizes)
    if complete:
        decide(root, planned, config)
        writer.compact(root)
    return complete


def _trainings(batch: Batch) -> int:
    return sum(order.runs for order in batch.orders)


def _commit(staging: writer.StagingWriter, part: Planned, batch: Batch, done: Done) -> None:
    tables: dict[str, list[dict[str, Any]]] = {}
    if done.failure is not None:
        tables["runs"] = list(_failed_runs(part, batch, done))
    else:
        assert done.value is not None
        if done.value["refused"] is not None:
            raise SubjectError(
                f"subject {batch.subject}: expected a clean program that trains; received "
                f"{done.value['refused']}; repair its script and name another folder"
            )
        here = done.value["environment"]
        staging.commit(f"environment-{here['environment_id']}", {"environments": [here]})
        tables = {name: list(rows) for name, rows in done.value["tables"].items()}
        tables["runs"] = [
            {**row, "worker": done.worker, "attempts": done.attempts} for row in tables["runs"]
        ]
        by_id = {mutant.mutant_id: mutant for mutant in part.mutants}
        for mutant_id, reason in done.value["incompetent"].items():
            rows = mutant_rows(part.subject, by_id[mutant_id], Outcome("incompetent", None, reason))
            for name, more in rows.items():
                tables.setdefault(name, []).extend(more)
    staging.commit(batch.key, tables)


def _failed_runs(part: Planned, batch: Batch, done: Done) -> Iterator[dict[str, Any]]:
    assert done.failure is not None
    for order in batch.orders:
        for k in range(order.first, order.first + order.runs):
            yield {
                "run_id": content_hash([batch.key, order.mutant_id, k, done.failure.outcome]),
                "program_id": TrainingProgram(order.program).program_id,
                "mutant_id": order.mutant_id,
                "subject": batch.subject,
                "data_group": batch.data_group,
                "split": "train",
                "operator": order.operator,
                "role": order.role,
                "k": k,
                "metric_name": part.judge.name,
                "outcome": done.failure.outcome,
                "error": done.failure.error,
                "worker": done.worker,
                "attempts": done.attempts,
            }


def decide(root: Path, planned: Sequence[Planned], config: CampaignConfig) -> None:
    """Decide every mutant that has no outcome yet, from the stored runs alone."""
    staging = writer.StagingWriter(root)
    columns = ["subject", "mutant_id", "role", "k", "outcome", "error", "metric_judge"]
    runs: dict[tuple[str, str | None], list[Mapping[str, Any]]] = defaultdict(list)
    for row in reader.read(root, "runs", columns=columns).to_pylist():
        runs[row["subject"], row["mutant_id"]].append(row)
    decided = set(reader.read(root, "mutants", columns=["mutant_id"])["mutant_id"].to_pylist())
    subjects = set(reader.read(root, "subjects", columns=["subject"])["subject"].to_pylist())
    chosen = criterion_of(config)
    for part in planned:
        name = part.subject.name
        if name in subjects:  # it came with its mutants' outcomes, in one unit
            continue
        clean = runs[name, None]
        outcomes: dict[str, Outcome] = {}
        tables: dict[str, list[dict[str, Any]]] = {"mutants": [], "faults": [], "subjects": []}
        for mutant in part.mutants:
            if mutant.mutant_id in decided:
                continue
            outcomes[mutant.mutant_id] = outcome_of(
                clean,
                runs[name, mutant.mutant_id],
                chosen,
                higher_is_better=part.judge.higher_is_better,
            )
            rows = mutant_rows(part.subject, mutant, outcomes[mutant.mutant_id])
            for table, more in rows.items():
                tables[table].extend(more)
        shams = [
            outcomes[mutant.mutant_id].name in _KILLED
            for mutant in part.mutants
            if mutant.operator == "SHAM"
            and mutant.mutant_id in outcomes
            and outcomes[mutant.mutant_id].name in (*_KILLED, "survived")
        ]
        scores = [row["metric_judge"] for row in clean if row["metric_judge"] is not None]
        arrays = load_arrays(part.folder)
        tables["subjects"] = [subject_row(part.subject, part.judge, arrays, scores, shams)]
        staging.commit(f"verdicts-{content_hash([name, sorted(outcomes), chosen.name])}", tables)


def check_config(stored: Mapping[str, Any], config: CampaignConfig) -> None:
    """Refuse to mix two campaigns in one corpus; what only steers the machinery may differ.

    Raises:
        ConfigError: a setting that decides about rows differs from the stored one.
    """
    wanted = config.resolved()
    for key in sorted(wanted):
        if key in ("budget_s", "deadline_s", "workers", "address"):
            continue
        if stored.get(key) != wanted[key]:
            raise ConfigError(
                f"{key}: this corpus was made with {stored.get(key)!r}; received {wanted[key]!r}; "
                "use the stored value to resume or name another folder"
            )


def unfinished(root: Path) -> int:
    """Return the number of mutants that infrastructure gave up on."""
    rows = reader.read(
        root, "mutants", columns=["outcome"], filters=[("outcome", "==", "unfinished")]
    )
    return int(rows.num_rows)
