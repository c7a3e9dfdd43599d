"""Baselines that learn from the truth of other cases; `evaluation` scores them like any answer."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from .base import Diagnosis, Suspect
from .evaluation import Truth, cell_means


def depth_prior(
    history: Iterable[tuple[Truth, int]], data_group: str, n_layers: int, n_bins: int = 5
) -> Diagnosis:
    """Blame layers by how often killed faults of the *other* data groups sat at their depth.

    ``history`` pairs the truth of killed mutants with their numbers of layers; a mutant counts
    once. Relative depth index / (L - 1) falls into ``n_bins`` equal bins; a bin's score is
    faults per candidate layer, a mutant's fault being shared by its layers. Abstains when no
    other group has any.
    """
    others = {
        truth.mutant_id: (truth, length)
        for truth, length in history
        if truth.data_group != data_group
    }
    if not others:
        return Diagnosis("abstained", (), "no killed mutant in another data group")
    faults, candidates = np.zeros(n_bins), np.zeros(n_bins)
    for truth, length in others.values():
        for layer in range(length):
            candidates[_depth_bin(layer, length, n_bins)] += 1
        for layer in truth.layers:
            faults[_depth_bin(layer, length, n_bins)] += 1 / len(truth.layers)
    rates = faults / np.maximum(candidates, 1)
    return Diagnosis(
        "ok",
        tuple(Suspect(float(rates[_depth_bin(i, n_layers, n_bins)]), i) for i in range(n_layers)),
    )


def _depth_bin(layer: int, n_layers: int, n_bins: int) -> int:
    return min(layer * n_bins // max(n_layers - 1, 1), n_bins - 1)


def oracle_prior(truths: Iterable[Truth]) -> dict[str, tuple[int, ...]]:
    """Order each subject's layers by how often they are right, in sample, best first.

    The first of a subject is its best constant answer by cell-weighted hit@1: an upper bound for
    every localiser that does not look at the case. Equally good layers come in index order.
    """
    subjects: dict[str, set[Truth]] = defaultdict(set)
    for truth in truths:
        subjects[truth.subject].add(truth)
    best: dict[str, tuple[int, ...]] = {}
    for subject, found in subjects.items():
        layers = sorted({layer for truth in found for layer in truth.layers})
        rate = {
            layer: math.fsum(
                cell_means({truth: float(layer in truth.layers) for truth in found}).values()
            )
            for layer in layers
        }
        best[subject] = tuple(sorted(layers, key=lambda layer: (-rate[layer], layer)))
    return best


def constant_diagnosis(order: Sequence[int], n_layers: int) -> Diagnosis:
    """Turn an order of layers, worst first, into a diagnosis; layers the case lacks are skipped."""
    named = [layer for layer in order if layer < n_layers]
    if not named:
        return Diagnosis("abstained", (), "no layer to name")
    return Diagnosis("ok", tuple(Suspect(-float(i), layer) for i, layer in enumerate(named)))
