"""Mutation scores: of what the training data kills, how much does a test set kill?

DeepCrime (Humbatova, Jahangirova, Tonella, ISSTA 2021) has two kinds: over the range that a search
goes through, and over a set of configurations. Both come as the released code computes them and
corrected. Configurations of a range are named by their aggressiveness, from 0 (harmless end) to 1
(aggressive end).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from ...operators.base import Range


def aggressiveness(value: float, bounds: Range, *, linear: bool) -> float:
    """Return where a value lies between the harmless (0) and the aggressive (1) end of a range.

    Args:
        value: of the parameter that is searched.
        bounds: its range.
        linear: as DeepCrime measures; False measures on the range's own scale, so that every
            factor of ten of a rate counts alike.
    """
    low, high = bounds.low, bounds.high
    if not linear and bounds.scale == "log":
        low, high, value = math.log(low), math.log(high), math.log(value)
    # An end that was written down with six digits is still the end.
    place = round((value - low) / (high - low), 6)
    return place if bounds.direction == "increasing" else 1.0 - place


def least_killed(killed: Mapping[float, bool]) -> float | None:
    """Return the least aggressive place that is killed, or None where none is."""
    return min((place for place, dead in killed.items() if dead), default=None)


def is_monotone(killed: Mapping[float, bool]) -> bool:
    """Whether everything more aggressive than a killed place is killed too.

    The search of DeepCrime assumes it; where it does not hold, a range's score says little.
    """
    least = least_killed(killed)
    return least is None or all(dead for place, dead in killed.items() if place >= least)


def range_score(train: float | None, test: float | None) -> float | None:
    """Return the share of the range which the training data kills that the test set kills.

    Args:
        train: least aggressive place killed by the training data; None kills nothing.
        test: likewise of the test set.

    Returns:
        0 to 1, or None where the training data kills nothing.
    """
    if train is None:
        return None
    if test is None:
        return 0.0
    if train == 1.0:
        return float(test == 1.0)
    return min(1.0, (1.0 - test) / (1.0 - train))


def published_range_score(train: float | None, test: float | None) -> float | None:
    """Return the score as DeepCrime's code has it; None where it leaves the operator out.

    A test set that kills nothing counts as killing the aggressive end. Where that is also all
    that the training data kills, the score is therefore 1, and an operator is left out where the
    training data kills only the aggressive end. The code rounds to two places; this does not.
    """
    if train is None:
        return None
    test = 1.0 if test is None else test
    if train == test:
        return 1.0
    if train == 1.0:
        return None
    return min(1.0, (1.0 - test) / (1.0 - train))


def set_score(
    train: Collection[str], test: Collection[str], unstable: Collection[str] = ()
) -> float | None:
    """Return the share of the configurations killed by the training data that a test set kills.

    Args:
        train: names of the configurations that the training data kills.
        test: likewise of the test set.
        unstable: names of those whose killing by the training data is not sure; left out.

    Returns:
        0 to 1, or None where the training data kills nothing for sure.
    """
    wanted = set(train) - set(unstable)
    return len(wanted & set(test)) / len(wanted) if wanted else None


def published_set_score(
    train: Collection[str], test: Collection[str], unstable: Collection[str] = ()
) -> float | None:
    """Return the score as DeepCrime's code has it: 0 where only unstable ones are killed.

    The code takes elements out of a list while it goes through it and so misses some; with its
    own measure of stability there is never one to take out, so that this is not repeated here.
    """
    if not train:
        return None
    score = set_score(train, test, unstable)
    return 0.0 if score is None else score


def total_score(scores: Sequence[float | None]) -> float | None:
    """Return the mean over the operators that have a score, or None where none has."""
    known = [score for score in scores if score is not None]
    return math.fsum(known) / len(known) if known else None


def published_total_score(scores: Sequence[float | None], instability: Sequence[float]) -> float:
    """Return DeepCrime's total: the mean over operators whose instability is exactly 0, else 0."""
    stable = [
        score if unstable == 0.0 else None
        for score, unstable in zip(scores, instability, strict=True)
    ]
    return total_score(stable) or 0.0


def sensitivity(strong: float | None, weak: float | None) -> float | None:
    """Return how much of a strong test set's mutation score a weak one loses.

    Returns:
        (strong - weak) / strong, or None where the strong score is 0 or either is unknown.
    """
    if strong is None or weak is None or strong == 0.0:
        return None
    return (strong - weak) / strong


def killability(least: float | None) -> float | None:
    """Return how easily an operator is killed: the share of its range that is killed.

    An operator that only its aggressive end kills gets 0.01, as in DeepCrime's replication; one
    that nothing kills has none.
    """
    if least is None:
        return None
    return 0.01 if least == 1.0 else 1.0 - least
