"""DAMT4DL's two-sided test on accuracies and single inputs, against statsmodels and Cohen's d."""

import numpy as np
import pytest
import statsmodels.api as sm
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import cohens_d
from faultloom.generator.killing.answers import Answers
from faultloom.generator.killing.damt4dl import Damt4dl, glm_columns


def test_p_and_d_are_those_of_the_model() -> None:
    rng = np.random.default_rng(3)
    clean, faulty = rng.normal(0.9, 0.01, (20, 6)), rng.normal(0.895, 0.02, (12, 6))
    p, d = glm_columns(clean, faulty)
    design = sm.add_constant(np.repeat([0.0, 1.0], [20, 12]))
    for column in range(6):
        scores = np.concatenate([clean[:, column], faulty[:, column]])
        assert p[column] == pytest.approx(sm.GLM(scores, design).fit().pvalues[1], rel=1e-9)
        expected = cohens_d(
            clean[:, column].tolist(), faulty[:, column].tolist(), higher_is_better=True
        )
        assert d[column] == pytest.approx(expected, rel=1e-9)


def test_columns_without_variance() -> None:
    clean = np.array([[0.1, 1.0, 0.0], [0.1, 1.0, 0.0], [0.1, 1.0, 0.0]])
    faulty = np.array([[0.1, 0.0, 1.0], [0.1, 0.0, 1.0]])
    p, d = glm_columns(clean, faulty)
    assert p.tolist() == [1.0, 0.0, 0.0]
    assert d.tolist() == [0.0, np.inf, -np.inf]


def test_the_d_vector_knows_both_directions() -> None:
    right, wrong = np.ones((20, 1), bool), np.zeros((20, 1), bool)
    most = np.array([[k < 18] for k in range(20)])
    answers = Answers(
        np.hstack([right, right, wrong, right]), np.hstack([right, wrong, right, most])
    )
    # 18 of 20 against 20 of 20: variance of the mutant 0.09 * 20 / 19, d = 0.1 / sqrt(half of it),
    # z = 0.459 * sqrt(10) = 1.45
    assert Damt4dl().kills(answers).tolist() == [False, True, True, False]
    _, d = glm_columns(right.astype(float), most.astype(float))
    assert d[0] == pytest.approx(0.1 / np.sqrt(0.09 * 20 / 19 / 2))


def test_a_better_mutant_is_killed_too() -> None:
    rng = np.random.default_rng(1)
    answers = Answers(rng.random((20, 90)) < 0.8, rng.random((20, 90)) < 0.9)
    found = Damt4dl().decide(answers)
    assert (found.decision, found.status) == ("killed", "ok")
    assert found.effect_size is not None and found.effect_size < 0
    assert Damt4dl(min_effect=9.0).decide(answers).decision == "survived"


def test_degenerate_accuracies() -> None:
    right, wrong = np.ones((3, 2), bool), np.zeros((3, 2), bool)
    same = Damt4dl().decide(Answers(right, right))
    assert (same.decision, same.status, same.p_value) == ("survived", "degenerate", 1.0)
    apart = Damt4dl().decide(Answers(right, wrong))
    assert (apart.decision, apart.status, apart.p_value) == ("killed", "degenerate", 0.0)
    single = Answers(right[:1], wrong)
    assert Damt4dl().decide(single).decision == "too_few_runs"
    with pytest.raises(ConfigError, match="at least 2 runs a side, received 1 clean and 3 faulty"):
        Damt4dl().kills(single)
