"""What a campaign will do with a subject: which mutants, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..datasets.capture import Subject
from ..datasets.errors import NotApplicable
from ..datasets.program import Json, TrainingProgram
from ..operators.base import Mutation, Operator
from ..operators.equivalence import provably_equivalent
from ..operators.mutants import Fault, faults_of, mutant_id, mutate
from ..operators.registry import operator


@dataclass(frozen=True)
class Mutant:
    """A planned mutant.

    Args:
        mutant_id: content hash of the clean program and the mutations.
        subject: name.
        mutations: ordered.
        program: the faulty program; the clean one for SHAM.
        faults: the ground truth, computed as a difference; empty for SHAM.
        operator: code; codes of several mutations are joined by ``+``.
        stage: when the (first) mutation acts.
        equivalence: why it is provably equivalent to the clean program; None where it is not
            known to be. Such a mutant is not trained.
        search: JSON text of the search that found it; None where there was none.
        search_killed: whether the search saw it killed; None where there was no search.
    """

    mutant_id: str
    subject: str
    mutations: tuple[Mutation, ...]
    program: TrainingProgram
    faults: tuple[Fault, ...]
    operator: str
    stage: str
    equivalence: str | None = None
    search: str | None = None
    search_killed: bool | None = None

    @property
    def salt(self) -> str:
        """What sets the streams of a SHAM mutant apart from the clean program's."""
        return self.mutant_id if self.operator == "SHAM" else ""


def plan_mutants(
    subject: Subject,
    codes: Sequence[str],
    *,
    limit: int | None,
    shams: int,
    seed: int,
    searched: bool = False,
) -> Iterator[Mutant]:
    """Plan the mutants of a subject, one after the other.

    Args:
        subject: the clean program.
        codes: operator codes; each is planned at every site.
        limit: largest number of mutants per operator and subject, or None for all. Sites get
            equally many, or are drawn where they are more than that, so that position is
            uniform; variants of a site are drawn without replacement.
        shams: number of SHAM mutants.
        seed: of the draws.
        searched: whether parameters with a range are left to a search.

    Returns:
        Mutants in a stable order, each program once.
    """
    seen = {subject.program.program_id}
    for code in codes:
        for mutation in _limited(operator(code), subject.program, limit, seed, searched):
            try:
                mutant = mutant_of(subject, mutation)
            except NotApplicable:
                continue
            if mutant.program.program_id not in seen:
                seen.add(mutant.program.program_id)
                yield mutant
    sham = operator("SHAM")
    (site,) = sham.sites(subject.program)
    for number in range(shams):
        yield mutant_of(subject, Mutation("SHAM", site, {"salt": number}))


def mutant_of(subject: Subject, mutation: Mutation) -> Mutant:
    """Return the mutant of one mutation.

    Raises:
        NotApplicable: the mutation has no such site, or changes nothing.
    """
    clean = subject.program
    faulty = mutate(clean, (mutation,))
    sham = faulty.program_id == clean.program_id
    return Mutant(
        mutant_id=mutant_id(clean.program_id, (mutation,)),
        subject=subject.name,
        mutations=(mutation,),
        program=faulty,
        faults=faults_of(clean, faulty, (mutation,)),
        operator=mutation.code,
        stage=operator(mutation.code).stage,
        equivalence=None if sham else provably_equivalent(clean, faulty),
    )


def _limited(
    chosen: Operator, program: TrainingProgram, limit: int | None, seed: int, searched: bool
) -> list[Mutation]:
    by_site: list[list[Mutation]] = []
    for site in chosen.sites(program):
        if searched and chosen.ranges(program, site):
            continue
        variants: list[Json] = list(chosen.variants(program, site))
        order = np.arange(len(variants))
        if limit is not None:
            order = np.random.default_rng([seed, len(by_site)]).permutation(len(variants))
        by_site.append([Mutation(chosen.code, site, variants[index]) for index in order])
    if limit is not None:
        np.random.default_rng([seed, *chosen.code.encode()]).shuffle(by_site)
    rounds = max((len(variants) for variants in by_site), default=0)
    spread = [
        variants[turn] for turn in range(rounds) for variants in by_site if turn < len(variants)
    ]
    return spread[:limit]
