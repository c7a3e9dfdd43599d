"""The searches of a campaign: what they want trained next, from what is stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..operators.base import Mutation
from ..operators.mutants import mutant_id
from . import stored
from .plan import Mutant, mutant_of
from .quests import Found, Quest, course
from .schedule import Planned, Scheduled
from .search import SEARCHES
from .verdicts import Outcome

Row = dict[str, Any]


class Searches:
    """All searches of a campaign.

    Args:
        root: the corpus.
        planned: all subjects.
        outcome: decides a mutant of a subject from its runs.
    """

    def __init__(
        self,
        root: Path,
        planned: Sequence[Planned],
        outcome: Callable[[Planned, Sequence[Row]], Outcome],
    ) -> None:
        self._root, self._planned, self._outcome = root, planned, outcome
        self._tried: set[str] = set()
        self._asked: set[str] = set()
        self._equivalent: dict[str, dict[str, Mutant]] = defaultdict(dict)

    def units(self) -> list[Scheduled]:
        """Return the units wanted next; none at the end.

        They are trials, and when a search has ended, fresh runs of the mildest value that kills.
        Where those do not kill, the mutant is `unstable`, and the next more aggressive value is
        wanted, up to one that is confirmed.
        """
        units: list[Scheduled] = []
        for part in self._planned:
            units.extend(self._units_of(part))
        new = [unit for unit in units if unit.batch.key not in self._asked]
        self._asked.update(unit.batch.key for unit in new)
        return new

    def equivalent(self, part: Planned) -> tuple[Mutant, ...]:
        """Return the results of ended searches that are provably equivalent and not trained."""
        return tuple(self._equivalent[part.subject.name].values())

    def _units_of(self, part: Planned) -> list[Scheduled]:
        quests = list(part.quests())
        if not quests:
            return []
        trials: dict[str, Mutant] = {}
        found: dict[str, Mutant] = {}
        runs = stored.trial_runs(self._root, part.subject.name)
        decided = stored.outcomes(self._root, part.subject.name)
        for quest in quests:
            for mutant in self._following(part, quest, runs, decided):
                (trials if mutant.search is None else found)[mutant.mutant_id] = mutant
        self._equivalent[part.subject.name] |= _take_equivalent(found)
        self._tried.update(trials)
        return [
            *part.units_of(((mutant, 0) for mutant in trials.values()), trial=True),
            *part.units_of((mutant, 0) for mutant in found.values()),
        ]

    def _following(
        self,
        part: Planned,
        quest: Quest,
        runs: Mapping[str, Sequence[Row]],
        decided: Mapping[str, str],
    ) -> Iterator[Mutant]:
        """Go through the mutants that a search tries next, or the one that is to be confirmed."""

        def outcome_of(mutation: Mutation) -> Outcome | None:
            name = mutant_id(part.subject.program.program_id, (mutation,))
            if name in runs:
                return self._outcome(part, runs[name])
            if name in self._tried:
                # A trial that left no run does not even take a step.
                return Outcome("incompetent", None, "it does not train")
            reason = mutant_of(part.subject, mutation).equivalence
            return None if reason is None else Outcome("equivalent", None, reason)

        method = part.config.search
        done = course(quest, SEARCHES[method], part.subject.program, outcome_of)
        if done.end is None:
            yield from (mutant_of(part.subject, quest.mutation(value)) for value in done.waiting)
            return
        found = Found(quest, done, method)
        for value in done.candidates:
            mutant = mutant_of(part.subject, quest.mutation(value))
            outcome = decided.get(mutant.mutant_id)
            if outcome is None:
                yield replace(mutant, search=found.to_json(), search_killed=found.killed)
            if outcome != "unstable":
                return


def _take_equivalent(mutants: dict[str, Mutant]) -> dict[str, Mutant]:
    """Take the mutants that are provably equivalent out, and return them."""
    names = [name for name, mutant in mutants.items() if mutant.equivalence is not None]
    return {name: mutants.pop(name) for name in names}
