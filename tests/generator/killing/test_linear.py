import math

import pytest
from faultloom.generator.killing.linear import anova_power, cohens_f
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower


@pytest.mark.parametrize("runs", [4, 20, 40])
@pytest.mark.parametrize("f", [0.0, 0.1, 0.25, 0.64, 2.0])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_power_is_that_of_statsmodels(runs: int, f: float, alpha: float) -> None:
    expected = FTestAnovaPower().power(f, runs, alpha, k_groups=2)
    assert anova_power(f, runs, alpha) == pytest.approx(float(expected), abs=1e-9)


@pytest.mark.parametrize(("n_clean", "n_faulty"), [(20, 20), (20, 5), (3, 30)])
@pytest.mark.parametrize("d", [-0.5, 0.64, 1.32])
def test_power_of_f_is_the_power_of_d(n_clean: int, n_faulty: int, d: float) -> None:
    expected = TTestIndPower().power(d, n_clean, 0.05, ratio=n_faulty / n_clean)
    f = cohens_f(d, n_clean, n_faulty)
    assert anova_power(f, n_clean + n_faulty, 0.05) == pytest.approx(float(expected), abs=1e-9)


def test_d_in_place_of_f_overstates_the_power() -> None:
    assert cohens_f(0.5, 20, 20) == 0.25
    assert anova_power(0.5, 40, 0.05) == pytest.approx(0.87, abs=0.005)
    assert anova_power(0.25, 40, 0.05) == pytest.approx(0.34, abs=0.005)


def test_without_effect_the_power_is_the_level() -> None:
    assert anova_power(0.0, 12, 0.03) == pytest.approx(0.03, abs=1e-12)


@pytest.mark.parametrize("f", [1e5, 1e200, math.inf])
def test_enormous_effects_are_found(f: float) -> None:
    assert anova_power(f, 4, 0.05) == pytest.approx(1.0)


def test_the_limit_for_large_effects_joins_without_a_step() -> None:
    # with so small a level and one degree of freedom the power is far from 0 and 1
    below, above = (math.sqrt(n / 3) for n in (0.999999e6, 1.000001e6))
    a, b = anova_power(below, 3, 1e-3), anova_power(above, 3, 1e-3)
    assert 0.2 < a < 0.99
    assert b == pytest.approx(a, abs=1e-5)
