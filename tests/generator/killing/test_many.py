"""Grading of many mutants against the criteria's own `decide`, row by row."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import CRITERIA, Criterion, Verdict, criterion
from faultloom.generator.killing.degenerate import settle
from faultloom.generator.killing.many import BLOCK, Grades, grade
from faultloom.generator.killing.many_rules import TESTS
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

NAN, INF = math.nan, math.inf


@dataclass(frozen=True)
class RankSum:
    """SciPy's rank-sum test, one-sided, by the normal distribution."""

    alpha: float = 0.025
    n_clean: int = 20
    n_faulty: int = 20
    name: str = field(default="mann-whitney", init=False)

    @property
    def looks(self) -> tuple[int, ...]:
        return (self.n_faulty,)

    def decide(
        self, clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool
    ) -> Verdict:
        samples = settle(self, clean, faulty, higher_is_better=higher_is_better)
        if isinstance(samples, Verdict):
            return samples
        small = min(self.n_clean, self.n_faulty) <= 8
        p = stats.mannwhitneyu(
            samples.faulty,
            samples.clean,
            alternative="greater",
            method="auto" if small else "asymptotic",
            use_continuity=True,
        ).pvalue
        return Verdict(
            criterion=self.name,
            decision="killed" if p < self.alpha else "survived",
            status="ok",
            p_value=float(p),
            effect_size=samples.effect_size,
            alpha=self.alpha,
            n_clean=len(samples.clean),
            n_faulty=len(samples.faulty),
            reason="",
        )


RULES: list[Criterion] = [criterion(name) for name in sorted(CRITERIA)]
RULES += [RankSum()] * ("mann-whitney" not in CRITERIA)
SMALL: list[Criterion] = [
    criterion("deepcrime", n_clean=4, n_faulty=5),
    criterion("deepcrime", n_clean=4, n_faulty=5, min_effect=0.0, alpha=0.5),
    criterion("welch", n_clean=5, n_faulty=4),
    criterion("sequential", n_clean=12, n_faulty=7),
    RankSum(n_clean=9, n_faulty=10),
    RankSum(n_clean=5, n_faulty=4),
]


def named(rule: Criterion) -> str:
    return f"{rule.name}-{rule.n_clean}-{rule.n_faulty}"


def assert_same(
    rule: Criterion, clean: Any, faulty: Any, *, higher: bool, runs: Any = None
) -> Grades:
    grades = grade(rule, clean, faulty, higher_is_better=higher, runs=runs)
    assert len(grades) == len(faulty)
    for row in range(len(faulty)):
        left = clean if clean.ndim == 1 else clean[row]
        right = faulty[row] if runs is None else faulty[row, : runs[row]]
        expected = rule.decide(left.tolist(), right.tolist(), higher_is_better=higher)
        found = grades.verdict(row)
        assert (found.decision, found.status) == (expected.decision, expected.status), row
        assert (found.n_clean, found.n_faulty) == (expected.n_clean, expected.n_faulty), row
        assert (found.criterion, found.alpha) == (expected.criterion, expected.alpha)
        assert grades.killed[row] == (expected.decision == "killed")
        for ours, theirs in (
            (found.p_value, expected.p_value),
            (found.effect_size, expected.effect_size),
        ):
            assert (ours is None) == (theirs is None), row
            assert ours is None or ours == pytest.approx(theirs, rel=1e-9, abs=1e-9), row
    return grades


def scores(kind: str, n: int, width: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    found = rng.normal(0.9, 0.01, (n, width)) - rng.choice([0.0, 0.005, 0.01, 0.03], (n, 1))
    if kind == "tied":
        return np.round(found, 2)
    if kind == "nearly constant":
        return 0.9 + (found - 0.9) * 10.0 ** rng.uniform(-14, 0, (n, 1))
    if kind == "losses":
        return np.exp(300 * (found - 0.5))
    return found


@pytest.mark.parametrize("rule", RULES, ids=named)
@pytest.mark.parametrize("kind", ["continuous", "tied", "nearly constant", "losses"])
@pytest.mark.parametrize("higher", [True, False])
def test_a_clean_program_of_each_mutants_own(rule: Criterion, kind: str, higher: bool) -> None:
    clean = scores(kind, 150, rule.n_clean, 1)
    assert_same(rule, clean, scores(kind, 150, rule.n_faulty, 2), higher=higher)


@pytest.mark.parametrize("rule", RULES, ids=named)
@pytest.mark.parametrize("kind", ["continuous", "tied"])
def test_one_pool_for_all(rule: Criterion, kind: str) -> None:
    pool = max(scores(kind, 20, rule.n_clean, 3), key=np.mean)
    grades = assert_same(rule, pool, scores(kind, 300, rule.n_faulty, 4), higher=True)
    assert 0 < grades.killed.sum() < 300


@pytest.mark.parametrize("rule", RULES, ids=named)
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_diverged_runs_and_constants(rule: Criterion, bad: float) -> None:
    clean, faulty = scores("tied", 120, rule.n_clean, 5), scores("tied", 120, rule.n_faulty, 6)
    faulty[np.random.default_rng(7).random(faulty.shape) < np.linspace(0, 1, 120)[:, None]] = bad
    clean[::3] = 0.9
    faulty[::6] = 0.9
    faulty[1::9] = 0.2
    grades = assert_same(rule, clean, faulty, higher=True)
    assert {"ok", "degenerate"} == set(grades.status.tolist())


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_later_runs_are_not_looked_at(rule: Criterion) -> None:
    clean, faulty = scores("tied", 50, rule.n_clean, 8), scores("tied", 50, rule.n_faulty, 9)
    more = np.full((50, 3), NAN)
    first = assert_same(rule, clean, faulty, higher=True)
    later = assert_same(rule, np.hstack([clean, more]), np.hstack([faulty, more]), higher=True)
    np.testing.assert_array_equal(later.p_value, first.p_value)


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_mutants_with_fewer_runs_than_others(rule: Criterion) -> None:
    clean, faulty = scores("tied", 80, rule.n_clean, 10), scores("tied", 80, rule.n_faulty, 11)
    runs = np.arange(80) % (rule.n_faulty + 1)
    faulty[np.arange(rule.n_faulty) >= runs[:, None]] = -99.0
    grades = assert_same(rule, clean, faulty, higher=True, runs=runs)
    assert {"ok", "too_few_runs"} == set(grades.status.tolist())
    # without `runs` the shape says how many there are
    assert_same(rule, clean, faulty[:, :3], higher=True)
    assert_same(rule, clean[:, :2], faulty, higher=True)


@pytest.mark.parametrize("rule", SMALL, ids=named)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_scores(rule: Criterion, data: st.DataObject) -> None:
    few = st.sampled_from([0.0, 0.5, -0.5, 1.0, math.nextafter(1.0, 0.0)])
    finite = few | st.floats(allow_nan=False, allow_infinity=False)
    broken = few | st.floats()
    n = data.draw(st.integers(1, 4))
    clean = data.draw(hnp.arrays(np.float64, (n, rule.n_clean), elements=finite))
    faulty = data.draw(hnp.arrays(np.float64, (n, rule.n_faulty), elements=broken))
    assert_same(rule, clean, faulty, higher=data.draw(st.booleans()))


@pytest.mark.parametrize("name", ["deepcrime", "welch"])
def test_a_bound_that_is_met_exactly_is_decided_as_by_decide(name: str) -> None:
    clean, faulty = scores("tied", 40, 20, 12), scores("tied", 40, 20, 13)
    for row in range(40):
        sides = clean[row].tolist(), faulty[row].tolist()
        p = criterion(name).decide(*sides, higher_is_better=True).p_value
        assert p is not None
        if 0.0 < p < 1.0:
            rule = criterion(name, alpha=p)
            assert_same(rule, clean[row : row + 1], faulty[row : row + 1], higher=True)


def test_more_mutants_than_a_block_keep_their_order() -> None:
    rule = criterion("sequential")
    clean, faulty = scores("tied", BLOCK + 30, 40, 14), scores("tied", BLOCK + 30, 20, 15)
    whole = grade(rule, clean, faulty, higher_is_better=True)
    tail = grade(rule, clean[BLOCK:], faulty[BLOCK:], higher_is_better=True)
    np.testing.assert_array_equal(whole.p_value[BLOCK:], tail.p_value)
    np.testing.assert_array_equal(whole.n_faulty[BLOCK:], tail.n_faulty)
    assert set(whole.n_clean.tolist()) == {40}


def test_only_unclear_rows_are_decided_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = criterion("welch")
    clean, faulty = scores("continuous", 50, 20, 16), scores("continuous", 50, 10, 17)
    clean[7], faulty[7] = 0.9, 0.8
    faulty[9, :5] = NAN
    asked: list[int] = []
    decide = type(rule).decide

    def counted(self: Any, left: Any, right: Any, *, higher_is_better: bool) -> Verdict:
        asked.append(len(right))
        return decide(self, left, right, higher_is_better=higher_is_better)

    monkeypatch.setattr(type(rule), "decide", counted)
    grades = grade(rule, clean, faulty, higher_is_better=True)
    assert len(asked) == 2
    assert np.flatnonzero(grades.status == "degenerate").tolist() == [7, 9]


def test_a_criterion_without_a_test_in_columns_is_asked_row_by_row() -> None:
    rule = criterion("welch")
    other: Any = RankSum(n_clean=5, n_faulty=6)
    object.__setattr__(other, "name", "mine")
    assert other.name not in TESTS and rule.name in TESTS
    assert_same(other, scores("tied", 20, 5, 18), scores("tied", 20, 6, 19), higher=True)


def test_no_mutants_at_all() -> None:
    grades = grade(criterion("welch"), np.zeros(20), np.zeros((0, 10)), higher_is_better=True)
    assert len(grades) == 0 and grades.p_value.shape == (0,)


def test_a_verdict_of_one_row() -> None:
    rule = criterion("deepcrime", n_clean=3, n_faulty=3)
    grades = grade(rule, [1, 2, 3], [[3, 4, 5], [NAN] * 3], higher_is_better=False)
    assert grades.verdict(0).reason == "ok: p = 0.01431, d = 2"
    assert grades.verdict(1).reason == "degenerate: nothing was computed"
    assert (grades.verdict(1).p_value, grades.verdict(1).decision) == (None, "killed")


@pytest.mark.parametrize(
    ("clean", "faulty", "runs", "message"),
    [
        (np.zeros(20), np.zeros(10), None, r"clean and faulty: expected .*\(10,\) and \(20,\)"),
        (np.zeros((3, 20)), np.zeros((2, 10)), None, r"received \(2, 10\) and \(3, 20\)"),
        (np.zeros((2, 2, 2)), np.zeros((2, 10)), None, "clean and faulty: expected"),
        (np.zeros(20), np.zeros((2, 10)), [3], r"runs: expected whole numbers, \(2,\), received"),
        (np.zeros(20), np.zeros((2, 10)), [3.0, 4.0], "runs: expected whole .*received float64"),
        (np.zeros(20), np.zeros((2, 10)), [3, 11], "expected 0 to 10, .*received 3 to 11"),
        (np.zeros(20), np.zeros((2, 10)), [-1, 4], "expected 0 to 10, .*received -1 to 4"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    clean: Any, faulty: Any, runs: Any, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        grade(criterion("welch"), clean, faulty, higher_is_better=True, runs=runs)


@pytest.mark.parametrize("rule", RULES, ids=named)
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_clean_run_that_diverged_is_an_error(rule: Criterion, bad: float) -> None:
    clean = scores("continuous", 5, rule.n_clean, 20)
    clean[3, 2] = bad
    faulty = scores("continuous", 5, rule.n_faulty, 21)
    with pytest.raises(ConfigError, match=r"^mutant 3: criterion .*finite scores.*clean run 2"):
        grade(rule, clean, faulty, higher_is_better=True)
    with pytest.raises(ConfigError, match=r"^criterion .*finite scores.*clean run 2"):
        grade(rule, clean[3], faulty, higher_is_better=True)
