import math

import numpy as np
import pytest
from faultloom.generator.killing import Welch
from scipy import stats


def test_worked_by_hand() -> None:
    # two runs a side, equal variances 2: t = 2 / sqrt(2) with 2 degrees of freedom, for which
    # P(T > t) = 1/2 - t / (2 sqrt(2 + t^2)) = 1/2 - sqrt(2) / 4
    rule = Welch(n_clean=2, n_faulty=2, alpha=0.2)
    v = rule.decide([0, 2], [2, 4], higher_is_better=False)
    assert v.p_value == pytest.approx(0.5 - math.sqrt(2) / 4, abs=1e-12)
    assert v.effect_size == pytest.approx(math.sqrt(2))
    assert (v.decision, v.status) == ("killed", "ok")


@pytest.mark.parametrize(("n_clean", "n_faulty"), [(20, 10), (3, 3), (2, 11), (40, 5)])
@pytest.mark.parametrize("shift", [0.0, 0.01, -0.02, 0.1])
@pytest.mark.parametrize("higher", [True, False])
def test_p_is_that_of_scipy(n_clean: int, n_faulty: int, shift: float, higher: bool) -> None:
    rng = np.random.default_rng(6)
    clean = rng.normal(0.9, 0.01, n_clean)
    faulty = rng.normal(0.9 - shift, 0.03, n_faulty)
    side = "greater" if higher else "less"
    expected = stats.ttest_ind(clean, faulty, equal_var=False, alternative=side).pvalue
    rule = Welch(n_clean=n_clean, n_faulty=n_faulty)
    v = rule.decide(clean.tolist(), faulty.tolist(), higher_is_better=higher)
    assert v.p_value == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    assert (v.decision == "killed") == (expected < 0.025)


def test_an_improving_mutant_is_never_killed() -> None:
    rule = Welch(n_clean=3, n_faulty=3, alpha=0.9)
    v = rule.decide([1, 2, 3], [1.1, 2.1, 3.1], higher_is_better=True)
    assert v.p_value is not None and v.p_value < 0.9
    assert v.decision == "survived"


def test_false_kills_keep_to_alpha() -> None:
    rng = np.random.default_rng(20240501)
    trials, rule = 2000, Welch()
    scores = rng.normal(0.9, 0.01, (trials, 30))
    kills = sum(
        rule.decide(row[:20].tolist(), row[20:].tolist(), higher_is_better=True).decision
        == "killed"
        for row in scores
    )
    low, high = stats.binom.interval(0.999, trials, rule.alpha)
    assert low <= kills <= high
