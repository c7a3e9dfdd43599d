import math

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import cohens_d


def test_worked_by_hand() -> None:
    # variances 1 and 1, means 2 and 4: d = 2
    assert cohens_d([1, 2, 3], [3, 4, 5], higher_is_better=False) == pytest.approx(2.0)
    assert cohens_d([1, 2, 3], [3, 4, 5], higher_is_better=True) == pytest.approx(-2.0)


def test_unequal_n_pools_by_degrees_of_freedom() -> None:
    # variances 2 (df 1) and 1 (df 2): pooled (2 + 2) / 3; means 1 and 5
    d = cohens_d([0, 2], [4, 5, 6], higher_is_better=False)
    assert d == pytest.approx(4 / math.sqrt(4 / 3))


@pytest.mark.parametrize("value", [k / 100 for k in range(101)])
def test_equal_constants_have_no_effect(value: float) -> None:
    assert cohens_d([value] * 20, [value] * 7, higher_is_better=True) == 0.0


def test_separated_constants_are_infinitely_apart() -> None:
    assert cohens_d([0.9] * 20, [0.1] * 20, higher_is_better=True) == math.inf
    assert cohens_d([0.9] * 20, [0.1] * 20, higher_is_better=False) == -math.inf


def test_rounding_is_not_variation() -> None:
    jitter = [0.9, math.nextafter(0.9, 1), math.nextafter(0.9, 0)]
    assert cohens_d([0.9] * 3, jitter, higher_is_better=True) == 0.0


def test_one_score_on_one_side_uses_the_variance_of_the_other() -> None:
    assert cohens_d([1, 2, 3], [4], higher_is_better=False) == pytest.approx(2.0)


@pytest.mark.parametrize("pair", [([1.0], [2.0]), ([], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [])])
def test_too_few_scores_are_refused(pair: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ConfigError, match="three in all, received"):
        cohens_d(*pair, higher_is_better=True)


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e9, 1e300])
def test_the_unit_does_not_matter(unit: float) -> None:
    d = cohens_d([unit, 2 * unit, 3 * unit], [3 * unit, 4 * unit, 5 * unit], higher_is_better=False)
    assert d == pytest.approx(2.0)


@pytest.mark.parametrize("bad", [[math.nan], [math.inf], [math.inf, -math.inf]])
def test_scores_that_are_not_finite_are_refused(bad: list[float]) -> None:
    for pair in (([1.0, *bad], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [1.0, *bad])):
        with pytest.raises(ConfigError, match="expected finite scores, received"):
            cohens_d(*pair, higher_is_better=True)
