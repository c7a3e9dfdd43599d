"""Rank sums of many mutants against those of one."""

from collections import Counter

import numpy as np
import pytest
from faultloom.generator.killing import ranks
from faultloom.generator.killing.many_ranks import rank_sums, tied, upper_tails, without_ties
from faultloom.generator.killing.many_samples import ManySamples


def samples(levels: int, n_clean: int, n_faulty: int) -> ManySamples:
    rng = np.random.default_rng(levels)
    clean, faulty = (rng.integers(0, levels, (60, n)).astype(float) for n in (n_clean, n_faulty))
    return ManySamples(clean, faulty, np.ones(60, dtype=np.bool_))


def test_known_rank_sums() -> None:
    known = ManySamples(
        np.array([[1.0, 2.0], [3.0, 4.0], [2.0, 2.0]]),
        np.array([[3.0, 4.0, 5.0], [1.0, 2.0, 2.0], [2.0, 2.0, 2.0]]),
        np.ones(3, dtype=np.bool_),
    )
    assert rank_sums(known).tolist() == [6.0, 0.0, 3.0]
    assert tied(known).tolist() == [0.0, 6.0, 120.0]
    assert without_ties(known)[2] == 3.0


@pytest.mark.parametrize("levels", [1, 2, 4, 30, 10**9])
@pytest.mark.parametrize(("n_clean", "n_faulty"), [(40, 4), (12, 9), (2, 3)])
def test_rows_agree_with_the_ranks_of_one_mutant(levels: int, n_clean: int, n_faulty: int) -> None:
    many = samples(levels, n_clean, n_faulty)
    u, ties, scaled = rank_sums(many), tied(many), without_ties(many)
    tails = upper_tails(scaled, n_clean, n_faulty)
    for row in range(60):
        sides = many.clean[row].tolist(), many.faulty[row].tolist()
        assert u[row] == ranks.rank_sum(*sides)
        groups = Counter((*sides[0], *sides[1])).values()
        assert ties[row] == sum(count**3 - count for count in groups)
        assert scaled[row] == ranks.without_ties(float(u[row]), *sides)
        assert tails[row] == ranks.upper_tail(float(scaled[row]), n_clean, n_faulty)
