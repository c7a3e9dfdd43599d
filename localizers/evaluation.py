"""From diagnoses and truth to scores; nothing else turns suspects into ranks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..datasets.errors import ConfigError
from .base import Diagnosis, Status
from .ranking import Ties, all_at_k, expected_first_rank, hit_at_k, ranking

Position = Literal["first", "middle", "last"]
Cell = tuple[str, str, str]


@dataclass(frozen=True)
class Truth:
    """What is wrong with one killed mutant.

    ``answer_sets`` are the acceptable answers, each a set of layer indices; ``position`` is where
    the fault sits among the layers that its operator may change; ``data_group`` is the subject's.
    """

    mutant_id: str
    subject: str
    data_group: str
    fault_type: str
    position: Position
    answer_sets: tuple[frozenset[int], ...]

    @property
    def layers(self) -> frozenset[int]:
        """All layers of any answer set."""
        return frozenset().union(*self.answer_sets)

    @property
    def cell(self) -> Cell:
        """The cell whose cases share one vote."""
        return (self.subject, self.fault_type, self.position)


@dataclass(frozen=True)
class ScoredCase:
    """The scores of one diagnosis.

    ``hit`` and ``whole`` map k to hit@k and all@k in [0, 1]; ``first_rank`` is the expected rank
    of the first faulty layer, ``chance`` the share |G|/L of layers that are faulty.
    """

    truth: Truth
    n_layers: int
    status: Status
    hit: Mapping[int, float]
    whole: Mapping[int, float]
    first_rank: float
    chance: float


@dataclass(frozen=True)
class Estimate:
    """A cell-weighted mean with its interval and the numbers behind it; NaN where undefined."""

    value: float
    low: float
    high: float
    n_cases: int
    n_mutants: int
    n_cells: int
    n_groups: int


@dataclass(frozen=True)
class Summary:
    """One localiser over many cases; ``statuses`` counts the cases by status."""

    hit: Mapping[int, Estimate]
    whole: Mapping[int, Estimate]
    gain: Estimate
    first_rank: Estimate
    statuses: Mapping[str, int]


@dataclass(frozen=True)
class FalseBlame:
    """Whom a localiser accuses on clean cases of one subject.

    ``frequency`` is the share of ``n_cases`` that blames each layer first, (L,), ties split
    evenly; ``silent`` is the share that blames none.
    """

    frequency: tuple[float, ...]
    silent: float
    n_cases: int


def layer_scores(diagnosis: Diagnosis, n_layers: int) -> dict[int, float]:
    """Score each named layer by the largest score of its suspects.

    Empty unless the status is ``ok``; NaN scores and suspects of no layer name nobody. Raises
    ConfigError for a layer outside 0 .. n_layers - 1.
    """
    scores: dict[int, float] = {}
    if diagnosis.status != "ok":
        return scores
    for suspect in diagnosis.suspects:
        if suspect.layer is None or math.isnan(suspect.score):
            continue
        if not 0 <= suspect.layer < n_layers:
            raise ConfigError(
                f"a suspect names layer {suspect.layer}, but the case has {n_layers} layers, "
                "counted from 0; correct the localizer"
            )
        scores[suspect.layer] = max(scores.get(suspect.layer, -math.inf), suspect.score)
    return scores


def score_case(
    diagnosis: Diagnosis,
    truth: Truth,
    n_layers: int,
    ks: Sequence[int] = (1, 3, 5),
    ties: Ties = "expected",
) -> ScoredCase:
    """Score one diagnosis of a case with ``n_layers`` candidates for every k of ``ks``.

    Layers that are not named are never hit; anything but ``ok`` is a miss. Raises ConfigError
    when the truth has no layer, or one that the case lacks.
    """
    faulty = truth.layers
    if not faulty or min(faulty) < 0 or max(faulty) >= n_layers:
        raise ConfigError(
            f"mutant {truth.mutant_id}: answer sets must name layers 0 to {n_layers - 1}, got "
            f"{sorted(faulty)}; score only layer faults, against their own case"
        )
    order = ranking(layer_scores(diagnosis, n_layers), ties)
    return ScoredCase(
        truth=truth,
        n_layers=n_layers,
        status=diagnosis.status,
        hit={k: hit_at_k(order, truth.answer_sets, k) for k in ks},
        whole={k: all_at_k(order, truth.answer_sets, k) for k in ks},
        first_rank=expected_first_rank(order, truth.answer_sets, n_layers),
        chance=len(faulty) / n_layers,
    )


def gain_over_chance(hit1: float, chance: float) -> float:
    """``(hit@1 - |G|/L) / (1 - |G|/L)``: 1 is perfect, 0 chance; NaN when every layer is faulty."""
    return math.nan if chance >= 1.0 else (hit1 - chance) / (1.0 - chance)


def mutant_means(
    cases: Iterable[ScoredCase], value: Callable[[ScoredCase], float]
) -> dict[Truth, float]:
    """Average ``value`` over the cases of each mutant."""
    values: dict[Truth, list[float]] = defaultdict(list)
    for case in cases:
        values[case.truth].append(value(case))
    return {truth: math.fsum(found) / len(found) for truth, found in values.items()}


def cell_means(means: Mapping[Truth, float]) -> dict[tuple[str, Cell], float]:
    """Average over the mutants of each (subject, fault type, position), by data group and cell."""
    values: dict[tuple[str, Cell], list[float]] = defaultdict(list)
    for truth, value in means.items():
        values[truth.data_group, truth.cell].append(value)
    return {key: math.fsum(found) / len(found) for key, found in values.items()}


def cell_weighted_mean(cases: Iterable[ScoredCase], value: Callable[[ScoredCase], float]) -> float:
    """Mean over cells of the mean over mutants of the mean over cases; NaN of no cases."""
    cells = cell_means(mutant_means(cases, value))
    return math.fsum(cells.values()) / len(cells) if cells else math.nan


def estimate(
    cases: Sequence[ScoredCase],
    values: Sequence[Callable[[ScoredCase], float]],
    rng: np.random.Generator,
    combine: Callable[..., float] = float,
    n_resamples: int = 2000,
    level: float = 0.95,
) -> Estimate:
    """Estimate ``combine`` of the cell-weighted means of ``values``, with a percentile interval.

    The bootstrap resamples whole data groups with ``rng``; where there is only one, cells; where
    there is only one cell, the interval is NaN. ``n_groups`` of the estimate says which it was.
    """
    cells = [cell_means(mutant_means(cases, value)) for value in values]
    groups = sorted({group for group, _ in cells[0]})
    counts = (
        len(cases),
        len({case.truth for case in cases}),
        len(cells[0]),
        len(groups),
    )
    if not groups:
        return Estimate(math.nan, math.nan, math.nan, *counts)

    # One data group says nothing about the next; resampling its cells says at least how much
    # the value depends on which faults were planned.
    def block(key: tuple[str, Cell]) -> tuple[str, Cell | None]:
        return key if len(groups) == 1 else (key[0], None)

    blocks = list(dict.fromkeys(block(key) for key in sorted(cells[0])))
    row = {name: i for i, name in enumerate(blocks)}
    sums = np.zeros((len(blocks), len(values)))
    sizes = np.zeros(len(blocks))
    for column, found in enumerate(cells):
        for key, mean in found.items():
            sums[row[block(key)], column] += mean
    for key in cells[0]:
        sizes[row[block(key)]] += 1
    point = combine(*(sums.sum(axis=0) / sizes.sum()).tolist())
    if len(blocks) == 1:
        return Estimate(point, math.nan, math.nan, *counts)
    drawn = rng.integers(0, len(blocks), (n_resamples, len(blocks)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1, keepdims=True)
    replicates = [combine(*mean) for mean in means.tolist()]
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail]).tolist()
    return Estimate(point, low, high, *counts)


def summarise(
    cases: Sequence[ScoredCase],
    rng: np.random.Generator,
    ks: Sequence[int] = (1, 3, 5),
    n_resamples: int = 2000,
) -> Summary:
    """Summarise one localiser's cases.

    hit@k and all@k are over cases with more than 2k candidates (an estimate carries its n); the
    gain is that of the weighted means of hit@1 and of chance over the cases of hit@1 in which
    some layer is innocent. First ranks are over all cases. Raises ConfigError when a case was
    not scored at 1 or at some k of ``ks``.
    """
    wanted = {1, *ks}
    for case in cases:
        if not wanted <= case.hit.keys():
            raise ConfigError(f"cases must be scored at k = {sorted(wanted)}, got {[*case.hit]}")

    def among(k: int) -> list[ScoredCase]:
        return [case for case in cases if case.n_layers > 2 * k]

    def over(
        chosen: Sequence[ScoredCase],
        *values: Callable[[ScoredCase], float],
        combine: Callable[..., float] = float,
    ) -> Estimate:
        return estimate(chosen, values, rng, combine, n_resamples)

    return Summary(
        hit={k: over(among(k), _hit(k)) for k in ks},
        whole={k: over(among(k), _whole(k)) for k in ks},
        gain=over(
            [case for case in among(1) if case.chance < 1.0],
            _hit(1),
            lambda case: case.chance,
            combine=gain_over_chance,
        ),
        first_rank=over(cases, lambda case: case.first_rank),
        statuses=dict(Counter(case.status for case in cases)),
    )


def _hit(k: int) -> Callable[[ScoredCase], float]:
    return lambda case: case.hit[k]


def _whole(k: int) -> Callable[[ScoredCase], float]:
    return lambda case: case.whole[k]


def false_blame(diagnoses: Iterable[tuple[str, int, Diagnosis]]) -> dict[str, FalseBlame]:
    """Count whom a localiser accuses when nothing is wrong.

    ``diagnoses`` are (subject, number of layers, diagnosis) of clean cases. Raises ConfigError
    when clean cases of one subject differ in their number of layers.
    """
    rows: dict[str, list[list[float]]] = defaultdict(list)
    for subject, n_layers, diagnosis in diagnoses:
        row = [0.0] * n_layers
        for top in ranking(layer_scores(diagnosis, n_layers))[:1]:
            for layer in top:
                row[layer] = 1 / len(top)
        if rows[subject] and len(rows[subject][0]) != n_layers:
            raise ConfigError(f"clean cases of {subject} differ in their number of layers")
        rows[subject].append(row)
    result = {}
    for subject, found in rows.items():
        frequency = tuple(math.fsum(column) / len(found) for column in zip(*found, strict=True))
        silent = sum(not any(row) for row in found) / len(found)
        result[subject] = FalseBlame(frequency, silent, len(found))
    return result
