import math

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import CRITERIA, Criterion, criterion

NAN, INF = math.nan, math.inf
CLEAN = [0.90, 0.91, 0.92, 0.93]


ALPHAS = {"sign-flip": 0.1, "wilcoxon": 0.2}
"""Levels that four pairs of runs can reach, where the default is smaller than that."""


def at_once() -> list[str]:
    """The criteria that decide at one look; `sequential` has its own cases in its own file."""
    return [name for name, kind in sorted(CRITERIA.items()) if len(kind().looks) == 1]


@pytest.fixture(params=at_once())
def rule(request: pytest.FixtureRequest) -> Criterion:
    name = request.param
    level = {"alpha": ALPHAS[name]} if name in ALPHAS else {}
    return criterion(name, n_clean=4, n_faulty=4, **level)


@pytest.mark.parametrize("value", [k / 100 for k in range(101)])
def test_equal_constants_survive(rule: Criterion, value: float) -> None:
    v = rule.decide([value] * 4, [value] * 4, higher_is_better=True)
    assert (v.decision, v.status, v.p_value, v.effect_size) == ("survived", "degenerate", 1.0, 0.0)


@pytest.mark.parametrize("higher", [True, False])
def test_different_constants_are_killed_only_where_worse(rule: Criterion, higher: bool) -> None:
    v = rule.decide([0.9] * 4, [0.1] * 4, higher_is_better=higher)
    expected = ("killed", 0.0, INF) if higher else ("survived", 1.0, -INF)
    assert (v.decision, v.p_value, v.effect_size) == expected
    assert v.status == "degenerate"


def test_rounding_noise_on_a_constant_is_no_difference(rule: Criterion) -> None:
    below = math.nextafter(0.9, 0)
    v = rule.decide([0.9] * 4, [below, below, below, 0.9], higher_is_better=True)
    assert (v.decision, v.status) == ("survived", "degenerate")


def test_one_constant_sample_is_an_ordinary_case(rule: Criterion) -> None:
    v = rule.decide(CLEAN, [0.1] * 4, higher_is_better=True)
    assert (v.decision, v.status) == ("killed", "ok")
    v = rule.decide([0.9] * 4, [0.89, 0.91, 0.90, 0.90], higher_is_better=True)
    assert (v.decision, v.status) == ("survived", "ok")


@pytest.mark.parametrize(("n_clean", "n_faulty"), [(3, 4), (4, 3), (0, 0), (1, 1)])
def test_too_few_runs(rule: Criterion, n_clean: int, n_faulty: int) -> None:
    v = rule.decide(CLEAN[:n_clean], [0.1, 0.2, NAN, NAN][:n_faulty], higher_is_better=True)
    assert v.decision == v.status == "too_few_runs"
    assert v.p_value is None and v.effect_size is None
    assert (v.n_clean, v.n_faulty) == (n_clean, n_faulty)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_clean_run_that_diverged_is_an_error(rule: Criterion, bad: float) -> None:
    with pytest.raises(ConfigError, match=r"expected finite scores.*clean run 2"):
        rule.decide([0.9, 0.9, bad, 0.9], CLEAN, higher_is_better=True)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_half_diverged_is_killed(rule: Criterion, bad: float, count: int) -> None:
    v = rule.decide(CLEAN, [bad] * count + CLEAN[count:], higher_is_better=True)
    assert (v.decision, v.status, v.p_value) == ("killed", "degenerate", None)
    assert f"{count} of 4 faulty runs diverged" in v.reason


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize(("higher", "worst"), [(True, 0.90), (False, 0.95)])
def test_fewer_diverged_runs_count_as_the_worst_score(
    rule: Criterion, bad: float, higher: bool, worst: float
) -> None:
    v = rule.decide(CLEAN, [0.95, bad, 0.94, 0.93], higher_is_better=higher)
    w = rule.decide(CLEAN, [0.95, worst, 0.94, 0.93], higher_is_better=higher)
    assert (v.decision, v.p_value, v.effect_size) == (w.decision, w.p_value, w.effect_size)
    assert "1 diverged runs count as the worst score" in v.reason


def test_a_replaced_run_can_leave_no_variance(rule: Criterion) -> None:
    v = rule.decide([0.5] * 4, [0.5, NAN, 0.5, 0.5], higher_is_better=True)
    assert (v.decision, v.status) == ("survived", "degenerate")


def test_huge_losses_do_not_overflow(rule: Criterion) -> None:
    v = rule.decide(CLEAN, [4e300, 5e300, 4e300, 5e300], higher_is_better=False)
    assert v.decision == "killed"
    v = rule.decide(CLEAN, [1e300] * 4, higher_is_better=False)
    assert (v.decision, v.status, v.effect_size) == ("killed", "degenerate", INF)


def test_later_runs_are_not_looked_at(rule: Criterion) -> None:
    faulty = [0.91, 0.92, 0.90, 0.94]
    first = rule.decide(CLEAN, faulty, higher_is_better=True)
    later = rule.decide([*CLEAN, NAN, 5.0], [*faulty, NAN, INF, 0.0], higher_is_better=True)
    assert later == first


def test_a_variance_that_vanishes_is_no_division_by_zero(rule: Criterion) -> None:
    tiny = [5e-162, 5e-324, 5e-162, 5e-324]
    v = rule.decide(tiny, [0.9] * 4, higher_is_better=False)
    assert (v.decision, v.status, v.p_value) == ("killed", "degenerate", 0.0)
    v = rule.decide(tiny, [0.9] * 4, higher_is_better=True)
    assert (v.decision, v.status, v.p_value) == ("survived", "degenerate", 1.0)
