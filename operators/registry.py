"""All operators by code and by name; importing this imports no Keras."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ..datasets.errors import ConfigError
from .base import Operator

ENTRY_POINTS = "faultloom.operators"
"""Entry points of this group are `Operator` classes."""

_MODULES = (
    "activations",
    "biases",
    "callbacks",
    "class_weights",
    "data",
    "embedding",
    "hyperparameters",
    "initializers",
    "layer_types",
    "layers",
    "learning_rates",
    "losses",
    "neurons",
    "normalization",
    "optimizer_settings",
    "optimizers",
    "preparation",
    "preprocessing",
    "recurrent",
    "regularization",
    "sham",
    "sizes",
    "validation",
)


def operators(*, reserved: bool = False) -> tuple[Operator, ...]:
    """Return all operators in the order of their codes.

    Args:
        reserved: also those that are no fault, that is SHAM.
    """
    found = _registered()
    return tuple(found[code] for code in sorted(found) if reserved or not found[code].reserved)


def operator(code_or_name: str) -> Operator:
    """Return one operator, by its code or its name, in any case.

    Raises:
        ConfigError: there is none; the message names those that are spelt alike.
    """
    known = _registered()
    names = {found.name: found for found in known.values()} | known
    wanted = code_or_name.upper() if code_or_name.upper() in known else code_or_name.lower()
    if wanted in names:
        return names[wanted]
    alike = [
        *difflib.get_close_matches(code_or_name.upper(), known, 3, 0.5),
        *difflib.get_close_matches(code_or_name.lower(), names, 3, 0.5),
    ]
    hint = f"did you mean {' or '.join(alike)}?" if alike else f"known: {', '.join(sorted(known))}"
    raise ConfigError(f"operator: there is no {code_or_name!r}; {hint}")


@cache
def _registered() -> dict[str, Operator]:
    own = [
        kind for module in _MODULES for kind in import_module(f".{module}", __package__).OPERATORS
    ]
    return registered([*own, *(point.load() for point in entry_points(group=ENTRY_POINTS))])


def registered(kinds: Iterable[type[Operator]]) -> dict[str, Operator]:
    """Make operators of classes, by code.

    Raises:
        ConfigError: two have the same code or name, or one is no operator.
    """
    found: dict[str, Operator] = {}
    names: dict[str, Operator] = {}
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Operator)):
            raise ConfigError(f"operator {kind!r}: expected a class derived from Operator")
        new = kind()
        for key, holder in ((new.code, found), (new.name, names)):
            if key in holder:
                raise ConfigError(
                    f"operator {key}: both {type(holder[key]).__module__} and {kind.__module__} "
                    "register it"
                )
            holder[key] = new
    return found
