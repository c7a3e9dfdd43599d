"""Triviality and redundancy on matrices worked by hand, and against the definition."""

from itertools import permutations

import numpy as np
import pytest
from faultloom.generator.scores.redundancy import (
    is_trivial,
    redundant,
    subsumption,
    wilson,
    without_witness,
)


def edges(n: int, *pairs: tuple[int, int]) -> np.ndarray:
    found = np.zeros((n, n), bool)
    for pair in pairs:
        found[pair] = True
    return found


def test_trivial_from_nine_tenths_on() -> None:
    assert [is_trivial(share) for share in (0.89999, 0.9, 1.0)] == [False, True, True]


def test_the_wilson_interval_worked_by_hand() -> None:
    # 10 of 20 at 90 %: centre 1/2, half width z sqrt(n/4 + z^2/4) / (n + z^2) with z = 1.6448536
    low, high = wilson(np.array([[10, 0]]), np.array([20]), 0.9)
    z = 1.6448536269514722
    half = z * np.sqrt(20 / 4 + z**2 / 4) / (20 + z**2)
    assert (low[0, 0], high[0, 0]) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))
    assert low[0, 1] == 0.0
    assert high[0, 1] == pytest.approx(z**2 / (20 + z**2))


def test_the_easier_mutant_is_subsumed() -> None:
    # The first is killed by 30 inputs now and then, the second by the same ones and 30 others.
    hard = [8] * 30 + [0] * 30 + [0] * 40
    easy = [20] * 30 + [20] * 30 + [0] * 40
    other = [0] * 60 + [20] * 40
    pairs = np.array([20, 20, 20])
    found = subsumption(np.array([hard, easy, other]), pairs)
    assert np.array_equal(found, edges(3, (0, 1)))
    assert redundant(found).tolist() == [False, True, False]


@pytest.mark.parametrize(("inputs", "enough"), [(24, False), (25, True)])
def test_few_inputs_are_no_evidence(inputs: int, enough: bool) -> None:
    # All of n inputs: half width z^2 / (2 (n + z^2)) at 90 %, below .05 from n = 24.4 on
    kills = np.array([[0] * inputs + [5] * 50, [20] * inputs + [5] * 50])
    assert subsumption(kills, np.array([20, 20]))[0, 1] == enough


def test_equal_mutants_say_nothing_of_each_other() -> None:
    kills = np.array([[20] * 40, [20] * 40])
    assert not subsumption(kills, np.array([20, 20])).any()


def test_against_the_definition() -> None:
    rng = np.random.default_rng(2)
    pairs = rng.integers(4, 21, 8)
    easiness = np.sort(rng.random(8))[:, None]
    kills = rng.binomial(pairs[:, None], easiness * (rng.random(60) < 0.8))
    low, high = wilson(kills, pairs, 0.9)
    found = subsumption(kills, pairs)
    assert found.any() and not found.all()
    for one, two in permutations(range(8), 2):
        apart = [i for i in range(60) if low[one, i] > high[two, i] or low[two, i] > high[one, i]]
        share = [kills[one, i] / pairs[one] <= kills[two, i] / pairs[two] for i in apart]
        expected = False
        if apart and all(share):
            z = 1.6448536269514722
            expected = z**2 / (2 * (len(apart) + z**2)) < 0.05
        assert found[one, two] == expected


def test_what_can_go_while_a_witness_stays() -> None:
    chain = edges(4, (0, 1), (1, 2), (0, 2))
    assert (
        redundant(chain).tolist() == without_witness(chain).tolist() == [False, True, True, False]
    )
    circle = edges(4, (0, 1), (1, 2), (2, 0))
    assert redundant(circle).tolist() == [True, True, True, False]
    assert without_witness(circle).tolist() == [False, True, True, False]
    subsumed = circle | edges(4, (3, 1))
    assert without_witness(subsumed).tolist() == [True, True, True, False]
    assert without_witness(edges(1)).tolist() == [False]
