"""Fisher's exact test on each input against SciPy, and that killing is monotone in the test set."""

import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing.answers import Answers
from faultloom.generator.killing.fisher import Fisher, fisher_p
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats


def matrix(runs: int, right: list[int]) -> np.ndarray:
    """Answers of runs, of which the first so many get each input right."""
    return np.array([[k < count for count in right] for k in range(runs)])


def test_worked_by_hand() -> None:
    # 3 runs a side: all clean right, all faulty wrong has one of C(6, 3) = 20 arrangements; two
    # wrong of the mutant's, none of the clean runs': C(3, 2) of C(6, 2) = 15
    answers = Answers(matrix(3, [3, 3, 0, 3]), matrix(3, [0, 1, 3, 3]))
    np.testing.assert_allclose(fisher_p(answers), [1 / 20, 3 / 15, 1.0, 1.0], rtol=1e-12)
    assert Fisher(None).kills(answers).tolist() == [True, False, False, False]
    found = Fisher(None).decide(answers)
    assert (found.decision, found.status, found.alpha) == ("killed", "ok", 0.05)
    assert found.p_value == pytest.approx(0.05)
    assert found.reason == "1 of 4 inputs kill at p <= 0.05"


@settings(max_examples=60, deadline=None)
@given(
    clean=arrays.arrays(bool, st.tuples(st.integers(1, 12), st.just(5))),
    faulty=arrays.arrays(bool, st.tuples(st.integers(1, 12), st.just(5))),
)
def test_p_is_that_of_scipy(clean: np.ndarray, faulty: np.ndarray) -> None:
    for column, p in enumerate(fisher_p(Answers(clean, faulty))):
        c, f = clean[:, column].sum(), faulty[:, column].sum()
        table = [[len(faulty) - f, f], [len(clean) - c, c]]
        expected = stats.fisher_exact(table, alternative="greater").pvalue
        assert p == pytest.approx(expected, rel=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    runs=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    n=st.integers(1, 30),
    alpha=st.floats(0.001, 0.6),
    room=st.none() | st.integers(0, 60),
)
def test_adding_inputs_never_brings_a_killed_mutant_back(
    seed: int, runs: tuple[int, int], n: int, alpha: float, room: int | None
) -> None:
    rng = np.random.default_rng(seed)
    answers = Answers(*(rng.random((count, n)) < rng.random(n) for count in runs))
    rule = Fisher(None if room is None else n + room, alpha)
    small = rng.random(n) < rng.random()
    small[rng.integers(n)] = True
    large, order = small | (rng.random(n) < rng.random()), rng.permutation(n)
    before, after = rule.decide(answers.on(small)), rule.decide(answers.on(large))
    assert (before.decision == "too_few_runs") == (after.decision == "too_few_runs")
    if before.decision == "killed":
        assert after.decision == "killed"
    assert np.array_equal(rule.kills(answers)[small], rule.kills(answers.on(small)))
    assert rule.decide(answers.on(order)) == rule.decide(answers)


def test_deepcrimes_rule_on_accuracies_is_not_monotone() -> None:
    """Why the test is made on each input: the other way, more inputs can un-kill."""
    from faultloom.generator.killing.damt4dl import Damt4dl

    rng = np.random.default_rng(4)
    fault = Answers(np.ones((20, 1), bool), rng.random((20, 1)) < 0.7)
    noise = rng.random((40, 60)) < 0.5
    both = Answers(np.hstack([fault.clean, noise[:20]]), np.hstack([fault.faulty, noise[20:]]))
    assert Damt4dl().decide(fault).decision == "killed"
    assert Damt4dl().decide(both).decision == "survived"
    assert Fisher(None).decide(fault).decision == Fisher(None).decide(both).decision == "killed"


def test_a_level_for_the_largest_test_set() -> None:
    rule = Fisher(most_inputs=4)
    assert rule.level == 0.0125
    answers = Answers(matrix(3, [3]), matrix(3, [0]))
    found = rule.decide(answers)
    assert (found.decision, found.p_value) == ("too_few_runs", None)
    assert "cannot reach p = 0.0125; their smallest is 0.05" in found.reason
    more = Answers(matrix(5, [5]), matrix(5, [0]))
    assert rule.decide(more).p_value == pytest.approx(1 / math.comb(10, 5))
    assert rule.decide(more).decision == "killed"


def test_false_kills_of_a_whole_test_set_keep_to_alpha() -> None:
    rng, rule, trials = np.random.default_rng(8), Fisher(50), 1500
    right = rng.random(50)
    killed = 0
    for _ in range(trials):
        runs = rng.random((40, 50)) < right
        killed += rule.decide(Answers(runs[:20], runs[20:])).decision == "killed"
    assert killed <= stats.binom.ppf(0.999, trials, 0.05)


def test_settings_and_test_sets_that_cannot_be_used() -> None:
    with pytest.raises(ConfigError, match=r"alpha: expected .* received 1"):
        Fisher(None, 1.0)
    with pytest.raises(ConfigError, match=r"most_inputs: expected .* received 0"):
        Fisher(most_inputs=0)
    answers = Answers(np.ones((3, 4), bool), np.ones((3, 4), bool))
    for ask in (Fisher(most_inputs=3).kills, Fisher(most_inputs=3).decide):
        with pytest.raises(ConfigError, match="at most most_inputs = 3 inputs, received 4"):
            ask(answers)
