"""Names for things that are imported only when asked for."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
from collections.abc import Mapping
from typing import Any

from ..datasets.errors import ConfigError, FaultloomError


class Registry:
    """Names of one ``kind`` of thing, each bound to a lazy ``module:attribute`` target.

    Installed packages add names through the entry-point ``group``; a ``pkg.mod:Class`` string
    stands for itself. Listing imports none of the targets.
    """

    def __init__(self, kind: str, group: str, targets: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self.group = group
        self._targets: dict[str, str] = {}
        self._discovered = False
        for name, target in (targets or {}).items():
            self.register(name, target)

    def register(self, name: str, target: str) -> None:
        """Bind ``name`` to ``module:attribute``.

        Raises ConfigError when the name is bound to another target or either is malformed.
        """
        if not name or ":" in name:
            raise ConfigError(f"{self.kind} name {name!r} must be non-empty and without a colon")
        module, _, attribute = target.partition(":")
        if not module or not attribute:
            raise ConfigError(f"{self.kind} {name!r}: expected 'module:attribute', got {target!r}")
        known = self._targets.get(name)
        if known not in (None, target):
            raise ConfigError(
                f"{self.kind} {name!r} is registered twice: as {known} and as {target}; rename one"
            )
        self._targets[name] = target

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted; raises ConfigError when an entry point takes a used name."""
        self._discover()
        return tuple(sorted(self._targets))

    def load(self, name: str) -> Any:
        """Import and return what ``name``, or a ``pkg.mod:Class`` string, stands for.

        Raises ConfigError for an unknown name (with the nearest known one) or a target that
        cannot be imported.
        """
        target = name if ":" in name else self._target(name)
        module, _, attribute = target.partition(":")
        try:
            value: Any = importlib.import_module(module)
            for part in attribute.split("."):
                value = getattr(value, part)
        except Exception as error:  # importing a plug-in may raise anything
            raise ConfigError(f"{self.kind} {name!r}: cannot load {target!r}: {error}") from error
        return value

    def create(self, name: str, **options: Any) -> Any:
        """Call what ``load`` returns with ``options``; what it raises becomes a ConfigError."""
        factory = self.load(name)
        try:
            return factory(**options)
        except FaultloomError:
            raise
        except Exception as error:  # a plug-in may raise anything
            raise ConfigError(
                f"{self.kind} {name!r}: cannot be made: {type(error).__name__}: {error}; "
                "check its options"
            ) from error

    def _target(self, name: str) -> str:
        self._discover()
        if name not in self._targets:
            near = difflib.get_close_matches(name, self._targets, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(self.names())}"
            raise ConfigError(f"unknown {self.kind} {name!r}; {hint}")
        return self._targets[name]

    def _discover(self) -> None:
        if self._discovered:
            return
        for entry in importlib.metadata.entry_points(group=self.group):
            self.register(entry.name, entry.value.replace(" ", ""))
        self._discovered = True


_HERE = __name__.rpartition(".")[0]

LOCALIZERS = Registry(
    "localizer",
    "faultloom.localizers",
    {
        "guider": f"{_HERE}.guider:Guider",
        "random": f"{_HERE}.baselines:RandomLayer",
        "random-among-weighted": f"{_HERE}.baselines:RandomAmongWeighted",
        "first-layer": f"{_HERE}.baselines:FirstLayer",
        "last-layer": f"{_HERE}.baselines:LastLayer",
        "largest-layer": f"{_HERE}.baselines:LargestLayer",
        "odd-one-out": f"{_HERE}.baselines:OddOneOut",
        "label-shuffle": f"{_HERE}.baselines:LabelShuffle",
    },
)
"""All localisers that look at one case; the ``priors`` are not among them."""
