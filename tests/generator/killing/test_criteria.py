import math
import subprocess
import sys

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import CRITERIA, DeepCrime, Welch, criterion


def test_by_name_with_overrides() -> None:
    assert criterion("welch") == Welch(alpha=0.025, n_clean=20, n_faulty=10)
    assert criterion("deepcrime", n_faulty=10) == DeepCrime(n_faulty=10)
    assert all(criterion(name).name == name for name in CRITERIA)


def test_unknown_names_list_the_known() -> None:
    known = ", ".join(sorted(CRITERIA))
    with pytest.raises(ConfigError, match=f"expected one of {known}, received 'glm'"):
        criterion("glm")
    with pytest.raises(
        ConfigError, match="expected one of alpha, n_clean, n_faulty, received 'name'"
    ):
        criterion("welch", name=3)


@pytest.mark.parametrize("name", sorted(set(CRITERIA) - {"sequential"}))
@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_alpha_is_checked(name: str, alpha: float) -> None:
    with pytest.raises(ConfigError, match=r"alpha: expected .* received"):
        criterion(name, alpha=alpha)


@pytest.mark.parametrize("name", sorted(CRITERIA))
@pytest.mark.parametrize("setting", ["n_clean", "n_faulty"])
@pytest.mark.parametrize("value", [1, 0, -3, 2.5, True])
def test_run_counts_are_checked(name: str, setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"{setting}: expected a whole number .* received"):
        criterion(name, **{setting: value})


def test_no_tensorflow_is_imported() -> None:
    code = (
        "import sys, faultloom.generator.killing;"
        "sys.exit(any(m in sys.modules for m in ('tensorflow', 'keras', 'statsmodels')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_the_last_look_has_all_runs(name: str) -> None:
    rule = criterion(name)
    assert list(rule.looks) == sorted(set(rule.looks))
    assert rule.looks[-1] == rule.n_faulty
    assert criterion(name, n_clean=8, n_faulty=8).looks[-1] == 8


FALSE_KILLS = {
    "brunner-munzel": 0.028,  # an approximation: see its docstring
    "deepcrime": 0.033,  # the normal distribution in place of Student's
    "deepcrime-corrected": 0.025,
    "wilcoxon": 0.025,
}
"""Stated rates of false kills, where they are not alpha; two-sided rules kill on one side only."""


@pytest.mark.parametrize("name", sorted(CRITERIA))
@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_a_program_that_is_not_worse_is_killed_no_more_often_than_stated(
    name: str, kind: str
) -> None:
    rule, rng, campaigns = criterion(name), np.random.default_rng(21), 1500
    killed = 0
    for _ in range(campaigns):
        scores = rng.normal(0.9, 0.01, rule.n_clean + rule.n_faulty)
        if kind == "discrete":
            scores = np.round(scores * 500) / 500
        clean, faulty = scores[: rule.n_clean].tolist(), scores[rule.n_clean :].tolist()
        verdict = rule.decide(clean, faulty, higher_is_better=True)
        killed += verdict.decision == "killed"
    rate = FALSE_KILLS.get(name, rule.alpha)
    # four standard errors of a simulation of this size
    assert rate / 4 < killed / campaigns <= rate + 4 * (rate * (1 - rate) / campaigns) ** 0.5


@pytest.mark.parametrize("name", sorted(CRITERIA))
@pytest.mark.parametrize(("scale", "offset"), [(0.25, 0.0), (8.0, 0.0), (1.0, 3.0), (-2.0, 1.0)])
def test_neither_unit_nor_origin_nor_sign_matters(name: str, scale: float, offset: float) -> None:
    rule, rng = criterion(name), np.random.default_rng(22)
    for gap in (0, 40, 400):
        # whole multiples of 2^-10, which these maps keep exact
        clean = rng.integers(800, 900, rule.n_clean) / 1024
        faulty = (rng.integers(800, 900, rule.n_faulty) - gap) / 1024
        first = rule.decide(clean.tolist(), faulty.tolist(), higher_is_better=True)
        mapped = rule.decide(
            (scale * clean + offset).tolist(),
            (scale * faulty + offset).tolist(),
            higher_is_better=scale > 0,
        )
        assert (mapped.decision, mapped.status) == (first.decision, first.status)
        assert mapped.p_value == pytest.approx(first.p_value, rel=1e-6)
        assert mapped.effect_size == pytest.approx(first.effect_size, rel=1e-9)
