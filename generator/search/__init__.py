"""Search for the mildest value of a parameter that kills.

A search is a function of the values that were tried and how they ended, so that it can be resumed
and repeated from stored runs; a value found is lucky, and is confirmed on fresh runs elsewhere.
"""

from collections.abc import Mapping
from types import MappingProxyType

from .base import Ended, Search, State
from .bisection import Bisection
from .deepcrime import DeepCrimeSearch

__all__ = ["SEARCHES", "Bisection", "DeepCrimeSearch", "Ended", "Search", "State"]

SEARCHES: Mapping[str, Search] = MappingProxyType(
    {"bisection": Bisection(), "deepcrime": DeepCrimeSearch()}
)
"""Searches by name."""
