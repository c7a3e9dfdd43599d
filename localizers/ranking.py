"""Chances and expected ranks when layers with equal scores come in a random order.

A ranking is a sequence of groups of layer indices, worst first; layers of one group tie. Layers
that are in no group are never found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Literal

from ..datasets.errors import ConfigError

Ties = Literal["expected", "deepest"]
Ranking = Sequence[tuple[int, ...]]


def ranking(scores: Mapping[int, float], ties: Ties = "expected") -> tuple[tuple[int, ...], ...]:
    """Order layers by descending score; ``scores`` maps layer index to a number that is not NaN.

    With ``ties="deepest"`` the deeper of two equal layers comes first, as in GUIDER's released
    code, and no group has two members. Raises ConfigError for another ``ties``.
    """
    if ties not in ("expected", "deepest"):
        raise ConfigError(f"ties must be 'expected' or 'deepest', got {ties!r}")
    if ties == "deepest":
        return tuple((i,) for i in sorted(scores, key=lambda i: (-scores[i], -i)))
    groups: dict[float, list[int]] = {}
    for layer in sorted(scores):
        groups.setdefault(scores[layer], []).append(layer)
    return tuple(tuple(groups[score]) for score in sorted(groups, reverse=True))


def hit_at_k(order: Ranking, answers: Iterable[frozenset[int]], k: int) -> float:
    """Chance that some answer set has a layer among the first ``k``.

    In the tie of n layers, l of them faulty, that fills the last x places:
    ``1 - C(n - l, x) / C(n, x)``.
    """
    faulty = frozenset().union(*answers)
    places = k
    for group in order:
        if places <= 0:
            return 0.0
        n, found = len(group), len(faulty.intersection(group))
        places_here = min(n, places)
        if found:
            return 1.0 - comb(n - found, places_here) / comb(n, places_here)
        places -= n
    return 0.0


def all_at_k(order: Ranking, answers: Iterable[frozenset[int]], k: int) -> float:
    """Chance that some non-empty answer set lies among the first ``k`` whole."""
    sure: set[int] = set()
    tied: tuple[int, ...] = ()
    places = k
    for group in order:
        if len(group) > places:
            tied = group
            break
        sure.update(group)
        places -= len(group)
    needed = {answer - sure for answer in answers if answer and (answer - sure) <= frozenset(tied)}
    return _chance_of_some(needed, len(tied), places)


def expected_first_rank(order: Ranking, answers: Iterable[frozenset[int]], n_layers: int) -> float:
    """Expected rank, from 1, of the first faulty layer; ``n_layers + 1`` when none is named.

    In the tie of n layers, l of them faulty, after ``start`` others: start + (n + 1) / (l + 1).
    """
    faulty = frozenset().union(*answers)
    start = 0
    for group in order:
        found = len(faulty.intersection(group))
        if found:
            return start + (len(group) + 1) / (found + 1)
        start += len(group)
    return float(n_layers + 1)


def _chance_of_some(needed: set[frozenset[int]], n: int, places: int) -> float:
    """Chance that ``places`` of ``n`` tied layers, drawn at random, include one of the sets."""
    if not needed:
        return 0.0
    if frozenset() in needed:
        return 1.0
    minimal = [s for s in needed if not any(other < s for other in needed)]
    large = [s for s in minimal if len(s) > 1]
    singles = len(minimal) - len(large)
    draws = comb(n, places)
    none_single = comb(n - singles, places)
    some_large = 0
    for size in range(1, len(large) + 1):
        for chosen in combinations(large, size):
            union = len(frozenset().union(*chosen))
            if union <= places:
                ways = comb(n - singles - union, places - union)
                some_large += ways if size % 2 else -ways
    return 1.0 - (none_single - some_large) / draws
