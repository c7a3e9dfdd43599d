"""Killing criteria: does a mutant train to a worse model than its clean program?

Every criterion is a function of stored scores and looks only at the first runs that it wants, so
that a stored decision is reproduced whatever was added later.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType

from ...datasets.errors import ConfigError
from .base import Criterion, Decision, Status, Verdict
from .brunner_munzel import BrunnerMunzel
from .deepcrime import DeepCrime
from .deepcrime_corrected import DeepCrimeCorrected
from .effect import cohens_d
from .mann_whitney import MannWhitney
from .sequential import Sequential
from .sign_flip import SignFlip
from .welch import Welch
from .wilcoxon import Wilcoxon

__all__ = [
    "CRITERIA",
    "BrunnerMunzel",
    "Criterion",
    "Decision",
    "DeepCrime",
    "DeepCrimeCorrected",
    "MannWhitney",
    "Sequential",
    "SignFlip",
    "Status",
    "Verdict",
    "Welch",
    "Wilcoxon",
    "cohens_d",
    "criterion",
]

CRITERIA: Mapping[str, Callable[..., Criterion]] = MappingProxyType(
    {
        "brunner-munzel": BrunnerMunzel,
        "deepcrime": DeepCrime,
        "deepcrime-corrected": DeepCrimeCorrected,
        "mann-whitney": MannWhitney,
        "sequential": Sequential,
        "sign-flip": SignFlip,
        "welch": Welch,
        "wilcoxon": Wilcoxon,
    }
)
"""What makes each criterion, by name."""


def criterion(name: str, /, **overrides: float) -> Criterion:
    """Make the named criterion, with settings other than its defaults where given."""
    if name not in CRITERIA:
        raise ConfigError(
            f"criterion: expected one of {', '.join(sorted(CRITERIA))}, received {name!r}"
        )
    kind = CRITERIA[name]
    settings = list(signature(kind).parameters)
    for setting in overrides:
        if setting not in settings:
            raise ConfigError(
                f"criterion {name!r}: setting: expected one of {', '.join(settings)}, "
                f"received {setting!r}"
            )
    return kind(**overrides)
