"""What a localiser is given and what it answers: blinded cases and diagnoses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy.typing as npt

Task = Literal["classification", "regression"]
Status = Literal["ok", "abstained", "not_applicable", "failed", "timed_out"]


@dataclass(frozen=True)
class LayerInfo:
    """One candidate layer under its blinded name (``layer_0``, ``layer_1``, ...).

    ``index`` is the position among the candidates, ``n_params`` the number of weights (trainable
    or not), ``config`` the layer's settings as JSON-like values.
    """

    name: str
    index: int
    class_name: str
    n_params: int
    config: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Case:
    """One kept run of one model, blinded: everything a localiser may look at, and no truth.

    ``labels`` and ``predictions`` hold one row per test, (n, ...); ``activations(i)`` is the
    inference-mode output of layer ``i`` on the same tests, (n, ...). ``case_id`` is random.
    """

    case_id: str
    task: Task
    layers: tuple[LayerInfo, ...]
    labels: npt.NDArray[Any]
    predictions: npt.NDArray[Any]
    activations: Callable[[int], npt.NDArray[Any]]


@dataclass(frozen=True)
class Suspect:
    """One accusation; a higher score is worse.

    ``layer`` is a candidate's index, or None for a fault of no layer (loss, optimiser, data);
    ``neurons`` are flat indices into that layer's output, None for the layer as a whole.
    """

    score: float
    layer: int | None
    fault_type: str | None = None
    neurons: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Diagnosis:
    """A localiser's answer: scored suspects, or an honest status with a reason.

    ``wall_s`` is the wall-clock cost in seconds.
    """

    status: Status
    suspects: tuple[Suspect, ...]
    reason: str = ""
    wall_s: float = 0.0


@runtime_checkable
class Localizer(Protocol):
    """A fault localiser.

    ``needs`` names what it must be given (``model``, ``tests``, ``trace``, ``program``,
    ``source``, ``retraining``); ``granularity`` is the finest thing it names (``layer``,
    ``neuron``, ``fault_type``); ``modes`` are its renderings (``faithful``, ``intent``);
    ``deterministic`` says whether equal cases get equal answers.
    """

    @property
    def name(self) -> str:
        """The registered name."""

    @property
    def version(self) -> str:
        """Raised whenever an answer may change."""

    @property
    def needs(self) -> frozenset[str]:
        """What a case must offer."""

    @property
    def granularity(self) -> str:
        """The finest thing that suspects name."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes it can run in, the default first."""

    @property
    def deterministic(self) -> bool:
        """Whether equal cases get equal answers."""

    def localize(self, case: Case) -> Diagnosis:
        """Diagnose one case."""
