import math
import re

import numpy as np
import pytest
from faultloom.generator.killing import DeepCrime, DeepCrimeCorrected
from scipy import stats
from statsmodels.stats.power import TTestIndPower


def test_worked_by_hand() -> None:
    # losses 0, 2 and 2, 4: s^2 = 2, t = 2 / sqrt(2) with 2 degrees of freedom, for which the
    # two-sided p is 1 - t / sqrt(2 + t^2) = 1 - 1 / sqrt(2)
    rule = DeepCrimeCorrected(n_clean=2, n_faulty=2, alpha=0.3)
    v = rule.decide([0, 2], [2, 4], higher_is_better=False)
    assert v.p_value == pytest.approx(1 - math.sqrt(0.5), abs=1e-12)
    assert v.effect_size == pytest.approx(math.sqrt(2))
    assert (v.decision, v.status, v.n_clean, v.n_faulty) == ("killed", "ok", 2, 2)


@pytest.mark.parametrize(("n_clean", "n_faulty"), [(20, 20), (3, 3), (20, 7), (2, 11)])
@pytest.mark.parametrize("shift", [0.0, 0.004, -0.02, 0.1])
def test_p_is_that_of_the_pooled_t_test(n_clean: int, n_faulty: int, shift: float) -> None:
    rng = np.random.default_rng(5)
    clean = rng.normal(0.9, 0.01, n_clean)
    faulty = rng.normal(0.9 - shift, 0.02, n_faulty)
    rule = DeepCrimeCorrected(n_clean=n_clean, n_faulty=n_faulty)
    v = rule.decide(clean.tolist(), faulty.tolist(), higher_is_better=True)
    assert v.p_value == pytest.approx(float(stats.ttest_ind(clean, faulty).pvalue), rel=1e-9)


@pytest.mark.parametrize(("n_clean", "n_faulty"), [(20, 20), (20, 7)])
def test_the_reason_names_the_power_of_the_t_test(n_clean: int, n_faulty: int) -> None:
    rng = np.random.default_rng(6)
    rule = DeepCrimeCorrected(n_clean=n_clean, n_faulty=n_faulty)
    v = rule.decide(
        rng.normal(0.90, 0.01, n_clean).tolist(),
        rng.normal(0.89, 0.01, n_faulty).tolist(),
        higher_is_better=True,
    )
    expected = TTestIndPower().power(v.effect_size, n_clean, 0.05, ratio=n_faulty / n_clean)
    found = re.fullmatch(r"two-sided Student p = (\S+), d = (\S+), power = (\S+)", v.reason)
    assert found is not None
    assert float(found[1]) == pytest.approx(v.p_value, rel=1e-3)
    assert float(found[3]) == pytest.approx(float(expected), rel=1e-2)


def test_few_runs_need_a_larger_gap_than_with_the_normal_distribution() -> None:
    clean, faulty = [0.0, 1.0, 2.0], [1.7, 2.7, 3.7]
    literal = DeepCrime(n_clean=3, n_faulty=3).decide(clean, faulty, higher_is_better=False)
    rule = DeepCrimeCorrected(n_clean=3, n_faulty=3)
    corrected = rule.decide(clean, faulty, higher_is_better=False)
    assert (literal.decision, corrected.decision) == ("killed", "survived")
    assert literal.effect_size == corrected.effect_size


def test_both_conditions_are_needed() -> None:
    clean, faulty = [-1.0, 1.0] * 100, [-0.7, 1.3] * 100
    rule = DeepCrimeCorrected(n_clean=200, n_faulty=200)
    v = rule.decide(clean, faulty, higher_is_better=False)
    assert v.p_value is not None and v.p_value < 0.05 and v.decision == "survived"


def test_an_improving_mutant_is_never_killed() -> None:
    rule = DeepCrimeCorrected(n_clean=3, n_faulty=3, min_effect=0.0)
    v = rule.decide([1, 2, 3], [7, 8, 9], higher_is_better=True)
    assert v.p_value is not None and v.p_value < 0.01
    assert v.decision == "survived" and v.effect_size == pytest.approx(-6.0)
