"""Simulated campaigns for `simulate_killing.py`: scores with a known effect, and what is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from faultloom.generator.killing import CRITERIA, Criterion, criterion
from faultloom.generator.killing.many import grade

EFFECTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
NAMES = tuple(
    name for name in ("deepcrime", "welch", "mann-whitney", "sequential") if name in CRITERIA
)
POOLS = (20, 40)
MEAN, SPREAD, DIVERGED = 0.9, 0.01, 0.03

Noise = Callable[[np.random.Generator, tuple[int, int]], Any]


def _same(scores: Any) -> Any:
    return scores


def _normal(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.normal(size=shape)


def _some_bad(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return 1.0 - rng.exponential(size=shape)


def _some_good(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    variance = np.exp(0.25)
    return (rng.lognormal(0.0, 0.5, shape) - variance**0.5) / (variance * (variance - 1)) ** 0.5


def _near_one(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    # Beta(30, 1), with this mean and standard deviation.
    return (rng.beta(30.0, 1.0, shape) - 30 / 31) / (30 / (31**2 * 32)) ** 0.5


@dataclass(frozen=True)
class Scores:
    """How the scores of a program vary between its runs; higher is better.

    A score is `seen(MEAN + SPREAD * (noise - d))` with noise of mean 0 and standard deviation 1,
    so that d is in units of the clean standard deviation before `seen` rounds or clips it.

    Args:
        title: for people.
        noise: draws the noise.
        seen: what becomes of a score when it is measured.
        widening: factor of the noise of the faulty program.
        diverged: probability that a faulty run diverges.
    """

    title: str
    noise: Noise
    seen: Callable[[Any], Any] = _same
    widening: float = 1.0
    diverged: float = 0.0

    @property
    def is_null_at_zero(self) -> bool:
        """Whether clean and faulty scores have one distribution where d = 0."""
        return self.widening == 1.0 and self.diverged == 0.0

    def clean(self, rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        """Draw scores of clean programs."""
        return self.seen(MEAN + SPREAD * self.noise(rng, shape))

    def faulty(self, rng: np.random.Generator, shape: tuple[int, int], d: float) -> Any:
        """Draw scores of mutants; NaN where a run diverges."""
        scores = self.seen(MEAN + SPREAD * (self.widening * self.noise(rng, shape) - d))
        return np.where(rng.random(shape) < self.diverged, np.nan, scores)


SCORES: Mapping[str, Scores] = {
    "normal": Scores("normal", _normal),
    "exponential": Scores("exponential, some runs bad", _some_bad),
    "log-normal": Scores("log-normal, some runs good", _some_good),
    "near-one": Scores(
        # The best quarter of the clean runs is at 1.
        "Beta near 1, clipped there",
        _near_one,
        seen=lambda scores: np.minimum(scores + 1.0 - MEAN - 0.7 * SPREAD, 1.0),
    ),
    "100-rows": Scores("accuracy on 100 rows", _normal, seen=lambda s: np.round(s * 100) / 100),
    "360-rows": Scores("accuracy on 360 rows", _normal, seen=lambda s: np.round(s * 360) / 360),
    "wider": Scores("normal, faulty sd twice the clean", _normal, widening=2.0),
    "diverging": Scores(f"normal, {DIVERGED:.0%} of faulty runs NaN", _normal, diverged=DIVERGED),
}


@dataclass(frozen=True)
class Cell:
    """What a criterion does in campaigns of one kind.

    Args:
        scores: a name out of `SCORES`.
        d: true effect size.
        criterion: its name.
        killed: share of the campaigns in which the mutant is killed.
        error: standard error of that share.
        runs: mean number of mutant runs that a decision takes.
    """

    scores: str
    d: float
    criterion: str
    killed: float
    error: float
    runs: float


def campaigns(n: int, seed: int) -> Iterator[Cell]:
    """Simulate n campaigns, each with a fresh clean pool, for each effect and kind of scores.

    All criteria judge the same scores; `DeepCrime` sees the first 20 of the pool of 40.
    """
    rules = [criterion(name) for name in NAMES]
    wanted = max(rule.n_clean for rule in rules), max(rule.n_faulty for rule in rules)
    for place, (name, scores) in enumerate(SCORES.items()):
        for d in EFFECTS:
            rng = np.random.default_rng([seed, place, int(100 * d)])
            clean = scores.clean(rng, (n, wanted[0]))
            faulty = scores.faulty(rng, (n, wanted[1]), d)
            for rule in rules:
                grades = grade(rule, clean, faulty, higher_is_better=True)
                killed = float(grades.killed.mean())
                error = (killed * (1 - killed) / n) ** 0.5
                runs = float(grades.n_faulty.mean())
                yield Cell(name, d, rule.name, killed, error, runs)


@dataclass(frozen=True)
class PoolCell:
    """How the share of null mutants that one clean pool kills varies over pools.

    Args:
        criterion: its name.
        size: clean runs in a pool.
        mean: mean share.
        high: 95th percentile.
        higher: 99th percentile.
        worst: largest share.
    """

    criterion: str
    size: int
    mean: float
    high: float
    higher: float
    worst: float


def pools(n_pools: int, n_mutants: int, seed: int) -> Iterator[PoolCell]:
    """Judge null mutants (normal scores) by pools that all mutants of a campaign share."""
    for name in NAMES:
        for size in POOLS:
            rule = criterion(name, n_clean=size)
            rng = np.random.default_rng([seed, size])
            shares = [_null_share(rule, rng, n_mutants) for _ in range(n_pools)]
            high, higher, worst = np.quantile(shares, [0.95, 0.99, 1.0]).tolist()
            yield PoolCell(name, size, float(np.mean(shares)), high, higher, worst)


def _null_share(rule: Criterion, rng: np.random.Generator, n_mutants: int) -> float:
    scores = SCORES["normal"]
    pool = scores.clean(rng, (1, rule.n_clean))[0]
    faulty = scores.faulty(rng, (n_mutants, rule.n_faulty), 0.0)
    return float(grade(rule, pool, faulty, higher_is_better=True).killed.mean())
