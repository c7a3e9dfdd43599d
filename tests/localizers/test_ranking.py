"""Expected scores under ties against every order of the tied layers."""

import itertools

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.localizers.ranking import all_at_k, expected_first_rank, hit_at_k, ranking


def orders(groups):
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain.from_iterable(parts))


def brute(groups, answers, k, n_layers):
    hits, alls, ranks = [], [], []
    faulty = frozenset().union(*answers)
    for order in orders(groups):
        top = set(order[:k])
        hits.append(bool(top & faulty))
        alls.append(any(answer <= top for answer in answers))
        ranks.append(next((i + 1 for i, x in enumerate(order) if x in faulty), n_layers + 1))
    return np.mean(hits), np.mean(alls), np.mean(ranks)


@pytest.mark.parametrize("seed", range(60))
def test_expectations_match_enumeration(seed):
    rng = np.random.default_rng(seed)
    n_layers = int(rng.integers(2, 7))
    named = rng.permutation(n_layers)[: int(rng.integers(1, n_layers + 1))]
    order = ranking({int(i): float(rng.integers(0, 3)) for i in named})
    answers = tuple(
        frozenset(rng.choice(n_layers, int(rng.integers(1, min(4, n_layers) + 1)), False).tolist())
        for _ in range(int(rng.integers(1, 5)))
    )
    for k in range(1, n_layers + 1):
        hit, whole, rank = brute(order, answers, k, n_layers)
        assert hit_at_k(order, answers, k) == pytest.approx(hit, abs=1e-12)
        assert all_at_k(order, answers, k) == pytest.approx(whole, abs=1e-12)
        assert expected_first_rank(order, answers, n_layers) == pytest.approx(rank)


def test_ties():
    scores = {0: 1.0, 1: 1.0, 2: 3.0}
    assert ranking(scores) == ((2,), (0, 1))
    assert ranking(scores, "deepest") == ((2,), (1,), (0,))
    with pytest.raises(ConfigError, match="ties"):
        ranking(scores, "lucky")


def test_nothing_named_is_never_found():
    answers = (frozenset({0}),)
    assert (hit_at_k((), answers, 3), all_at_k((), answers, 3)) == (0.0, 0.0)
    assert expected_first_rank((), answers, 5) == 6.0
