import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import MannWhitney
from scipy import stats


def test_worked_by_hand() -> None:
    # U = 1 + 2 + 3; the faulty runs may have 20 sets of ranks, 7 of which sum to 12 or more
    rule = MannWhitney(n_clean=3, n_faulty=3, alpha=0.35)
    v = rule.decide([1, 3, 5], [2, 4, 6], higher_is_better=False)
    assert v.p_value == pytest.approx(7 / 20)
    assert (v.decision, v.status) == ("killed", "ok")
    assert "(exact)" in v.reason


def test_ties_worked_by_hand() -> None:
    # U = 9 - 1/2 of 9, ties leave 1 - 6/210 of the variance 5.25: z = 3.5 / sqrt(5.1)
    rule = MannWhitney(n_clean=3, n_faulty=3, alpha=0.1)
    v = rule.decide([1, 2, 3], [3, 4, 5], higher_is_better=False)
    assert v.p_value == pytest.approx(math.erfc(3.5 / math.sqrt(5.1) / math.sqrt(2)) / 2)
    assert "(asymptotic)" in v.reason


@pytest.mark.parametrize(("m", "n"), [(20, 10), (9, 9), (4, 40), (51, 5)])
@pytest.mark.parametrize("shift", [0.0, 0.01, -0.02])
@pytest.mark.parametrize("digits", [2, 12])
@pytest.mark.parametrize("higher", [True, False])
def test_p_is_that_of_scipy(m: int, n: int, shift: float, digits: int, higher: bool) -> None:
    rng = np.random.default_rng(6)
    clean = np.round(rng.normal(0.9, 0.01, m), digits)
    faulty = np.round(rng.normal(0.9 - shift, 0.03, n), digits)
    v = MannWhitney(n_clean=m, n_faulty=n).decide(
        clean.tolist(), faulty.tolist(), higher_is_better=higher
    )
    exact = digits == 12 and m <= 50
    assert ("(exact)" in v.reason) == exact
    theirs = stats.mannwhitneyu(
        faulty,
        clean,
        alternative="less" if higher else "greater",
        method="exact" if exact else "asymptotic",
    )
    assert v.p_value == pytest.approx(float(theirs.pvalue), abs=1e-9)
    assert (v.decision == "killed") == (theirs.pvalue <= 0.025)


def test_runs_with_which_nothing_could_be_killed_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"enough runs to kill.*received 3 and 3.*p is 0.05"):
        MannWhitney(n_clean=3, n_faulty=3)
