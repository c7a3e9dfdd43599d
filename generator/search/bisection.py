"""Bisection of the bracket, several values at once, that always ends."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ...operators.base import Range
from .base import Ended, ended, mild_and_aggressive

_DIGITS = 4


@dataclass(frozen=True)
class Bisection:
    """Halve the bracket between the survivor and the mildest value killed, then check beside it.

    The bracket lies between the most aggressive survivor and what is next to it, so what is
    found has no tried survivor beyond it even where killing is not monotone. Values are taken at
    equal distances, or at equal ratios on a log scale, rounded to four significant digits. A
    value is tried once, and the bracket shrinks to the precision or until rounding leaves
    nothing between its ends, so every search ends. Then values two precisions away on either side
    are tried, unless something near them was: a survivor beyond the bracket moves it, a killed
    value before it shows that killing is not monotone.
    """

    def next_values(
        self, space: Range, tried: Mapping[float, bool], width: int
    ) -> tuple[float, ...] | Ended:
        """Try the aggressive end, then the bracket, then its neighbours."""
        mild, aggressive = mild_and_aggressive(space)
        if aggressive not in tried:
            # Guesses beside the end use free slots, and halve the bracket in the same round.
            return (aggressive, *_between(space, mild, aggressive, tried, width - 1))
        now = ended(space, tried)
        if now.state == "not_killable":
            return now
        assert now.killed is not None
        before = mild if now.survived is None else now.survived
        if not _narrow(space, before, now.killed):
            inside = _between(space, before, now.killed, tried, width)
            if inside:
                return inside
        return _neighbours(space, tried, now.survived, now.killed) or now


def _neighbours(
    space: Range, tried: Mapping[float, bool], survived: float | None, killed: float
) -> tuple[float, ...]:
    """Return values beside the bracket, on whose sides nothing near was tried."""
    away = 1 if space.direction == "increasing" else -1
    sides = [(killed, away)] if survived is None else [(killed, away), (survived, -away)]
    found = []
    for value, sign in sides:
        other = _moved(space, value, 2 * sign)
        low, high = sorted((value, other))
        near = any(low <= known <= high for known in tried if known != value)
        if not near and other not in tried and space.low < other < space.high:
            found.append(other)
    return tuple(found)


def _moved(space: Range, value: float, steps: int) -> float:
    if space.scale == "log":
        return _rounded(space, value * space.precision**steps)
    return _rounded(space, value + steps * space.precision)


def _rounded(space: Range, value: float) -> float:
    return float(round(value)) if space.integer else float(f"{value:.{_DIGITS}g}")


def _narrow(space: Range, first: float, second: float) -> bool:
    low, high = sorted((first, second))
    if space.scale == "log":
        return high <= low * space.precision
    return high - low <= space.precision


def _between(
    space: Range, first: float, second: float, tried: Mapping[float, bool], number: int
) -> tuple[float, ...]:
    """Return up to that many new values that cut an interval into equal parts."""
    found: list[float] = []
    for part in range(1, number + 1):
        share = part / (number + 1)
        if space.scale == "log":
            value = math.exp((1 - share) * math.log(first) + share * math.log(second))
        else:
            value = (1 - share) * first + share * second
        value = _rounded(space, value)
        low, high = sorted((first, second))
        if low < value < high and value not in tried and value not in found:
            found.append(value)
    return tuple(found)
