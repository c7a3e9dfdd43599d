import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import BrunnerMunzel
from scipy import stats


def test_worked_by_hand() -> None:
    # 6 of the 9 pairs are worse, 2 tied; shares 0 1/2 3/2 and 3/2 5/2 3 of 3, variances 7/12
    # each: t = (7/9 - 1/2) / sqrt(2 * 7/12 / 27) with 4 degrees of freedom
    rule = BrunnerMunzel(n_clean=3, n_faulty=3, alpha=0.1)
    v = rule.decide([1, 2, 3], [2, 3, 4], higher_is_better=False)
    t = (7 / 9 - 1 / 2) / math.sqrt(7 / 6 / 27)
    # the distribution with 4 degrees of freedom in closed form
    r = t / math.sqrt(4 + t * t)
    assert v.p_value == pytest.approx(0.5 - 0.75 * (r - r**3 / 3), abs=1e-12)
    assert (v.decision, v.status) == ("survived", "ok")


@pytest.mark.parametrize(("m", "n"), [(20, 10), (9, 9), (4, 40)])
@pytest.mark.parametrize("shift", [0.0, 0.01, -0.02])
@pytest.mark.parametrize("digits", [2, 12])
@pytest.mark.parametrize("higher", [True, False])
def test_p_is_that_of_scipy(m: int, n: int, shift: float, digits: int, higher: bool) -> None:
    rng = np.random.default_rng(6)
    clean = np.round(rng.normal(0.9, 0.01, m), digits)
    faulty = np.round(rng.normal(0.9 - shift, 0.03, n), digits)
    v = BrunnerMunzel(n_clean=m, n_faulty=n).decide(
        clean.tolist(), faulty.tolist(), higher_is_better=higher
    )
    # SciPy's "less" says that its first sample tends to be the smaller one
    side = "greater" if higher else "less"
    theirs = stats.brunnermunzel(clean, faulty, alternative=side)
    assert v.p_value == pytest.approx(float(theirs.pvalue), abs=1e-9)
    assert (v.decision == "killed") == (theirs.pvalue <= 0.025)


def test_full_separation_has_the_p_of_the_permutation_test() -> None:
    clean = [0.90, 0.91, 0.92, 0.93, 0.93]
    rule = BrunnerMunzel(n_clean=5, n_faulty=3)
    for faulty in ([0.1, 0.2, 0.3], [0.1, 0.1, 0.1]):
        v = rule.decide(clean, faulty, higher_is_better=True)
        assert (v.decision, v.status, v.p_value) == ("killed", "ok", pytest.approx(1 / 56))
        assert "(fully separated)" in v.reason
        v = rule.decide(clean, faulty, higher_is_better=False)
        assert (v.decision, v.status, v.p_value) == ("survived", "ok", 1.0)


def test_samples_that_only_touch_are_not_separated() -> None:
    v = BrunnerMunzel(n_clean=4, n_faulty=4).decide(
        [1, 2, 3, 4], [4, 5, 6, 7], higher_is_better=False
    )
    assert "(Student)" in v.reason and v.p_value is not None and 0 < v.p_value < 1 / 70


def test_runs_with_which_separation_could_not_kill_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"enough runs to kill.*received 3 and 3.*p is 0.05"):
        BrunnerMunzel(n_clean=3, n_faulty=3)
