"""The scores of one operator's family of mutants, published and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .families import Configuration, Evidence, Family
from .instability import (
    ENOUGH_POWER,
    power,
    published_power,
    published_range_instability,
    share_unstable,
)
from .mutation_score import (
    is_monotone,
    killability,
    least_killed,
    published_range_score,
    published_set_score,
    range_score,
    sensitivity,
    set_score,
)


def family_row(family: Family) -> dict[str, Any]:
    """Return all scores of a family.

    Configurations that the judge rows or the training rows cannot decide are left out and
    counted; the weak score, and the strong one beside it, leave out those that the weak rows
    cannot decide.
    """
    known = [c for c in family.configurations if None not in (c.test.killed, c.train.killed)]
    weak = [c for c in known if c.weak is not None and c.weak.killed is not None]
    score = _range_score if family.bounds else _set_score
    strong_score = score(weak, [bool(c.test.killed) for c in weak])
    weak_score = score(weak, [bool(c.weak and c.weak.killed) for c in weak])
    killed = [c.test for c in family.configurations if c.test.killed]
    return {
        "operator": family.operator,
        "layer": family.layer,
        "kind": "range" if family.bounds else "set",
        "mutants": len(family.configurations),
        "undecided": len(family.configurations) - len(known),
        "killed_train": sum(bool(c.train.killed) for c in known),
        "killed_test": sum(bool(c.test.killed) for c in known),
        "score": score(known, [bool(c.test.killed) for c in known]),
        "weak_score": weak_score,
        "strong_score": strong_score,
        "sensitivity": sensitivity(strong_score, weak_score),
        "instability": share_unstable([_power(evidence) for evidence in killed]),
        "killability": _killability(family),
        "monotone": _monotone(family),
        **(_published_range(known) if family.bounds else _published_set(known)),
    }


def _range_score(known: Sequence[Configuration], tested: Sequence[bool]) -> float | None:
    places = [one.place() for one in known]
    return range_score(
        least_killed(dict(zip(places, [bool(one.train.killed) for one in known], strict=True))),
        least_killed(dict(zip(places, tested, strict=True))),
    )


def _set_score(known: Sequence[Configuration], tested: Sequence[bool]) -> float | None:
    return set_score(
        [one.mutant_id for one in known if one.train.killed],
        [one.mutant_id for one, killed in zip(known, tested, strict=True) if killed],
        [one.mutant_id for one in known if one.train.killed and not _stable(one.train)],
    )


def _published_range(known: Sequence[Configuration]) -> dict[str, float | None]:
    train = _least([one for one in known if one.train.killed])
    test = _least([one for one in known if one.test.killed])
    if train is None:
        return {"score_published": None, "instability_published": None}
    bounds = train.bounds
    assert bounds is not None and train.value is not None
    increasing = bounds.direction == "increasing"
    return {
        "score_published": published_range_score(
            train.place(linear=True), None if test is None else test.place(linear=True)
        ),
        "instability_published": published_range_instability(
            {one.value or 0.0: _published_stable(one.test) for one in known},
            train=train.value,
            test=None if test is None else test.value,
            bound=bounds.high if increasing else bounds.low,
            increasing=increasing,
        ),
    }


def _least(killed: Sequence[Configuration]) -> Configuration | None:
    return min(killed, key=lambda one: one.place(linear=True), default=None)


def _published_set(known: Sequence[Configuration]) -> dict[str, float | None]:
    train = [one.mutant_id for one in known if one.train.killed]
    test = [one.mutant_id for one in known if one.test.killed]
    unsure = [one.mutant_id for one in known if not _published_stable(one.train)]
    both = [one for one in known if one.train.killed and one.test.killed]
    unstable = share_unstable([_published_power(one.test) for one in both])
    return {
        "score_published": published_set_score(train, test, unsure),
        "instability_published": unstable or 0.0,
    }


def _killability(family: Family) -> float | None:
    if family.bounds is None:
        return None
    return killability(least_killed({c.place(): bool(c.test.killed) for c in _tested(family)}))


def _monotone(family: Family) -> bool | None:
    if family.bounds is None:
        return None
    return is_monotone({c.place(): bool(c.test.killed) for c in _tested(family)})


def _tested(family: Family) -> list[Configuration]:
    return [one for one in family.configurations if one.test.killed is not None]


def _power(evidence: Evidence) -> float:
    """Power of a decision; one without an effect size was decided by diverged runs and is sure."""
    if evidence.effect_size is None:
        return 1.0
    return power(evidence.effect_size, evidence.n_clean, evidence.n_faulty)


def _stable(evidence: Evidence) -> bool:
    return _power(evidence) >= ENOUGH_POWER


def _published_power(evidence: Evidence) -> float:
    if evidence.effect_size is None:
        return 1.0
    return published_power(evidence.effect_size, evidence.n_clean, evidence.n_faulty)


def _published_stable(evidence: Evidence) -> bool:
    return _published_power(evidence) >= ENOUGH_POWER
