"""PMT: against a slow reference, seeded, and what it says of clear and unclear mutants."""

import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import cohens_d
from faultloom.generator.killing.answers import Answers
from faultloom.generator.killing.pmt import Pmt, PmtEstimate
from faultloom.generator.killing.posterior import Beta
from scipy import stats


def population(mean: float, runs: int, seed: int) -> list[float]:
    return np.random.default_rng(seed).normal(mean, 0.01, runs).tolist()


def estimate(rule: Pmt, faulty: list[float]) -> PmtEstimate:
    return rule.estimate(population(0.9, 60, 0), faulty, higher_is_better=True)


def test_the_killing_probability_is_that_of_the_test() -> None:
    """A reference that draws one trial after the other, from the definition."""
    clean, faulty = population(0.9, 40, 1), population(0.893, 30, 2)
    rng, shares = np.random.default_rng(9), []
    for _ in range(60):
        sides = [rng.choice(side, len(side), replace=True) for side in (clean, faulty)]
        kills = 0
        for _ in range(40):
            left, right = (rng.choice(side, 20, replace=False).tolist() for side in sides)
            d = cohens_d(left, right, higher_is_better=True)
            # With equal numbers the z of the GLM is d times the root of half of that number.
            kills += 2 * stats.norm.sf(abs(d) * math.sqrt(10)) < 0.05 and abs(d) >= 0.5
        shares.append((kills + 1) / 42)
    error = np.std(shares, ddof=1) / math.sqrt(len(shares))
    found = Pmt(seed=5, bootstraps=60, trials=40).estimate(clean, faulty, higher_is_better=True)
    assert abs(found.probability - np.mean(shares)) < 4 * math.hypot(error, found.error)
    assert found.error == pytest.approx(error, rel=0.5)
    assert found.low < found.probability < found.high


def test_clear_cases() -> None:
    rule = Pmt(seed=1)
    healthy = estimate(rule, population(0.9, 60, 3))
    assert healthy.probability < 0.3
    assert healthy.ratio < 1
    mutant = estimate(rule, population(0.8, 60, 4))
    assert mutant.probability == pytest.approx(101 / 102)
    assert mutant.ratio > 1000
    # The bagged posterior of 100 equal ones is that posterior; its distance is rounding.
    assert mutant.posterior.a == pytest.approx(101)


def test_the_ratio_says_which_ideal_is_nearer() -> None:
    found = estimate(Pmt(seed=1), population(0.894, 60, 4))
    expected = found.posterior.hellinger(Beta(1, 101)) / found.posterior.hellinger(Beta(101, 1))
    assert found.ratio == pytest.approx(expected)
    assert (found.ratio > 1) == (found.probability > 0.5)


def test_equal_seeds_agree_and_others_do_not() -> None:
    faulty = population(0.894, 60, 4)
    assert estimate(Pmt(seed=1), faulty) == estimate(Pmt(seed=1), faulty)
    assert estimate(Pmt(seed=1), faulty) != estimate(Pmt(seed=2), faulty)


def test_a_better_mutant_is_killed_as_published_but_need_not_be() -> None:
    better = population(0.95, 60, 4)
    assert estimate(Pmt(seed=1), better).ratio > 1
    assert estimate(Pmt(seed=1, two_sided=False), better).probability == pytest.approx(1 / 102)
    lower = Pmt(seed=1, two_sided=False).estimate(
        population(0.9, 60, 0), better, higher_is_better=False
    )
    assert lower.ratio > 1


def test_decides_from_accuracies() -> None:
    rng = np.random.default_rng(6)
    clean = rng.random((25, 200)) < 0.9
    rule = Pmt(seed=0, bootstraps=20, trials=20)
    found = rule.decide(Answers(clean, rng.random((30, 200)) < 0.7))
    assert (found.decision, found.p_value) == ("killed", None)
    assert found.reason.startswith("killing probability 0.95")
    same = rule.decide(Answers(clean, np.roll(clean, 1, axis=0)))
    assert (same.decision, same.n_clean, same.n_faulty) == ("survived", 25, 25)
    few = rule.decide(Answers(clean, clean[:19]))
    assert few.decision == "too_few_runs"
    assert few.reason == "wants 20 runs a side, has 19 of one"


def test_populations_without_variance() -> None:
    rule = Pmt(seed=0, bootstraps=3, trials=5)
    same = rule.estimate([0.9] * 20, [0.9] * 20, higher_is_better=True)
    assert same.probability == pytest.approx(1 / 7)
    apart = rule.estimate([0.9] * 20, [0.8] * 20, higher_is_better=True)
    assert apart.probability == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("seed", -1), ("bootstraps", 1), ("trials", 0), ("sample", 1), ("trials", 2.5)],
)
def test_settings_are_checked(setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"{setting}: expected a whole number.*received {value}"):
        Pmt(**({"seed": 0} | {setting: value}))  # type: ignore[arg-type]


def test_scores_that_cannot_be_used() -> None:
    rule = Pmt(seed=0)
    with pytest.raises(ConfigError, match="20 finite faulty scores, received 19, 19 of them"):
        rule.estimate([0.9] * 20, [0.9] * 19, higher_is_better=True)
    with pytest.raises(ConfigError, match="20 finite clean scores, received 20, 19 of them"):
        rule.estimate([0.9] * 19 + [math.nan], [0.9] * 20, higher_is_better=True)
