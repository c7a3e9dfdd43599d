"""The contract of rules on single inputs: what is refused, and what a verdict holds."""

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing.answers import Answers, verdict


def flags(*rows: str) -> np.ndarray:
    return np.array([[mark == "1" for mark in row] for row in rows])


def test_accuracies_and_a_choice_of_inputs() -> None:
    answers = Answers(flags("1101", "1111"), flags("0001"))
    assert answers.n_inputs == 4
    assert answers.accuracies == ([0.75, 1.0], [0.25])
    assert answers.on(np.array([2, 3])).accuracies == ([0.5, 1.0], [0.5])
    assert answers.on(flags("1100")[0]).n_inputs == 2


@pytest.mark.parametrize(
    ("clean", "faulty", "said"),
    [
        (np.ones((2, 3)), np.ones((2, 3), bool), r"clean: expected a bool array.*float64"),
        (np.ones((2, 3), bool), np.ones(3, bool), r"faulty: expected .* of shape \(3,\)"),
        (np.ones((2, 0), bool), np.ones((2, 0), bool), r"clean: expected .* of shape \(2, 0\)"),
        (np.ones((0, 2), bool), np.ones((2, 2), bool), r"clean: expected .* of shape \(0, 2\)"),
        (np.ones((2, 3), bool), np.ones((2, 4), bool), "received 4 and 3"),
    ],
)
def test_matrices_that_are_none(clean: np.ndarray, faulty: np.ndarray, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Answers(clean, faulty)


def test_a_verdict_counts_the_runs_and_says_too_few() -> None:
    answers = Answers(flags("11", "10", "11"), flags("00", "01"))
    found = verdict("some", answers, killed=None, p=None, alpha=0.05, reason="why")
    assert (found.decision, found.status) == ("too_few_runs", "too_few_runs")
    assert (found.n_clean, found.n_faulty, found.reason) == (3, 2, "why")
    assert found.effect_size is not None and found.effect_size > 1
    one = Answers(flags("11"), flags("00"))
    assert verdict("some", one, killed=True, p=0.1, alpha=0.2, reason="").effect_size is None
