import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import Wilcoxon
from scipy import stats


def test_worked_by_hand() -> None:
    # six differences of one sign: two of the 64 ways to sign them are as far out
    rule = Wilcoxon(n_clean=6, n_faulty=6)
    v = rule.decide([0] * 6, [1, 2, 3, 4, 5, 6], higher_is_better=False)
    assert v.p_value == pytest.approx(2 / 64)
    assert (v.decision, v.status, v.n_clean, v.n_faulty) == ("killed", "ok", 6, 6)


@pytest.mark.parametrize("n", [6, 13, 14, 20, 51])
@pytest.mark.parametrize("digits", [2, 12])
@pytest.mark.parametrize("shift", [0.0, 0.02, -0.02])
def test_the_rule_is_that_of_scipy_and_cohens_d(n: int, digits: int, shift: float) -> None:
    rng = np.random.default_rng(8)
    clean = np.round(rng.normal(0.9, 0.02, n), digits)
    faulty = np.round(rng.normal(0.9 - shift, 0.02, n), digits)
    rule = Wilcoxon(n_clean=n, n_faulty=n)
    v = rule.decide(clean.tolist(), faulty.tolist(), higher_is_better=True)
    p = float(stats.wilcoxon(clean, faulty).pvalue)
    d = (clean.mean() - faulty.mean()) / np.sqrt((clean.var(ddof=1) + faulty.var(ddof=1)) / 2)
    assert v.p_value == pytest.approx(p, abs=1e-9)
    assert v.effect_size == pytest.approx(d)
    assert (v.decision == "killed") == (p < 0.05 and d >= 0.5)


@pytest.mark.parametrize("n", [13, 14])
def test_pairs_that_are_all_equal_survive(n: int) -> None:
    scores = [0.9 + 0.001 * k for k in range(n)]
    v = Wilcoxon(n_clean=n, n_faulty=n).decide(scores, scores, higher_is_better=True)
    assert (v.decision, v.status, v.p_value, v.effect_size) == ("survived", "degenerate", 1.0, 0.0)


def test_an_improving_mutant_is_never_killed() -> None:
    rule = Wilcoxon(n_clean=6, n_faulty=6, min_effect=0.0)
    v = rule.decide([0] * 6, [1, 2, 3, 4, 5, 6], higher_is_better=True)
    assert v.p_value == pytest.approx(2 / 64) and v.decision == "survived"


def test_unequal_numbers_and_too_few_runs_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"expected equal numbers.*received 20 and 10"):
        Wilcoxon(n_faulty=10)
    with pytest.raises(ConfigError, match=r"enough runs to kill.*received 5 and 5"):
        Wilcoxon(n_clean=5, n_faulty=5)
