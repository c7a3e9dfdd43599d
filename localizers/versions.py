"""Versions of localisers: answers of another version are asked for anew."""

from __future__ import annotations

from collections.abc import Iterable

from ..datasets.errors import ConfigError
from .base import Localizer
from .registry import LOCALIZERS


def versions_of(localizers: Iterable[str]) -> dict[str, str]:
    """Return the version of each localiser.

    Raises ConfigError for a name that is not known or does not stand for a localiser.
    """
    found = {}
    for name in localizers:
        made = LOCALIZERS.create(name)
        if not isinstance(made, Localizer):
            raise ConfigError(
                f"localizer {name!r}: expected a class with name, version, needs, granularity, "
                f"modes, deterministic and localize; received {type(made).__name__}; add them"
            )
        found[name] = made.version
    return found
