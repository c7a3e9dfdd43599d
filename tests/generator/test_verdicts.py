"""From stored runs to outcomes."""

from collections.abc import Sequence
from typing import Any

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import DeepCrime, Welch
from faultloom.generator.verdicts import Outcome, outcome_of

CLEAN = (0.90, 0.91, 0.92, 0.93)
CRITERION = Welch(n_clean=4, n_faulty=3)


def runs(scores: Sequence[float | str], first: int = 0) -> list[dict[str, Any]]:
    """Rows of runs; text instead of a score is the outcome of a run that has none."""
    return [
        {
            "k": first + k,
            "outcome": score if isinstance(score, str) else "completed",
            "error": f"run {first + k} broke" if isinstance(score, str) else None,
            "metric_judge": None if isinstance(score, str) else score,
            "metric_train": None if isinstance(score, str) else score,
        }
        for k, score in enumerate(scores)
    ]


def diverged(*ks: int, of: Sequence[float]) -> list[dict[str, Any]]:
    worst = {"outcome": "diverged", "metric_judge": 0.0, "metric_train": 0.0}
    return [row | (worst if row["k"] in ks else {}) for row in runs(of)]


def decided(faulty: list[dict[str, Any]], clean: list[dict[str, Any]] | None = None) -> Outcome:
    clean = runs(CLEAN) if clean is None else clean
    return outcome_of(clean, faulty, CRITERION, higher_is_better=True)


def test_clearly_worse_is_killed_with_its_numbers() -> None:
    outcome = decided(runs([0.50, 0.52, 0.51]))
    assert outcome.name == "killed"
    assert outcome.verdict is not None
    assert (outcome.verdict.n_clean, outcome.verdict.n_faulty) == (4, 3)
    assert outcome.verdict.criterion == "welch"
    assert outcome.verdict.p_value is not None
    assert outcome.verdict.p_value < outcome.verdict.alpha
    assert outcome.reason == outcome.verdict.reason


@pytest.mark.parametrize("scores", [[0.91, 0.92, 0.90], [0.99, 0.98, 0.99]])
def test_equal_and_better_survive(scores: list[float]) -> None:
    assert decided(runs(scores)).name == "survived"


def test_the_direction_of_the_metric_counts() -> None:
    lower = [0.50, 0.52, 0.51]
    clean = runs(CLEAN)
    assert outcome_of(clean, runs(lower), CRITERION, higher_is_better=False).name == "survived"
    higher = [1.9, 1.8, 1.85]
    assert outcome_of(clean, runs(higher), CRITERION, higher_is_better=False).name == "killed"


@pytest.mark.parametrize(
    ("clean", "faulty"), [(CLEAN, (0.5, 0.5)), (CLEAN[:3], (0.5,) * 3), ((), ()), (CLEAN, ())]
)
def test_too_few_runs_are_undecided(clean: Sequence[float], faulty: Sequence[float]) -> None:
    outcome = decided(runs(faulty), runs(clean))
    assert outcome.name == "undecided"
    assert outcome.verdict is not None
    assert outcome.verdict.decision == "too_few_runs"
    assert outcome.verdict.p_value is None
    assert f"has {len(clean)} and {len(faulty)}" in outcome.reason


@pytest.mark.parametrize("broken", ["crashed", "timed_out", "out_of_memory", "lost"])
def test_a_mutant_whose_runs_broke_is_unfinished_and_no_verdict(broken: str) -> None:
    outcome = decided(runs([0.5, 0.5, broken]))
    assert outcome.name == "unfinished"
    assert outcome.reason == f"{broken}: run 2 broke"


def test_broken_clean_runs_leave_every_mutant_unfinished() -> None:
    outcome = decided(runs([0.5, 0.5, 0.5]), runs([*CLEAN[:3], "timed_out"]))
    assert outcome.name == "unfinished"
    assert outcome.reason == "timed_out: run 3 broke"


def test_a_broken_run_does_not_matter_where_enough_others_ended() -> None:
    faulty = runs(["lost", 0.5, 0.52, 0.51])
    outcome = decided(faulty)
    assert outcome.name == "killed"
    assert outcome == decided(faulty[1:])


@pytest.mark.parametrize(("ks", "name"), [((0,), "killed"), ((0, 2), "diverged")])
def test_half_of_the_runs_make_it_diverged(ks: tuple[int, ...], name: str) -> None:
    outcome = decided(diverged(*ks, of=[0.4, 0.1, 0.2]))
    assert outcome.verdict is not None
    assert (outcome.name, outcome.verdict.decision) == (name, "killed")


def test_exactly_half_is_diverged() -> None:
    four = Welch(n_clean=4, n_faulty=4)
    rows = diverged(1, 3, of=[0.01, 0.02, 0.03, 0.02])
    outcome = outcome_of(runs(CLEAN), rows, four, higher_is_better=True)
    assert outcome.name == "diverged"
    assert outcome.reason == "2 of 4 runs diverged"


def test_only_the_first_runs_count() -> None:
    faulty, clean = runs([0.50, 0.52, 0.51]), runs(CLEAN)
    outcome = decided(faulty, clean)
    later = [*faulty, *runs([0.99] * 20, first=3)]
    assert decided(later, [*clean, *runs([0.1] * 20, first=4)]) == outcome
    assert decided(later[::-1], clean[::-1]) == outcome
    ending = [*faulty, *runs(["lost"] * 5, first=3)]
    assert decided(ending, [*clean, *runs(["crashed"], first=4)]) == outcome
    diverging = [*faulty, *[row | {"outcome": "diverged"} for row in runs([0.0] * 9, first=3)]]
    assert decided(diverging, clean) == outcome


def test_another_criterion_that_lacks_runs_says_so() -> None:
    outcome = outcome_of(runs(CLEAN), runs([0.5] * 3), DeepCrime(), higher_is_better=True)
    assert outcome.name == "undecided"
    assert outcome.verdict is not None
    assert outcome.verdict.criterion == "deepcrime"


def test_a_clean_score_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ConfigError, match="no reference"):
        decided(runs([0.5] * 3), runs([0.9, float("nan"), 0.9, 0.9]))


def test_rows_are_not_changed() -> None:
    faulty = runs([0.5, 0.52, 0.51])
    decided(faulty[::-1])
    assert faulty == runs([0.5, 0.52, 0.51])


def test_training_rows_are_decided_beside_the_judge_rows() -> None:
    def scored(judge: Sequence[float], train: Sequence[float]) -> list[dict[str, Any]]:
        return [
            row | {"metric_train": score} for row, score in zip(runs(judge), train, strict=True)
        ]

    clean = scored(CLEAN, (0.95, 0.96, 0.97, 0.98))
    weak_tests = decided(scored([0.91, 0.92, 0.90], [0.50, 0.52, 0.51]), clean)
    assert (weak_tests.name, weak_tests.by_train and weak_tests.by_train.decision) == (
        "survived",
        "killed",
    )
    overfitted = decided(scored([0.50, 0.52, 0.51], [0.96, 0.97, 0.98]), clean)
    assert (overfitted.name, overfitted.by_train and overfitted.by_train.decision) == (
        "killed",
        "survived",
    )
    assert decided(runs([0.5])).by_train is None
