"""A campaign: plan, train what is missing, decide, store. Running it again resumes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..datasets.capture import load_arrays
from ..datasets.corpus import writer
from ..datasets.errors import ConfigError, SubjectError
from ..datasets.program import content_hash
from . import stored
from .config import CampaignConfig
from .plan import Mutant
from .records import failed_runs, mutant_rows, subject_row
from .runner import Done, Runner, Unit
from .schedule import Planned, Scheduled, criterion_of, schedule
from .searching import Searches
from .units import Task
from .verdicts import KILLED, CleanRuns, Outcome, by_mutant
from .window import windowed

_WORK = "faultloom.generator.work:train_batch"

Row = dict[str, Any]
Tables = dict[str, list[Row]]


@dataclass(frozen=True)
class Progress:
    """How far a campaign is: finished and planned trainings and units.

    Trainings are planned as many as a mutant typically takes, and counted as they were.
    """

    trainings: int
    planned_trainings: int
    units: int
    planned_units: int

    def planned(self, trainings: int) -> Progress:
        """Count in one more unit of about that many trainings."""
        return Progress(
            self.trainings,
            self.planned_trainings + trainings,
            self.units,
            self.planned_units + 1,
        )

    def ended(self, trainings: int, expected: int) -> Progress:
        """Count in the end of a planned unit."""
        return Progress(
            self.trainings + trainings,
            self.planned_trainings + trainings - expected,
            self.units + 1,
            self.planned_units,
        )

    @property
    def complete(self) -> bool:
        """Whether all planned units have ended."""
        return self.units == self.planned_units


def run(
    root: Path,
    planned: Sequence[Planned],
    config: CampaignConfig,
    runner: Runner,
    report: Callable[[Progress], None],
) -> bool:
    """Train what is planned and not done, decide, and compact.

    A unit's mutants are decided as it comes in, so what is in memory does not grow with the
    number of mutants. Those that came before the clean runs were complete have had their first
    look only: they are decided, or trained on, at the end.

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
    campaign = _Campaign(root, planned, config, runner, report)
    if not campaign.train(lambda: schedule(planned)):
        return False
    late = campaign.late()
    if late and not campaign.train(lambda: iter(late)):
        return False
    while units := campaign.searches.units():
        if not campaign.train(partial(iter, units)):
            return False
    campaign.store_equivalent()
    campaign.close()
    writer.compact(root)
    return True


class _Campaign:
    """What a running campaign knows: its clean runs, what is undecided, and how far it is."""

    def __init__(
        self,
        root: Path,
        planned: Sequence[Planned],
        config: CampaignConfig,
        runner: Runner,
        report: Callable[[Progress], None],
    ) -> None:
        self._root, self._planned, self._runner, self._report = root, planned, runner, report
        self._staging = writer.StagingWriter(root)
        self._done = self._staging.done()
        self._rule = criterion_of(config)
        self._seed = config.seed
        self._clean = CleanRuns(self._rule)
        self._clean.add(stored.clean_runs(root))
        self._ends = None if config.budget_s is None else time.monotonic() + config.budget_s
        self._shared: set[str] = set()
        self._undecided = stored.undecided(root, planned, self._done) if self._done else set()
        self._before: dict[str, list[Row]] = {}
        self.searches = Searches(root, planned, self._outcome)
        self._progress = Progress(0, 0, 0, 0)

    def train(self, units: Callable[[], Iterator[Scheduled]]) -> bool:
        """Run the units that are not done; return whether none is left."""
        for unit in units():
            self._progress = self._progress.planned(unit.trainings)
            if unit.batch.key in self._done:
                self._progress = self._progress.ended(unit.trainings, unit.trainings)
        self._report(self._progress)
        running: dict[str, Scheduled] = {}

        def waiting() -> Iterator[Unit]:
            for unit in units():
                if unit.batch.key not in self._done:
                    running[unit.batch.key] = unit
                    yield self._unit(unit)

        left = None if self._ends is None else self._ends - time.monotonic()
        for result in windowed(waiting(), self._runner, left):
            unit = running.pop(result.unit.key)
            trainings = self._commit(unit, result)
            self._progress = self._progress.ended(trainings, unit.trainings)
            self._report(self._progress)
        return self._progress.complete

    def _unit(self, unit: Scheduled) -> Unit:
        name = unit.planned.subject.name
        if name not in self._shared:
            self._shared.add(name)
            self._runner.share(name, load_arrays(unit.planned.folder))
        task = Task(
            unit.batch,
            tuple(self._clean.scores(name)) if self._clean.enough(name) else None,
            {
                mutant.mutant_id: tuple(row["metric_judge"] for row in self._before_of(mutant))
                for mutant in unit.mutants
            },
        )
        return Unit(unit.batch.key, _WORK, task.payload(), name)

    def _before_of(self, mutant: Mutant) -> list[Row]:
        return self._before.get(mutant.mutant_id, [])

    def _commit(self, unit: Scheduled, done: Done) -> int:
        """Store a unit's rows, with the outcomes of its mutants; return the number of runs."""
        name = unit.planned.subject.name
        tables, incompetent = self._rows(unit, done)
        if not unit.mutants:
            self._clean.add(tables["runs"])
        runs = by_mutant(tables["runs"])
        for mutant in () if unit.trial else unit.mutants:
            own = [*self._before_of(mutant), *runs.get(mutant.mutant_id, [])]
            if mutant.mutant_id in incompetent:
                outcome = Outcome("incompetent", None, incompetent[mutant.mutant_id])
            elif self._clean.complete(name):
                outcome = self._outcome(unit.planned, own)
            else:
                outcome = None
            if outcome is None or self._goes_on(name, outcome):
                self._undecided.add(mutant.mutant_id)
            else:
                _add(tables, mutant_rows(unit.planned.subject, mutant, outcome, self._seed))
        self._staging.commit(unit.batch.key, tables)
        return len(tables["runs"])

    def _rows(self, unit: Scheduled, done: Done) -> tuple[Tables, Mapping[str, str]]:
        """Return what a unit brought, and the reasons of its incompetent mutants."""
        if done.failure is not None:
            return {"runs": list(failed_runs(unit, self._rule, done))}, {}
        assert done.value is not None
        if done.value["refused"] is not None:
            raise SubjectError(
                f"subject {unit.batch.subject}: expected a clean program that trains; received "
                f"{done.value['refused']}; repair its script and name another folder"
            )
        here = done.value["environment"]
        self._staging.commit(f"environment-{here['environment_id']}", {"environments": [here]})
        tables: Tables = {name: list(rows) for name, rows in done.value["tables"].items()}
        by = {"worker": done.worker, "attempts": done.attempts}
        tables["runs"] = [{**row, **by} for row in tables["runs"]]
        return tables, done.value["incompetent"]

    def _outcome(self, part: Planned, runs: Sequence[Row]) -> Outcome:
        direction = part.judge.higher_is_better
        return self._clean.outcome(part.subject.name, runs, higher_is_better=direction)

    def _goes_on(self, subject: str, outcome: Outcome) -> bool:
        return outcome.name == "undecided" and self._clean.enough(subject)

    def late(self) -> list[Scheduled]:
        """Decide, from the stored runs, what can be; return the units that train the rest on."""
        units: list[Scheduled] = []
        for part in self._planned:
            late = [m for m in part.mutants() if m.mutant_id in self._undecided]
            runs = stored.runs_of(self._root, part.subject.name, late)
            tables: Tables = {}
            going_on: list[tuple[Mutant, int]] = []
            for mutant in late:
                own = runs.get(mutant.mutant_id, [])
                outcome = self._outcome(part, own)
                if self._goes_on(part.subject.name, outcome):
                    self._before[mutant.mutant_id] = own
                    going_on.append((mutant, len(own)))
                else:
                    _add(tables, mutant_rows(part.subject, mutant, outcome, self._seed))
            if tables:
                ids = sorted(row["mutant_id"] for row in tables["mutants"])
                self._staging.commit(f"late-{content_hash(ids)}", tables)
            units.extend(part.units_of(iter(going_on)))
        self._undecided.clear()
        return units

    def store_equivalent(self) -> None:
        """Store the mutants that are provably equivalent, the planned and the searches' ones."""
        for part in self._planned:
            found = {m.mutant_id: m for m in part.mutants() if m.equivalence is not None}
            found |= {m.mutant_id: m for m in self.searches.equivalent(part)}
            names = sorted(found.keys() - stored.outcomes(self._root, part.subject.name).keys())
            tables: Tables = {}
            for name in names:
                outcome = Outcome("equivalent", None, str(found[name].equivalence))
                _add(tables, mutant_rows(part.subject, found[name], outcome, self._seed))
            if names:
                self._staging.commit(f"equivalent-{content_hash(names)}", tables)

    def close(self) -> None:
        """Store a row for every subject that has none."""
        closed = stored.subjects(self._root)
        for part in self._planned:
            name = part.subject.name
            if name in closed:
                continue
            shams = [
                outcome in KILLED
                for outcome in stored.sham_outcomes(self._root, name)
                if outcome in (*KILLED, "survived")
            ]
            arrays = load_arrays(part.folder)
            row = subject_row(part.subject, part.judge, arrays, self._clean.scores(name), shams)
            unit = f"subject-{content_hash([name, part.subject.program.program_id])}"
            self._staging.commit(unit, {"subjects": [row]})


def _add(tables: Tables, more: Tables) -> None:
    for name, rows in more.items():
        tables.setdefault(name, []).extend(rows)


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
