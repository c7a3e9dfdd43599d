"""How often each kind of fault occurs, and how many at once, as presets to draw mutants from."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ..datasets.errors import ConfigError


@dataclass(frozen=True)
class Share:
    """A family of fault types and how often it occurs.

    Args:
        family: name for people.
        weight: percent of all fault labels; a family may have none.
        fault_types: codes that operators declare; empty where no operator makes such faults.
    """

    family: str
    weight: float
    fault_types: tuple[str, ...]


@dataclass(frozen=True)
class Preset:
    """A distribution of arity and of fault types.

    Args:
        name: of the preset.
        source: where its numbers are from.
        arities: pairs of a number of fault types in one program and its probability.
        shares: of the families; empty where all fault types are alike.
    """

    name: str
    source: str
    arities: tuple[tuple[int, float], ...]
    shares: tuple[Share, ...]

    def weights(self, fault_types: Iterable[str]) -> dict[str, float]:
        """Return the probability of each fault type among those that there are.

        The weight of a family is split evenly among its fault types that there are, since the
        sources do not tell them apart. Families of which there is none are left out and the rest
        is scaled to 1.

        Args:
            fault_types: codes that can be drawn.

        Returns:
            Probabilities that sum to 1, by code in alphabetical order; empty where the preset
            has none of these types.
        """
        there = sorted(set(fault_types))
        if not self.shares:
            return {code: 1 / len(there) for code in there}
        found: dict[str, float] = {}
        for share in self.shares:
            members = [code for code in share.fault_types if code in there]
            if share.weight > 0:
                found |= {code: share.weight / len(members) for code in members}
        total = sum(found.values())
        return {code: found[code] / total for code in there if code in found}

    def left_out(self, fault_types: Iterable[str]) -> tuple[Share, ...]:
        """Return the families with a weight of which none of these fault types is."""
        there = set(fault_types)
        return tuple(
            share
            for share in self.shares
            if share.weight > 0 and not there.intersection(share.fault_types)
        )

    def higher_arities(self, most: int) -> dict[int, float]:
        """Return the probability of each arity of at least 2, given that it is at least 2.

        A preset of single faults only gives pairs, which come closest to it.

        Args:
            most: largest arity that is possible.

        Returns:
            Probabilities that sum to 1; empty where not even pairs are possible.
        """
        there = {arity: share for arity, share in self.arities if 2 <= arity <= most}
        if not there and most >= 2:
            there = {2: 1.0}
        total = sum(there.values())
        return {arity: share / total for arity, share in there.items()}


_ACTIVATION: Final = ("ACH", "AAL", "ARM", "RRA")
_STRUCTURE: Final = (
    *("LRM", "LAD", "LWS", "BNR", "BNP"),
    *("LCN", "LCF", "LKS", "LCS", "LCP", "LCD"),
)
_EPOCHS: Final = ("HNE",)
_LOSS: Final = ("LCH", "LFL", "LWR", "CWM", "CWW")
_PREPROCESSING: Final = ("CPP",)
_LEARNING_RATE: Final = ("HLR",)
_DATA: Final = ("TCL", "TRD", "TUD", "TAN", "TCO", "DRP")
_OPTIMISER: Final = ("OCH", "OCG", "OMO", "HAE")
_BATCH: Final = ("HBS", "HDB")
_INITIALISATION: Final = ("WCI", "BCI")
_REGULARISATION: Final = ("RAW", "RCW", "RRW", "RCD", "LDP", "WDW")
_VALIDATION: Final = ("VRM", "IDS")
_BIAS: Final = ("WAB", "WRB")

_REAL_ARITIES: Final = ((1, 0.47), (2, 0.22), (3, 0.19), (4, 0.11), (5, 0.01))

UNIFORM: Final = Preset(
    name="uniform",
    source="every fault type alike, one in each program: for statistics of single types",
    arities=((1, 1.0),),
    shares=(),
)
SO_GITHUB: Final = Preset(
    name="so_github",
    source="214 labels of 93 unique real Keras faults from Stack Overflow and GitHub, in "
    "defect4ML, DeepLocalize and DeepFD; arities of 5 and more count as 5",
    arities=_REAL_ARITIES,
    shares=(
        Share("activation", 17.2, _ACTIVATION),
        Share("layer structure", 18.7, _STRUCTURE),
        Share("epochs", 14.1, _EPOCHS),
        Share("loss", 11.6, _LOSS),
        Share("preprocessing", 11.1, _PREPROCESSING),
        Share("learning rate", 6.1, _LEARNING_RATE),
        Share("training data", 6.1, _DATA),
        Share("optimiser", 5.6, _OPTIMISER),
        Share("batch size", 4.5, _BATCH),
        Share("weight initialisation", 1.5, _INITIALISATION),
        Share("regularisation", 1.5, _REGULARISATION),
        Share("validation", 1.0, _VALIDATION),
        Share("bias", 1.0, _BIAS),
    ),
)
PRACTITIONER: Final = Preset(
    name="practitioner",
    source="375 occurrences, among artefacts and interviews, in the Taxonomy of Real Faults in "
    "Deep Learning Systems (Humbatova et al., ICSE 2020); arities as in so_github",
    arities=_REAL_ARITIES,
    shares=(
        Share("preprocessing", 22.9, _PREPROCESSING),
        Share("training data", 22.4, _DATA),
        Share("layer structure", 16.6, _STRUCTURE),
        Share("epochs, learning rate, batch size", 15.7, (*_EPOCHS, *_LEARNING_RATE, *_BATCH)),
        Share("loss", 9.0, _LOSS),
        Share("activation", 3.1, _ACTIVATION),
        Share("optimiser", 2.7, _OPTIMISER),
        Share("validation", 2.7, _VALIDATION),
        Share("weight initialisation", 2.2, _INITIALISATION),
        Share("augmentation", 1.8, ()),
        Share("regularisation", 0.4, _REGULARISATION),
        Share("bias", 0.4, _BIAS),
    ),
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {known.name: known for known in (UNIFORM, SO_GITHUB, PRACTITIONER)}
)
"""All presets by name."""


def preset(name: str) -> Preset:
    """Return a preset by its name.

    Raises:
        ConfigError: there is none of this name.
    """
    if name in PRESETS:
        return PRESETS[name]
    near = difflib.get_close_matches(name, PRESETS, n=1)
    advice = f"did you mean {near[0]!r}?" if near else "choose one of them"
    raise ConfigError(f"preset: expected one of {', '.join(PRESETS)}; received {name!r}; {advice}")
