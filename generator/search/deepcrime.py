"""DeepCrime's binary search, for comparison."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...operators.base import Range
from .base import Ended, ended, mild_and_aggressive

_MOST_STEPS = 64


@dataclass(frozen=True)
class DeepCrimeSearch:
    """Try the aggressive end, then the middle, one value at a time, on a linear scale.

    Killed moves the aggressive bound to the middle, survived the mild one, whatever was found
    elsewhere, until they are no further apart than the precision. Where a middle is rounded to
    one of the bounds the published recursion goes on for ever; here it ends. A precision that is
    a ratio counts from the mild end of the range.

    Source: DeepCrime (Humbatova, Jahangirova, Tonella, ISSTA 2021), re-implemented.
    """

    def next_values(
        self, space: Range, tried: Mapping[float, bool], width: int
    ) -> tuple[float, ...] | Ended:
        """Replay the search up to the first value that was not tried."""
        mild, aggressive = mild_and_aggressive(space)
        if aggressive not in tried:
            return (aggressive,)
        if not tried[aggressive]:
            return ended(space, tried)
        survived: float | None = None
        for _ in range(_MOST_STEPS):
            if abs(aggressive - mild) <= _precision(space):
                break
            middle = (mild + aggressive) / 2
            middle = float(round(middle)) if space.integer else middle
            if middle in (mild, aggressive):
                break
            if middle not in tried:
                return (middle,)
            if tried[middle]:
                aggressive = middle
            else:
                mild = survived = middle
        return Ended("found", aggressive, survived, ended(space, tried).monotone)


def _precision(space: Range) -> float:
    if space.scale == "linear":
        return space.precision
    return (1 - 1 / space.precision) * mild_and_aggressive(space)[0]
