import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing.equivalence import equivalent, non_inferior
from statsmodels.stats.weightstats import ttost_ind


def test_worked_by_hand() -> None:
    # two runs a side, variances 2, gap 0, margin sqrt(2): t = 1 with 2 degrees of freedom, for
    # which P(T > t) = 1/2 - t / (2 sqrt(2 + t^2))
    found = equivalent([0, 2], [0, 2], margin=math.sqrt(2))
    assert found.p_value == pytest.approx(0.5 - 0.5 / math.sqrt(3), abs=1e-12)
    assert (found.decision, found.gap) == ("not_shown", 0.0)
    assert found.low == pytest.approx(-2.9199855803 * math.sqrt(2))


@pytest.mark.parametrize(("m", "n"), [(20, 10), (3, 3), (2, 11)])
@pytest.mark.parametrize("shift", [0.0, 0.004, -0.008, 0.02])
def test_p_is_that_of_statsmodels(m: int, n: int, shift: float) -> None:
    rng = np.random.default_rng(4)
    clean, other = rng.normal(0.9, 0.004, m), rng.normal(0.9 - shift, 0.008, n)
    p, lower, upper = ttost_ind(clean, other, -0.01, 0.01, usevar="unequal")
    found = equivalent(clean.tolist(), other.tolist())
    assert found.p_value == pytest.approx(p, abs=1e-9)
    assert (found.decision == "shown") == (p < 0.05)
    assert found.low is not None and found.high is not None
    assert (found.decision == "shown") == (found.low > -0.01 and found.high < 0.01)
    for higher, side in ((True, upper), (False, lower)):
        one = non_inferior(clean.tolist(), other.tolist(), higher_is_better=higher)
        assert one.p_value == pytest.approx(side[1], abs=1e-9)


def test_a_better_program_is_not_inferior_but_not_equivalent() -> None:
    clean, better = [0.80, 0.81, 0.79], [0.90, 0.91, 0.89]
    assert non_inferior(clean, better, higher_is_better=True).decision == "shown"
    assert non_inferior(clean, better, higher_is_better=False).decision == "not_shown"
    assert equivalent(clean, better).decision == "not_shown"


@pytest.mark.parametrize(
    ("other", "expected"),
    [(0.9, "shown"), (0.895, "shown"), (0.8, "not_shown"), (0.99, "not_shown")],
)
def test_without_variance_the_gap_decides(other: float, expected: str) -> None:
    found = equivalent([0.9] * 4, [other] * 3)
    assert found.decision == expected and found.p_value == (0.0 if expected == "shown" else 1.0)


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-10, 2.0**10, 2.0**1000])
def test_the_unit_does_not_matter(unit: float) -> None:
    clean, other = [0.89, 0.9, 0.91, 0.9], [0.9, 0.91, 0.92]
    found = equivalent([v * unit for v in clean], [v * unit for v in other], margin=0.02 * unit)
    expected = equivalent(clean, other, margin=0.02)
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert found.gap == pytest.approx(-0.01 * unit)


def test_an_enormous_loss_is_no_overflow() -> None:
    found = equivalent([0.1, 0.2, 0.3], [1e308, 1.7e308, -1.7e308])
    assert found.decision == "not_shown"


def test_few_noisy_runs_show_nothing() -> None:
    assert equivalent([0.85, 0.95], [0.85, 0.95]).decision == "not_shown"


@pytest.mark.parametrize(("clean", "other"), [([0.9], [0.9, 0.9]), ([0.9, 0.9], [0.9]), ([], [])])
def test_too_few_runs(clean: list[float], other: list[float]) -> None:
    found = equivalent(clean, other)
    assert (found.decision, found.p_value, found.gap) == ("too_few_runs", None, None)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_diverged_runs(bad: float) -> None:
    found = equivalent([0.9] * 3, [0.9, bad, 0.9])
    assert (found.decision, found.p_value) == ("not_shown", None)
    assert "1 of 3 runs diverged" in found.reason
    with pytest.raises(ConfigError, match=r"finite scores of the clean program.*clean run 1"):
        equivalent([0.9, bad], [0.9, 0.9])


def test_settings_are_checked() -> None:
    for margin in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ConfigError, match=r"margin: expected .* received"):
            equivalent([1, 2], [1, 2], margin=margin)
    for alpha in (0.0, 0.5, math.nan):
        with pytest.raises(ConfigError, match=r"alpha: expected .* received"):
            equivalent([1, 2], [1, 2], alpha=alpha)


def test_programs_a_margin_apart_are_seldom_taken_for_equivalent() -> None:
    rng, trials = np.random.default_rng(7), 2000
    shown = sum(
        equivalent(
            rng.normal(0.9, 0.005, 20).tolist(), rng.normal(0.89, 0.01, 10).tolist()
        ).decision
        == "shown"
        for _ in range(trials)
    )
    assert 0.02 < shown / trials <= 0.05 + 4 * (0.05 * 0.95 / trials) ** 0.5
