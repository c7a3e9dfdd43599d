"""DAMT4DL's scores on matrices worked by hand."""

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.scores.diversity import d_score, k_score


def test_the_share_of_killed() -> None:
    assert k_score([True, False, True, True]) == 0.75


@pytest.mark.parametrize(
    ("vectors", "score"),
    [
        (["110", "110", "001"], 3 / 4),  # two different ones, and none
        (["000", "110", "001"], 3 / 4),  # the zero vector counts once
        (["000", "000"], 1 / 3),
        (["100", "010", "001"], 1.0),
    ],
)
def test_the_share_of_different_vectors(vectors: list[str], score: float) -> None:
    matrix = np.array([[mark == "1" for mark in vector] for vector in vectors])
    assert d_score(matrix) == pytest.approx(score)


def test_no_mutants_have_no_score() -> None:
    with pytest.raises(ConfigError, match="at least one mutant, received none"):
        k_score([])
    with pytest.raises(ConfigError, match="at least one mutant"):
        d_score(np.zeros((0, 3), bool))
