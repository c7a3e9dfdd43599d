import math

import numpy as np
import pytest
import statsmodels.api as sm
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import DeepCrime


def test_worked_by_hand() -> None:
    # losses 1..3 and 3..5: s = 1, z = 2 / sqrt(2/3) = sqrt(6), two-sided p = erfc(sqrt(3))
    v = DeepCrime(n_clean=3, n_faulty=3).decide([1, 2, 3], [3, 4, 5], higher_is_better=False)
    assert v.p_value == pytest.approx(math.erfc(math.sqrt(3.0)), abs=1e-12)
    assert v.effect_size == pytest.approx(2.0)
    assert (v.decision, v.status, v.n_clean, v.n_faulty) == ("killed", "ok", 3, 3)


@pytest.mark.parametrize(("n_clean", "n_faulty"), [(20, 20), (3, 3), (20, 7), (2, 11)])
@pytest.mark.parametrize("shift", [0.0, 0.004, -0.02, 0.1])
def test_p_is_that_of_the_glm(n_clean: int, n_faulty: int, shift: float) -> None:
    rng = np.random.default_rng(5)
    clean = rng.normal(0.9, 0.01, n_clean)
    faulty = rng.normal(0.9 - shift, 0.02, n_faulty)
    design = sm.add_constant(np.repeat([0.0, 1.0], [n_clean, n_faulty]))
    fit = sm.GLM(np.concatenate([clean, faulty]), design).fit()
    rule = DeepCrime(n_clean=n_clean, n_faulty=n_faulty)
    v = rule.decide(clean.tolist(), faulty.tolist(), higher_is_better=True)
    assert v.p_value == pytest.approx(float(fit.pvalues[1]), rel=1e-9, abs=1e-9)


def test_an_improving_mutant_is_never_killed() -> None:
    for effect in (0.0, 0.5):
        rule = DeepCrime(n_clean=3, n_faulty=3, min_effect=effect)
        v = rule.decide([1, 2, 3], [7, 8, 9], higher_is_better=True)
        assert v.p_value is not None and v.p_value < 1e-6
        assert v.decision == "survived" and v.effect_size == pytest.approx(-6.0)


def test_both_conditions_are_needed() -> None:
    clean, faulty = [-1.0, 1.0] * 100, [-0.7, 1.3] * 100
    v = DeepCrime(n_clean=200, n_faulty=200).decide(clean, faulty, higher_is_better=False)
    assert v.p_value is not None and v.p_value < 0.05 and v.decision == "survived"
    v = DeepCrime(n_clean=2, n_faulty=2).decide([-1, 1], [0.0, 2.0], higher_is_better=False)
    assert v.effect_size == pytest.approx(1 / math.sqrt(2)) and v.decision == "survived"


def test_the_defaults_are_those_of_the_paper() -> None:
    rule = DeepCrime()
    assert (rule.alpha, rule.n_clean, rule.n_faulty, rule.min_effect) == (0.05, 20, 20, 0.5)


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_min_effect_is_checked(value: float) -> None:
    with pytest.raises(ConfigError, match=r"min_effect: expected .* received"):
        DeepCrime(min_effect=value)
