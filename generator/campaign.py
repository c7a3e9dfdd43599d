"""A campaign: plan, train what is missing, decide, store. Running it again resumes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets.capture import load_arrays
from ..datasets.corpus import reader, writer
from ..datasets.errors import ConfigError, SubjectError
from ..datasets.program import TrainingProgram, content_hash
from .config import CampaignConfig
from .records import mutant_rows, subject_row
from .runner import Done, Runner, Unit
from .schedule import Planned, Scheduled, criterion_of, schedule
from .verdicts import CleanRuns, Outcome
from .window import windowed

_WORK = "faultloom.generator.work:train_batch"
_KILLED = ("killed", "diverged")
_DECIDED_BY = ["subject", "mutant_id", "role", "k", "outcome", "error", "metric_judge"]

Tables = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Progress:
    """How far a campaign is: finished and planned trainings and units."""

    trainings: int
    planned_trainings: int
    units: int
    planned_units: int


def run(
    root: Path,
    planned: Sequence[Planned],
    config: CampaignConfig,
    runner: Runner,
    report: Callable[[Progress], None],
) -> bool:
    """Train what is planned and not done, decide, and compact.

    A unit's mutants are decided as it comes in, so what is in memory does not grow with the
    number of mutants; those that come before the clean runs do are decided at the end.

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
    sizes = {unit.batch.key: unit.trainings for unit in schedule(planned)}
    total, finished = sum(sizes.values()), sum(sizes[key] for key in sizes if key in done)
    units = sum(key in done for key in sizes)
    report(Progress(finished, total, units, len(sizes)))
    clean = _clean_runs(root, config)
    running: dict[str, Scheduled] = {}
    waiting = _units((unit for unit in schedule(planned) if unit.batch.key not in done), runner)
    for result in windowed(_noted(waiting, running), runner, config.budget_s):
        unit = running.pop(result.unit.key)
        _commit(staging, unit, result, clean)
        finished, units = finished + sizes[unit.batch.key], units + 1
        report(Progress(finished, total, units, len(sizes)))
    complete = units == len(sizes)
    if complete:
        finish(root, planned, config)
        writer.compact(root)
    return complete


def _units(pending: Iterator[Scheduled], runner: Runner) -> Iterator[tuple[Scheduled, Unit]]:
    """Make units; a subject's arrays are shared before the first that needs them."""
    shared: set[str] = set()
    for unit in pending:
        name = unit.planned.subject.name
        if name not in shared:
            shared.add(name)
            runner.share(name, load_arrays(unit.planned.folder))
        yield unit, Unit(unit.batch.key, _WORK, unit.batch.payload(), name)


def _noted(
    waiting: Iterator[tuple[Scheduled, Unit]], running: dict[str, Scheduled]
) -> Iterator[Unit]:
    for scheduled, unit in waiting:
        running[unit.key] = scheduled
        yield unit


def _clean_runs(root: Path, config: CampaignConfig) -> CleanRuns:
    clean = CleanRuns(criterion_of(config))
    stored = reader.read(root, "runs", columns=_DECIDED_BY, filters=[("role", "==", "clean")])
    clean.add(stored.to_pylist())
    return clean


def _commit(staging: writer.StagingWriter, unit: Scheduled, done: Done, clean: CleanRuns) -> None:
    batch = unit.batch
    tables: Tables = {}
    incompetent: Mapping[str, str] = {}
    if done.failure is not None:
        tables["runs"] = list(_failed_runs(unit, done))
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
        incompetent = done.value["incompetent"]
    if not unit.mutants:
        clean.add(tables["runs"])
    outcomes = {name: Outcome("incompetent", None, why) for name, why in incompetent.items()}
    if clean.complete(batch.subject):
        outcomes = _decided(unit, tables["runs"], clean) | outcomes
    for mutant in unit.mutants:
        if mutant.mutant_id in outcomes:
            rows = mutant_rows(unit.planned.subject, mutant, outcomes[mutant.mutant_id])
            _add(tables, rows)
    staging.commit(batch.key, tables)


def _decided(
    unit: Scheduled, runs: Sequence[Mapping[str, Any]], clean: CleanRuns
) -> dict[str, Outcome]:
    return {
        mutant.mutant_id: clean.outcome(
            unit.planned.subject.name,
            [row for row in runs if row["mutant_id"] == mutant.mutant_id],
            higher_is_better=unit.planned.judge.higher_is_better,
        )
        for mutant in unit.mutants
    }


def _add(tables: Tables, more: Tables) -> None:
    for name, rows in more.items():
        tables.setdefault(name, []).extend(rows)


def _failed_runs(unit: Scheduled, done: Done) -> Iterator[dict[str, Any]]:
    assert done.failure is not None
    batch = unit.batch
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
                "metric_name": unit.planned.judge.name,
                "metric_judge": None,
                "outcome": done.failure.outcome,
                "error": done.failure.error,
                "worker": done.worker,
                "attempts": done.attempts,
            }


def finish(root: Path, planned: Sequence[Planned], config: CampaignConfig) -> None:
    """Decide the mutants that came before their clean runs, and close every subject.

    Everything is computed from the stored runs.
    """
    staging = writer.StagingWriter(root)
    clean = _clean_runs(root, config)
    decided = set(reader.read(root, "mutants", columns=["mutant_id"])["mutant_id"].to_pylist())
    closed = set(reader.read(root, "subjects", columns=["subject"])["subject"].to_pylist())
    for part in planned:
        name = part.subject.name
        if name in closed:  # it came with its late mutants' outcomes, in one unit
            continue
        late = [mutant for mutant in part.mutants() if mutant.mutant_id not in decided]
        tables: Tables = {}
        runs = _runs_of(root, name, {mutant.mutant_id for mutant in late})
        for mutant in late:
            outcome = clean.outcome(
                name,
                runs.get(mutant.mutant_id, []),
                higher_is_better=part.judge.higher_is_better,
            )
            _add(tables, mutant_rows(part.subject, mutant, outcome))
        shams = [
            row["outcome"] in _KILLED
            for row in [*_stored_shams(root, name), *tables.get("mutants", [])]
            if row["operator"] == "SHAM" and row["outcome"] in (*_KILLED, "survived")
        ]
        tables["subjects"] = [
            subject_row(
                part.subject, part.judge, load_arrays(part.folder), clean.scores(name), shams
            )
        ]
        staging.commit(f"subject-{content_hash([name, part.subject.program.program_id])}", tables)


def _runs_of(root: Path, subject: str, wanted: set[str]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    if wanted:
        which = [("subject", "==", subject), ("mutant_id", "in", sorted(wanted))]
        for row in reader.read(root, "runs", columns=_DECIDED_BY, filters=which).to_pylist():
            found.setdefault(row["mutant_id"], []).append(row)
    return found


def _stored_shams(root: Path, subject: str) -> list[dict[str, Any]]:
    which = [("subject", "==", subject), ("operator", "==", "SHAM")]
    columns = ["operator", "outcome"]
    return reader.read(root, "mutants", columns=columns, filters=which).to_pylist()


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
