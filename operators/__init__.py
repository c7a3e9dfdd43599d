"""What can go wrong: mutation operators."""

from .base import Example, Mutation, Operator, Range, Site
from .mutants import Fault, faults_of, mutant_id, mutate, revert_faults
from .registry import operator, operators

__all__ = [
    "Example",
    "Fault",
    "Mutation",
    "Operator",
    "Range",
    "Site",
    "faults_of",
    "mutant_id",
    "mutate",
    "operator",
    "operators",
    "revert_faults",
]
