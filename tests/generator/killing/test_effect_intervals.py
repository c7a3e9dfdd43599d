import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing.effect_intervals import cohens_d_interval, vargha_delaney
from scipy import stats


@pytest.mark.parametrize("gap", [0.0, 0.5, 3.0, -40.0])
@pytest.mark.parametrize(("m", "n"), [(20, 10), (2, 2), (3, 1)])
def test_limits_of_d_give_the_tails_of_the_noncentral_t(gap: float, m: int, n: int) -> None:
    rng = np.random.default_rng(2)
    clean, faulty = rng.normal(size=m).tolist(), rng.normal(gap, size=n).tolist()
    found = cohens_d_interval(clean, faulty, higher_is_better=False, level=0.9)
    unit = math.sqrt(1 / m + 1 / n)
    t = found.estimate / unit
    for limit, tail in ((found.low, 0.95), (found.high, 0.05)):
        assert stats.nct.cdf(t, m + n - 2, limit / unit) == pytest.approx(tail, abs=1e-9)
    assert found.low < found.estimate < found.high


def test_d_turns_around_with_the_direction() -> None:
    up = cohens_d_interval([1, 2, 3], [3, 4, 5], higher_is_better=False)
    down = cohens_d_interval([1, 2, 3], [3, 4, 5], higher_is_better=True)
    assert up.estimate == pytest.approx(2.0)
    assert (down.low, down.high) == (pytest.approx(-up.high), pytest.approx(-up.low))


def test_d_without_variance() -> None:
    same = cohens_d_interval([0.9] * 8, [0.9] * 8, higher_is_better=True)
    half = 1.959963984540054 * 0.5
    assert (same.estimate, same.low, same.high) == (0.0, pytest.approx(-half), pytest.approx(half))
    apart = cohens_d_interval([0.9] * 8, [0.1] * 8, higher_is_better=True)
    assert (apart.estimate, apart.low, apart.high) == (math.inf,) * 3


def test_an_enormous_d_has_limits_in_proportion() -> None:
    found = cohens_d_interval([1.0, 1.0 + 1e-9, 1.0], [5.0, 5.0, 5.0], higher_is_better=False)
    share = [math.sqrt(stats.chi2.ppf(q, 4) / 4) for q in (0.025, 0.975)]
    assert found.estimate > 1e9
    assert [found.low / found.estimate, found.high / found.estimate] == pytest.approx(
        share, rel=1e-4
    )


def test_a_worked_by_hand() -> None:
    # of the 9 pairs of 1 2 3 with 2 3 4: 6 worse and 2 tied; placements 0 .5 1.5 and 1.5 2.5 3
    found = vargha_delaney([1, 2, 3], [2, 3, 4], higher_is_better=False)
    assert found.estimate == pytest.approx(7 / 9)
    v = 7 / 12 / 27  # both samples of placements have the variance 7/12
    half = stats.t.isf(0.025, 4) * math.sqrt(2 * v) / (14 / 81)
    for limit, side in ((found.low, -1), (found.high, 1)):
        assert math.log(limit / (1 - limit)) == pytest.approx(math.log(3.5) + side * half)
    turned = vargha_delaney([1, 2, 3], [2, 3, 4], higher_is_better=True)
    assert turned.low == pytest.approx(1 - found.high)


def test_a_of_separated_or_equal_scores_has_the_limits_of_disjoint_pairs() -> None:
    limit = 0.025 ** (1 / 3)
    found = vargha_delaney([1, 2, 3, 4], [5, 6, 7], higher_is_better=False)
    assert (found.estimate, found.low, found.high) == (1.0, pytest.approx(limit), 1.0)
    assert stats.binomtest(3, 3).proportion_ci(0.95, "exact").low == pytest.approx(limit)
    found = vargha_delaney([1, 2, 3, 4], [5, 6, 7], higher_is_better=True)
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, pytest.approx(1 - limit))
    found = vargha_delaney([1] * 4, [1] * 3, higher_is_better=True)
    assert (found.low, found.high) == (pytest.approx(limit / 2), pytest.approx(1 - limit / 2))
    assert found.estimate == 0.5


def test_a_covers_the_truth_about_as_often_as_it_says() -> None:
    rng, trials = np.random.default_rng(3), 1000
    truth = float(stats.norm.cdf(1 / math.sqrt(2)))
    covered = 0
    for _ in range(trials):
        found = vargha_delaney(
            rng.normal(size=20).tolist(), rng.normal(1.0, size=15).tolist(), higher_is_better=False
        )
        covered += found.low <= truth <= found.high
    assert 0.93 < covered / trials < 0.98


def test_unusable_input_is_refused() -> None:
    with pytest.raises(ConfigError, match="two scores per side, received 1 clean and 2 faulty"):
        vargha_delaney([1], [1, 2], higher_is_better=True)
    for bad in (math.nan, math.inf):
        with pytest.raises(ConfigError, match="Delaney's A: expected finite scores"):
            vargha_delaney([1, 2], [1, bad], higher_is_better=True)
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(ConfigError, match=r"level: expected .* received"):
            cohens_d_interval([1, 2], [3, 4], higher_is_better=True, level=level)
