"""Beta posteriors: distances against integrals, bagging against samples of the mixture."""

import math

import numpy as np
import pytest
from faultloom.generator.killing.posterior import Beta, bagged, jackknife_error, leave_one_out
from scipy import integrate, stats


@pytest.mark.parametrize("other", [Beta(1, 101), Beta(101, 1), Beta(3.5, 2.0), Beta(50, 53)])
def test_the_distance_is_the_integral(other: Beta) -> None:
    one = Beta(4.0, 9.0)

    def root_of_product(x: float) -> float:
        densities = stats.beta.pdf(x, one.a, one.b), stats.beta.pdf(x, other.a, other.b)
        return math.sqrt(densities[0] * densities[1])

    overlap, _ = integrate.quad(root_of_product, 0, 1, epsabs=1e-12)
    assert one.hellinger(other) == pytest.approx(math.sqrt(1 - overlap), rel=1e-6)
    assert one.hellinger(other) == other.hellinger(one)


def test_equal_and_opposite_posteriors() -> None:
    assert Beta(5, 7).hellinger(Beta(5, 7)) == pytest.approx(0.0, abs=1e-7)
    assert Beta(1, 101).hellinger(Beta(101, 1)) == pytest.approx(1.0, abs=1e-12)


def test_equal_bootstraps_give_their_own_posterior() -> None:
    found = bagged([30, 30, 30], 100)
    assert (found.a, found.b) == (pytest.approx(31.0), pytest.approx(71.0))
    low, high = found.interval()
    assert (low, high) == pytest.approx(stats.beta.ppf([0.025, 0.975], 31, 71))


def test_bagging_keeps_mean_and_variance_of_the_mixture() -> None:
    successes = np.array([0.0, 10.0, 40.0, 100.0])
    found = bagged(successes, 100)
    a, b = successes + 1, 101 - successes
    mean = (a / (a + b)).mean()
    variance = (a * b / (a + b) ** 2 / (a + b + 1)).mean() + (a / (a + b)).var()
    assert found.mean == pytest.approx(mean)
    assert stats.beta.var(found.a, found.b) == pytest.approx(variance)


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    successes = np.array([20.0, 25.0, 35.0, 28.0])
    means = [other.mean for other in leave_one_out(successes, 100)]
    expected = np.std((successes + 1) / 102, ddof=1) / 2
    assert jackknife_error(means) == pytest.approx(expected)
    assert means[0] == pytest.approx(((successes[1:] + 1) / 102).mean())
