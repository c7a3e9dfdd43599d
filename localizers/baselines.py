"""Baselines that look at nothing but one case; every evaluation shows them.

Those that learn from other cases' truth (depth-prior, oracle-prior) are in ``priors``.
"""

from __future__ import annotations

import time
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from .base import Case, Diagnosis, LayerInfo, Suspect
from .guider import Guider


def _case_rng(seed: int, case: Case) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(case.case_id.encode())])


class _Baseline(ABC):
    """A layer ranking from the blinded model alone."""

    name = ""
    version = "1"
    source = "faultloom"
    needs = frozenset({"model"})
    granularity = "layer"
    modes: tuple[str, ...] = ("faithful",)
    deterministic = True

    @abstractmethod
    def _scores(self, case: Case) -> Mapping[int, float]:
        """Score layers by index; layers left out are not named."""

    def localize(self, case: Case) -> Diagnosis:
        """Diagnose one case; abstains when no layer can be named."""
        start = time.perf_counter()
        suspects = tuple(Suspect(score, layer) for layer, score in self._scores(case).items())
        wall = time.perf_counter() - start
        if not suspects:
            return Diagnosis("abstained", (), "no layer to name", wall)
        return Diagnosis("ok", suspects, wall_s=wall)


class RandomLayer(_Baseline):
    """All layers are equally bad: ties count by expectation, so this is chance without noise."""

    name = "random"

    def _scores(self, case: Case) -> Mapping[int, float]:
        return {layer.index: 0.0 for layer in case.layers}


class RandomAmongWeighted(_Baseline):
    """All layers that have weights are equally bad; the others are not named."""

    name = "random-among-weighted"

    def _scores(self, case: Case) -> Mapping[int, float]:
        return {layer.index: 0.0 for layer in case.layers if layer.n_params > 0}


class FirstLayer(_Baseline):
    """The first layer is the worst, then the second, and so on."""

    name = "first-layer"

    def _scores(self, case: Case) -> Mapping[int, float]:
        return {layer.index: -float(layer.index) for layer in case.layers}


class LastLayer(_Baseline):
    """The last layer is the worst, then the one before it, and so on."""

    name = "last-layer"

    def _scores(self, case: Case) -> Mapping[int, float]:
        return {layer.index: float(layer.index) for layer in case.layers}


class LargestLayer(_Baseline):
    """The layer with the most parameters is the worst; layers of equal size tie."""

    name = "largest-layer"

    def _scores(self, case: Case) -> Mapping[int, float]:
        return {layer.index: float(layer.n_params) for layer in case.layers}


def _oddity(layer: LayerInfo, siblings: list[LayerInfo]) -> float:
    """How far the layer's rarest setting is from the commonest of its siblings, in [0, 1)."""
    worst = 0.0
    for key in layer.config:
        if key == "name":
            continue
        values = Counter(
            repr(sibling.config[key]) if key in sibling.config else None for sibling in siblings
        )
        own = values[repr(layer.config[key])]
        worst = max(worst, (max(values.values()) - own) / len(siblings))
    return worst


class OddOneOut(_Baseline):
    """The layer with the rarest setting among its siblings, the layers of the same class.

    The score is the largest, over the layer's settings, of (siblings that share the commonest
    value - siblings that share its own) / siblings: 0 where all agree or all differ.
    """

    name = "odd-one-out"

    def _scores(self, case: Case) -> Mapping[int, float]:
        classes: dict[str, list[LayerInfo]] = {}
        for layer in case.layers:
            classes.setdefault(layer.class_name, []).append(layer)
        return {layer.index: _oddity(layer, classes[layer.class_name]) for layer in case.layers}


class LabelShuffle(Guider):
    """GUIDER on permuted verdicts: what it answers when failures carry no information.

    The permutation is fixed by ``shuffle_seed`` and the case's id; the other arguments are
    ``Guider``'s, and so are its errors.
    """

    name = "label-shuffle"
    source = "faultloom"

    def __init__(
        self,
        formula: str = "ochiai",
        threshold: float = 0.1,
        n_selected: int = 200,
        seed: int = 7,
        weighted: bool = True,
        aggregation: str = "gini",
        shuffle_seed: int = 11,
    ) -> None:
        super().__init__(formula, threshold, n_selected, seed, weighted, aggregation)
        self.shuffle_seed = shuffle_seed

    def verdicts(self, case: Case) -> npt.NDArray[np.bool_]:
        """Return GUIDER's verdicts in a random order, (n,)."""
        return _case_rng(self.shuffle_seed, case).permutation(super().verdicts(case))
