"""GUIDER: spectrum-based localisation of faulty layers, literally as its released code behaves.

Source: Xu, Li, Ma, Chen, Zhou, TOSEM 2025, doi 10.1145/3716849, re-implemented from a description.
"""

from __future__ import annotations

import math
import time

import numpy as np
import numpy.typing as npt

from ..datasets.errors import ConfigError
from .base import Case, Diagnosis, Suspect
from .spectrum.activation import active, flatten_neurons, sample_neurons
from .spectrum.aggregation import AGGREGATIONS
from .spectrum.counts import count, weigh
from .spectrum.formulas import FORMULAS, suspiciousness
from .spectrum.verdicts import confidence, passed


class Guider:
    """One suspect per layer, scored by how failing tests activate its neurons.

    ``threshold`` is on raw outputs; layers of more than ``n_selected`` neurons are sampled with
    replacement from ``seed`` in layer order; ``weighted`` weighs tests by confidence (off: the
    unweighted ablation). Degenerate verdicts (no pass, no failure) are answered like any other,
    as the published tool does. Raises ConfigError for an unknown formula or aggregation.
    """

    name = "guider"
    version = "1"
    source = "GUIDER (Xu, Li, Ma, Chen, Zhou, TOSEM 2025, doi 10.1145/3716849), re-implemented"
    needs = frozenset({"model", "tests"})
    granularity = "layer"
    modes: tuple[str, ...] = ("faithful",)
    deterministic = True

    def __init__(
        self,
        formula: str = "ochiai",
        threshold: float = 0.1,
        n_selected: int = 200,
        seed: int = 7,
        weighted: bool = True,
        aggregation: str = "gini",
    ) -> None:
        for what, value, known in (
            ("formula", formula, FORMULAS),
            ("aggregation", aggregation, AGGREGATIONS),
        ):
            if value not in known:
                raise ConfigError(f"unknown {what} {value!r}: expected one of {', '.join(known)}")
        if n_selected < 1:
            raise ConfigError(f"n_selected must be at least 1, got {n_selected}")
        self.formula = formula
        self.threshold = threshold
        self.n_selected = n_selected
        self.seed = seed
        self.weighted = weighted
        self.aggregation = aggregation

    def verdicts(self, case: Case) -> npt.NDArray[np.bool_]:
        """Return which tests pass, (n,); baselines replace this."""
        return passed(case.task, case.labels, case.predictions)

    def layer_scores(self, case: Case) -> tuple[float, ...]:
        """Score every layer of ``case``, in layer order; a score that is no number becomes 0."""
        n = case.predictions.shape[0]
        sure = confidence(case.task, case.labels, case.predictions)
        weights = weigh(self.verdicts(case), sure if self.weighted else np.zeros(n))
        rng: np.random.RandomState | None = None
        scores = []
        for layer in case.layers:
            outputs = flatten_neurons(case.activations(layer.index), n)
            if outputs.shape[1] > self.n_selected:
                # the stream of the tool's np.random.seed; made late because that is slow
                rng = rng or np.random.RandomState(self.seed)
                outputs = outputs[:, sample_neurons(outputs.shape[1], self.n_selected, rng)]
            spectrum = count(active(outputs, self.threshold), weights)
            score = AGGREGATIONS[self.aggregation](suspiciousness(self.formula, spectrum))
            scores.append(0.0 if math.isnan(score) else score)
        return tuple(scores)

    def localize(self, case: Case) -> Diagnosis:
        """Diagnose one case; raises ConfigError when activations have not one row per test."""
        start = time.perf_counter()
        scores = self.layer_scores(case)
        suspects = tuple(
            Suspect(score, layer.index) for score, layer in zip(scores, case.layers, strict=True)
        )
        return Diagnosis("ok", suspects, wall_s=time.perf_counter() - start)
