"""The sequential rule: known answers, where it stops, and its false kills in a simulation."""

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import Sequential
from faultloom.generator.killing.sequential import LOOKS

CLEAN = [0.90 + 0.001 * k for k in range(40)]


def runs(rule: Sequential, faulty: list[float]) -> tuple[str, int]:
    """The decision and the number of runs, asking for one more look while it is open."""
    for look in rule.looks:
        verdict = rule.decide(CLEAN, faulty[:look], higher_is_better=True)
        if verdict.decision != "too_few_runs":
            assert verdict.n_faulty == look
            return verdict.decision, look
    raise AssertionError


def test_a_clear_fault_is_killed_at_the_first_look() -> None:
    assert runs(Sequential(), [0.5, 0.6, 0.55, 0.52]) == ("killed", 4)
    verdict = Sequential().decide(CLEAN, [0.5, 0.6, 0.55, 0.52], higher_is_better=True)
    assert verdict.p_value == pytest.approx(1 / 135751)  # 1 of 44 over 4 orders
    assert (verdict.n_clean, verdict.n_faulty, verdict.alpha) == (40, 4, 0.025)
    assert verdict.effect_size is not None and verdict.effect_size > 10


def test_a_better_program_survives_at_the_first_look() -> None:
    assert runs(Sequential(), [0.95, 0.96, 0.97, 0.98]) == ("survived", 4)


def test_direction_turns_the_answer_around() -> None:
    verdict = Sequential().decide(CLEAN, [0.95, 0.96, 0.97, 0.98], higher_is_better=False)
    assert verdict.decision == "killed"


def test_an_open_look_asks_for_more() -> None:
    faulty = [0.905, 0.915, 0.912, 0.908]
    verdict = Sequential().decide(CLEAN, faulty, higher_is_better=True)
    assert (verdict.decision, verdict.status) == ("too_few_runs", "too_few_runs")
    assert "40 clean and 6 faulty" in verdict.reason
    assert runs(Sequential(), [*faulty, *[0.5] * 16]) == ("killed", 6)


def test_the_last_look_always_decides() -> None:
    rng = np.random.default_rng(1)
    seen = {runs(Sequential(), rng.normal(0.915, 0.012, 20).tolist())[1] for _ in range(300)}
    assert seen == set(LOOKS)


def test_runs_after_the_decision_change_nothing() -> None:
    rng = np.random.default_rng(2)
    for mean in (0.90, 0.91, 0.92):
        faulty = rng.normal(mean, 0.012, 20).tolist()
        _, look = runs(Sequential(), faulty)
        short = Sequential().decide(CLEAN, faulty[:look], higher_is_better=True)
        later = Sequential().decide([*CLEAN, 0.0], [*faulty, 0.0], higher_is_better=True)
        assert short == later


def test_fewer_runs_end_the_path_early() -> None:
    rule = Sequential(n_clean=20, n_faulty=10)
    assert rule.looks == (4, 6, 9, 10)
    verdict = rule.decide(CLEAN, [0.915] * 4 + [0.905] * 6, higher_is_better=True)
    assert verdict.decision in ("killed", "survived")


def test_more_runs_than_its_levels_hold_for_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"n_faulty: expected at most 20 runs.*received 30"):
        Sequential(n_faulty=30)


@pytest.mark.parametrize(
    ("clean", "faulty", "expected"),
    [
        ([0.9] * 40, [0.9] * 4, ("survived", 1.0)),
        ([0.9] * 40, [0.5] * 4, ("killed", 0.0)),
        ([0.9] * 40, [0.95] * 4, ("survived", 1.0)),
        (CLEAN, [np.nan, 0.92, np.inf, 0.93], ("killed", None)),
        (CLEAN, [np.nan, 0.93, 0.935, 0.938], ("survived", pytest.approx(0.75, abs=0.1))),
    ],
)
def test_degenerate_samples_are_decided_at_the_first_look(
    clean: list[float], faulty: list[float], expected: tuple[str, float | None]
) -> None:
    verdict = Sequential().decide(clean, faulty, higher_is_better=True)
    assert (verdict.decision, verdict.p_value) == expected
    assert verdict.n_faulty == 4


def test_separated_scores_with_many_ties_are_killed() -> None:
    # Scaled for its ties, U lies between one and two beyond the largest that there is.
    clean = [0.9] * 14 + [0.91 + 0.001 * k for k in range(26)]
    verdict = Sequential().decide(clean, [0.86, 0.87, 0.88, 0.89], higher_is_better=True)
    assert (verdict.decision, verdict.status, verdict.p_value) == ("killed", "ok", 0.0)


def test_runs_with_which_nothing_could_be_killed_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"enough runs to kill.*received 4 and 3.*welch"):
        Sequential(n_clean=4, n_faulty=3)


@pytest.mark.parametrize("n_clean", [10, 40, 120])
@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_a_program_that_is_not_worse_is_killed_no_more_often_than_alpha(
    n_clean: int, kind: str
) -> None:
    rule, rng, campaigns = Sequential(n_clean=n_clean), np.random.default_rng(11), 4000
    killed = 0
    for _ in range(campaigns):
        scores = rng.normal(0.9, 0.01, n_clean + 20)
        if kind == "discrete":
            scores = np.round(scores * 180) / 180
        verdict = rule.decide(
            scores[:n_clean].tolist(), scores[n_clean:].tolist(), higher_is_better=True
        )
        killed += verdict.decision == "killed"
    # The rate itself is about .024; four standard errors of a simulation of this size.
    assert killed / campaigns <= 0.025 + 4 * (0.025 * 0.975 / campaigns) ** 0.5


def test_a_fault_of_one_standard_deviation_is_mostly_found_with_few_runs() -> None:
    rule, rng = Sequential(), np.random.default_rng(12)
    verdicts = [
        rule.decide(
            rng.normal(0.9, 0.01, 40).tolist(),
            rng.normal(0.89, 0.01, 20).tolist(),
            higher_is_better=True,
        )
        for _ in range(1000)
    ]
    assert np.mean([verdict.decision == "killed" for verdict in verdicts]) > 0.86
    assert np.mean([verdict.n_faulty for verdict in verdicts]) < 12
