"""Instability as published and corrected; power against statsmodels."""

import math

import pytest
from faultloom.generator.scores.instability import (
    power,
    published_power,
    published_range_instability,
    share_unstable,
)
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower


@pytest.mark.parametrize("d", [0.0, 0.1, 0.5, -0.64, 0.91, 3.0])
@pytest.mark.parametrize(("n_clean", "n_faulty"), [(20, 20), (3, 3), (40, 4)])
def test_power_is_that_of_statsmodels(d: float, n_clean: int, n_faulty: int) -> None:
    theirs = TTestIndPower().power(d, n_clean, 0.05, n_faulty / n_clean)
    assert power(d, n_clean, n_faulty) == pytest.approx(theirs, rel=1e-9)
    if d > 0.0:
        theirs = FTestAnovaPower().power(d, n_clean + n_faulty, 0.05, 2)
        assert published_power(d, n_clean, n_faulty) == pytest.approx(theirs, rel=1e-9)


def test_known_powers_of_twenty_runs() -> None:
    assert [round(published_power(d, 20, 20), 2) for d in (0.5, 0.64)] == [0.87, 0.98]
    assert [round(power(d, 20, 20), 2) for d in (0.5, 0.64)] == [0.34, 0.51]
    assert power(0.91, 20, 20) > 0.8 > power(0.88, 20, 20)
    for found in (power, published_power):
        assert found(math.inf, 20, 20) == found(1e9, 3, 3) == 1.0


def test_a_share_of_what_is_killed() -> None:
    assert share_unstable([0.79, 0.8, 0.2, 1.0]) == 0.5
    assert share_unstable([]) is None


def instability(stable: dict[float, bool], test: float | None, train: float = 10.0) -> float:
    return published_range_instability(stable, train=train, test=test, bound=90.0, increasing=True)


def test_a_range_that_grows_more_aggressive() -> None:
    # |20 - 10| / 80 + |30 - 10| / 80
    assert instability({10.0: False, 20.0: False, 30.0: True, 90.0: True}, 20.0) == 0.375
    assert instability({10.0: True, 90.0: True}, 10.0) == 0.0  # nothing unstable
    assert instability({5.0: False, 10.0: True, 90.0: True}, 10.0) == 0.0  # not killed anyway
    assert instability({10.0: True, 90.0: False}, 10.0) == 2.0  # unstable beyond the stable
    assert instability({10.0: False, 90.0: False}, None) == 2.0  # nothing stable
    assert instability({50.0: False, 90.0: True}, 90.0, train=90.0) == 0.0


def test_a_range_that_shrinks() -> None:
    def epochs(stable: dict[float, bool], train: float, test: float) -> float:
        return published_range_instability(
            stable, train=train, test=test, bound=1.0, increasing=False
        )

    assert epochs({1.0: True, 4.0: True, 8.0: False}, 6.0, 4.0) == 0.0
    # the largest unstable is no larger than what training data kills: |5 - 6| / 5 + |4 - 6| / 5
    assert epochs({1.0: True, 4.0: True, 5.0: False}, 6.0, 4.0) == pytest.approx(0.6)
    assert epochs({1.0: False, 4.0: True}, 6.0, 4.0) == 2.0
