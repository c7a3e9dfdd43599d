"""Kill vectors and killing probabilities from stored predictions, worked by hand."""

from typing import Any

import numpy as np
import pytest
from faultloom.datasets.errors import CorpusError
from faultloom.generator.killing.answers import Answers
from faultloom.generator.killing.fisher import Fisher
from faultloom.generator.killing.kill_vectors import (
    correctness,
    kill_vector,
    killing_probabilities,
    killing_probability,
    kills_of_pairs,
    stored_answers,
    unpacked,
)


def stored(run_id: str, bits: str) -> dict[str, Any]:
    packed = np.packbits([mark == "1" for mark in bits]).tobytes()
    return {"run_id": run_id, "n_judge": len(bits), "correct_judge": packed, "correct_train": None}


def run(k: int, outcome: str = "completed") -> dict[str, Any]:
    return {"run_id": f"r{k}", "k": k, "outcome": outcome}


def test_rows_come_in_the_order_of_k_and_diverged_runs_are_all_wrong() -> None:
    predictions = [
        stored("r2", "1111111111"),
        stored("r0", "1010101011"),
        stored("other", "0000000000"),
        stored("r1", "0000000001"),
    ]
    found = correctness([run(1), run(2, "diverged"), run(0), run(3, "crashed")], predictions)
    rows = ["".join("01"[int(right)] for right in row) for row in found]
    assert rows == ["1010101011", "0000000001", "0000000000"]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 64, 65])
def test_bits_come_back(size: int) -> None:
    flags = np.random.default_rng(size).random(size) < 0.5
    assert np.array_equal(unpacked(np.packbits(flags).tobytes(), size), flags)


def test_what_is_not_stored_or_damaged() -> None:
    with pytest.raises(CorpusError, match="expected 2 bytes for 9 rows, received 1"):
        unpacked(b"x", 9)
    with pytest.raises(CorpusError, match=r"train rows in all 1 runs.*received no rows"):
        correctness([run(0)], [stored("r0", "101")], rows="train")
    with pytest.raises(CorpusError, match="between 3 and 4 rows"):
        correctness([run(0), run(1)], [stored("r0", "101"), stored("r1", "1011")])


def test_pairs_of_runs_worked_by_hand() -> None:
    clean = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]], bool)
    faulty = np.array([[0, 1, 1, 0], [0, 0, 0, 1]], bool)
    answers = Answers(clean, faulty)
    expected = [[True, False, False, True], [True, False, False, False]]
    assert kills_of_pairs(answers).tolist() == expected
    assert killing_probabilities(answers).tolist() == [1.0, 0.0, 0.0, 0.5]
    assert killing_probability(answers) == 0.375


def test_the_vector_is_the_rules() -> None:
    predictions = [stored(f"c{k}", "111") for k in range(4)]
    predictions += [stored(f"m{k}", "010" if k < 3 else "011") for k in range(4)]
    clean, faulty = (
        [{"run_id": f"{side}{k}", "k": k, "outcome": "completed"} for k in range(4)]
        for side in "cm"
    )
    # 4 against 4 wrong: p = 1/70; 3 of the mutant's wrong only: C(4, 3) / C(8, 3) = 1/14
    assert kill_vector(clean, faulty, predictions, Fisher(None)).tolist() == [True, False, False]
    lenient = kill_vector(clean, faulty, predictions, Fisher(None, alpha=0.08))
    assert lenient.tolist() == [True, False, True]
    answers = stored_answers(clean, faulty, predictions)
    assert (len(answers.clean), len(answers.faulty), answers.n_inputs) == (4, 4, 3)
    with pytest.raises(CorpusError, match="train rows"):
        kill_vector(clean, faulty, predictions, Fisher(None), rows="train")
