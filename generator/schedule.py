"""The trainings of a campaign as units, in order, made when they are asked for and not held."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

from ..datasets.capture import Subject
from .config import CampaignConfig
from .graph_key import graph_key
from .killing import Criterion, criterion
from .plan import Mutant, plan_mutants
from .quests import Quest, quests
from .scoring import Judge
from .units import TRIAL, Batch, Order, chunks

_TRAININGS_PER_UNIT = 60
_CLEAN_PER_UNIT = 10
_MUTANTS_AT_ONCE = 500
"""Mutants among which those that share a graph are brought together."""


@dataclass(frozen=True)
class Scheduled:
    """A unit of a subject, with the mutants that it trains; none for clean runs."""

    planned: Planned
    batch: Batch
    mutants: tuple[Mutant, ...]

    @property
    def trial(self) -> bool:
        """Whether its runs are trials of a search."""
        return self.batch.orders[0].role == TRIAL

    @property
    def trainings(self) -> int:
        """About how many trainings it is: a mutant may be decided early."""
        if not self.mutants:
            return sum(order.runs for order in self.batch.orders)
        return len(self.mutants) * _typical(criterion_of(self.planned.config))


@dataclass(frozen=True)
class Planned:
    """A subject and what decides which mutants of it are trained.

    Args:
        subject: the clean program.
        folder: where its arrays are.
        codes: operator codes.
        config: the campaign.
    """

    subject: Subject
    folder: Path
    codes: tuple[str, ...]
    config: CampaignConfig

    @cached_property
    def judge(self) -> Judge:
        """The metric that decides."""
        return Judge.of(self.subject.program, self.subject.task)

    def mutants(self) -> Iterator[Mutant]:
        """Go through the planned mutants, in the same order every time."""
        return plan_mutants(
            self.subject,
            self.codes,
            limit=self.config.limit,
            shams=self.config.sham_mutants,
            seed=self.config.seed,
            searched=self.config.search != "none",
        )

    def quests(self) -> Iterator[Quest]:
        """Go through the searches, in the same order every time."""
        if self.config.search == "none":
            return iter(())
        return quests(
            self.subject.program, self.codes, limit=self.config.limit, seed=self.config.seed
        )

    def clean_units(self) -> Iterator[Scheduled]:
        """Go through the units of clean runs."""
        text, runs = self.subject.program.text, criterion_of(self.config).n_clean
        for first in range(0, runs, _CLEAN_PER_UNIT):
            order = Order(text, "clean", None, None, first, min(_CLEAN_PER_UNIT, runs - first))
            yield self._scheduled((order,), ())

    def mutant_units(self) -> Iterator[Scheduled]:
        """Go through the units of mutants; those of one unit share a graph key.

        Mutants that are provably equivalent are in none: there is nothing to train.
        """
        return self.units_of((m, 0) for m in self.mutants() if m.equivalence is None)

    def units_of(
        self, wanted: Iterator[tuple[Mutant, int]], *, trial: bool = False
    ) -> Iterator[Scheduled]:
        """Go through the units of some mutants, each from a run on.

        Args:
            wanted: mutants and their first runs.
            trial: whether these are trials of a search, whose runs decide about nothing else.
        """
        rule = criterion_of(self.config)
        size = max(1, _TRAININGS_PER_UNIT // _typical(rule))
        while window := tuple(islice(wanted, _MUTANTS_AT_ONCE)):
            by_graph: dict[str, list[Order]] = defaultdict(list)
            by_id = {mutant.mutant_id: mutant for mutant, _ in window}
            for mutant, first in window:
                order = _order(mutant, first, rule.n_faulty - first, trial=trial)
                by_graph[graph_key(mutant.program)].append(order)
            for orders in by_graph.values():
                for chunk in chunks(orders, size):
                    yield self._scheduled(chunk, [by_id[str(o.mutant_id)] for o in chunk])

    def _scheduled(self, orders: Iterable[Order], mutants: Sequence[Mutant]) -> Scheduled:
        subject, rule = self.subject, criterion_of(self.config)
        batch = Batch(
            subject.name,
            self.config.seed,
            self.config.keep_models,
            asdict(self.judge),
            {"name": rule.name, "n_clean": rule.n_clean, "n_faulty": rule.n_faulty},
            subject.data_group,
            tuple(orders),
        )
        return Scheduled(self, batch, tuple(mutants))


def schedule(planned: Sequence[Planned]) -> Iterator[Scheduled]:
    """Go through the units of a campaign: all clean runs first, since every decision needs them."""
    return chain(
        chain.from_iterable(part.clean_units() for part in planned),
        chain.from_iterable(part.mutant_units() for part in planned),
    )


def criterion_of(config: CampaignConfig) -> Criterion:
    """Return the configured criterion with the configured numbers of runs."""
    return criterion(
        config.criterion, n_clean=config.clean_replicates, n_faulty=config.faulty_replicates
    )


def _typical(rule: Criterion) -> int:
    return rule.looks[len(rule.looks) // 2]


def _order(mutant: Mutant, first: int, runs: int, *, trial: bool) -> Order:
    role = "sham" if mutant.operator == "SHAM" else "faulty"
    return Order(
        mutant.program.text,
        TRIAL if trial else role,
        mutant.mutant_id,
        mutant.operator,
        first,
        runs,
        # Fresh streams confirm what a search found, so trials must not use them up.
        TRIAL if trial else mutant.salt,
    )
