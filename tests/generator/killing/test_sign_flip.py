from itertools import product

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import SignFlip
from faultloom.generator.killing.sign_flip import sign_flip_p
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats


def test_worked_by_hand() -> None:
    # five seeds that are all worse: one of 32 ways to sign them; one better by the least: 2 of 32
    clean = [0.9] * 5
    v = SignFlip().decide(clean, [0.89, 0.88, 0.87, 0.86, 0.85], higher_is_better=True)
    assert (v.decision, v.status, v.p_value) == ("killed", "ok", 1 / 32)
    v = SignFlip().decide(clean, [0.905, 0.88, 0.87, 0.86, 0.85], higher_is_better=True)
    assert (v.decision, v.p_value) == ("survived", 2 / 32)
    v = SignFlip().decide(clean, [0.89, 0.88, 0.87, 0.86, 0.85], higher_is_better=False)
    assert (v.decision, v.p_value) == ("survived", 1.0)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_p_is_the_share_of_all_signs(differences: list[int]) -> None:
    sizes = [abs(d) for d in differences]
    sums = [
        sum(s * x for s, x in zip(signs, sizes, strict=True))
        for signs in product((1, -1), repeat=len(sizes))
    ]
    share = sum(found >= sum(differences) for found in sums) / len(sums)
    assert sign_flip_p(differences) == share
    # tenths are not exact in floating point, but tied all the same
    assert sign_flip_p([0.1 * d for d in differences]) == share


@pytest.mark.parametrize("n", [5, 12])
@pytest.mark.parametrize("shift", [0.0, 0.01, -0.01])
def test_p_is_that_of_scipy(n: int, shift: float) -> None:
    rng = np.random.default_rng(9)
    differences = rng.normal(shift, 0.01, n)
    theirs = stats.permutation_test(
        (differences,),
        np.sum,
        permutation_type="samples",
        alternative="greater",
        n_resamples=10_000,
    )
    assert sign_flip_p(differences.tolist()) == pytest.approx(float(theirs.pvalue), abs=1e-9)


def test_twenty_pairs_are_gone_through() -> None:
    # all sizes equal: the binomial tail of 15 or more of 20
    p = sign_flip_p([0.1] * 15 + [-0.1] * 5)
    assert p == pytest.approx(float(stats.binom.sf(14, 20, 0.5)), abs=1e-15)


def test_pairs_that_are_all_equal_survive() -> None:
    scores = [0.9, 0.91, 0.92, 0.93, 0.94]
    v = SignFlip().decide(scores, scores, higher_is_better=True)
    assert (v.decision, v.status, v.p_value, v.effect_size) == ("survived", "degenerate", 1.0, 0.0)


def test_the_defaults_are_those_of_the_source() -> None:
    assert SignFlip() == SignFlip(alpha=0.05, n_clean=5, n_faulty=5)


@pytest.mark.parametrize(
    ("clean", "faulty", "message"),
    [
        (20, 5, "expected equal numbers.*received 20 and 5"),
        (4, 4, "enough runs to kill.*received 4 and 4"),
        (21, 21, "expected at most 20 runs.*received 21"),
    ],
)
def test_unusable_numbers_of_runs_are_refused(clean: int, faulty: int, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SignFlip(n_clean=clean, n_faulty=faulty)
