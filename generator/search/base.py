"""What a search is given and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from ...operators.base import Range

State = Literal["found", "not_killable"]


@dataclass(frozen=True)
class Ended:
    """The end of a search.

    Args:
        state: ``found``, or ``not_killable``: the most aggressive value survives.
        killed: the mildest value such that it and all tried beyond it are killed; None where
            there is none.
        survived: the tried value next to it on the mild side; None where none was tried.
        monotone: whether no survivor lies beyond a killed value.
    """

    state: State
    killed: float | None
    survived: float | None
    monotone: bool


class Search(Protocol):
    """A rule that says which values to try next."""

    def next_values(
        self, space: Range, tried: Mapping[float, bool], width: int
    ) -> tuple[float, ...] | Ended:
        """Go on from what is known.

        Args:
            space: the values that may be tried.
            tried: whether each value that was tried is killed.
            width: how many values can be tried at once.

        Returns:
            values to try, none of which was tried; or how the search ended.
        """


def mild_and_aggressive(space: Range) -> tuple[float, float]:
    """Return the ends of a range, the milder one first."""
    ends = (space.low, space.high)
    return ends if space.direction == "increasing" else ends[::-1]


def by_mildness(space: Range, values: Mapping[float, bool]) -> list[float]:
    """Sort values from mild to aggressive."""
    return sorted(values, reverse=space.direction == "decreasing")


def ended(space: Range, tried: Mapping[float, bool]) -> Ended:
    """Say what tried values, the most aggressive one among them, amount to."""
    order = by_mildness(space, tried)
    survivors = [value for value in order if not tried[value]]
    last = survivors[-1] if survivors else None
    beyond = order if last is None else order[order.index(last) + 1 :]
    if not beyond:
        return Ended("not_killable", None, last, monotone=not any(tried.values()))
    monotone = last is None or not any(tried[value] for value in order[: order.index(last)])
    return Ended("found", beyond[0], last, monotone)
