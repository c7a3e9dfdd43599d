"""What answers to single inputs say of one mutant, and answers that a corpus does not have."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from faultloom.datasets.corpus import reader
from faultloom.datasets.errors import CorpusError
from faultloom.generator.killing import Welch
from faultloom.generator.scores.single_inputs import answers_of, confidence_of, input_kills

ALL = np.ones(4, bool)


def test_a_mutant_worked_by_hand() -> None:
    clean = np.ones((6, 4), bool)
    faulty = np.ones((5, 4), bool)
    faulty[:, 0] = False
    faulty[:2, 1] = False
    found = input_kills(clean, faulty, np.array([True, True, False, False]), Welch(0.025, 6, 5))
    assert found.kills.tolist() == [5, 2, 0, 0]
    assert (found.pairs, found.probability) == (5, 7 / 20)
    # One of C(11, 5) = 462 tables against .05 / 4; two of the second's are C(5, 2) of C(11, 2).
    assert (found.fisher.tolist(), found.fisher_decides) == ([True, False, False, False], True)
    assert found.d_vector is not None
    assert found.d_vector.tolist() == [True, False, False, False]
    assert found.weak.killed is True


def test_few_runs_say_little() -> None:
    found = input_kills(np.ones((3, 4), bool), np.zeros((1, 4), bool), ALL, Welch())
    assert found.d_vector is None
    assert not found.fisher_decides
    assert not found.fisher.any()
    assert found.weak.killed is None
    assert (found.pairs, found.probability) == (1, 1.0)


def test_answers_and_confidence_of_a_corpus(toy: Callable[..., Path]) -> None:
    root = toy()
    runs: dict[str | None, list[dict[str, object]]] = {}
    for row in reader.rows(root, "runs"):
        runs.setdefault(row["mutant_id"], []).append(row)
    found = answers_of(root, "toy", runs)
    assert set(found) == {None, "ten", "two", "one", "tanh", "elu", "sham"}
    assert found[None].shape == (8, 100)
    assert found[None].sum(axis=1).tolist() == [100, 99, 98, 97] * 2
    assert not found["one"].any()
    assert answers_of(root, "other", runs) == {}
    assert confidence_of(root, "clean-0").sum() == pytest.approx(50 + 0.7 * 50)
    with pytest.raises(CorpusError, match="confidence of the run none, received none"):
        confidence_of(root, "none")
