"""Samples of many mutants: orientation, diverged runs, the unit, and what is left to others."""

import math

import numpy as np
import pytest
from faultloom.generator.killing.effect import cohens_d
from faultloom.generator.killing.many_samples import prepare

NAN, INF = math.nan, math.inf


def test_larger_is_worse_afterwards() -> None:
    clean, faulty = np.array([[0.75, 1.0]]), np.array([[0.25, 0.5, 0.5]])
    found = prepare(clean, faulty, higher_is_better=True)
    # 1.0 lies in [0.5, 1) times 2: all are halved
    assert found.clean.tolist() == [[-0.375, -0.5]]
    assert found.faulty.tolist() == [[-0.125, -0.25, -0.25]]
    assert found.plain.tolist() == [True] and found.sizes == (2, 3)
    assert prepare(clean, faulty, higher_is_better=False).clean.tolist() == [[0.375, 0.5]]


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_diverged_run_has_the_worst_score_seen_on_either_side(bad: float) -> None:
    clean = np.array([[0.5, 0.75], [0.5, 0.75]])
    faulty = np.array([[0.625, bad, 0.5], [0.25, bad, 0.5]])
    worst = prepare(clean, faulty, higher_is_better=True).faulty[:, 1]
    assert worst.tolist() == [-0.5, -0.25]
    worst = prepare(clean, faulty, higher_is_better=False).faulty[:, 1]
    assert worst.tolist() == [0.75, 0.75]


def test_what_is_degenerate_is_left_out() -> None:
    clean = np.array([[0.5, 0.75]] * 4 + [[0.5, 0.5], [0.5, NAN], [0.5, INF], [0.0, 0.0]])
    faulty = np.array([[0.5, 0.25]] * 8)
    faulty[1, 0] = NAN  # half of the runs
    faulty[2] = 0.5
    faulty[3] = [0.5, -INF]
    faulty[4] = 0.25
    faulty[7] = 0.0
    found = prepare(clean, faulty, higher_is_better=True)
    assert found.plain.tolist() == [True, False, True, False, False, False, False, False]
    assert np.isfinite(found.clean).all() and np.isfinite(found.faulty).all()
    kept = found.rows(found.plain)
    assert kept.clean.shape == (2, 2) and kept.plain.all()


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e300])
def test_moments_in_any_unit(unit: float) -> None:
    rng = np.random.default_rng(1)
    clean, faulty = rng.normal(2.0, 1.0, (20, 7)), rng.normal(3.0, 0.5, (20, 5))
    found = prepare(unit * clean, unit * faulty, higher_is_better=False)
    assert found.plain.all()
    for row in range(20):
        d = cohens_d(clean[row].tolist(), faulty[row].tolist(), higher_is_better=False)
        assert found.effect_size[row] == pytest.approx(d, rel=1e-11)
    first, second = found.variances
    np.testing.assert_allclose(first / second, clean.var(1, ddof=1) / faulty.var(1, ddof=1))


def test_a_spread_in_which_rounding_shows_is_left_out() -> None:
    clean = 0.5 + np.array([[0.0, 1e-4], [0.0, 1e-6]])
    found = prepare(clean, clean.copy(), higher_is_better=True)
    assert found.plain.tolist() == [True, False]
