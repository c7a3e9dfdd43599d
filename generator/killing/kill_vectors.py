"""Which inputs kill a mutant, and how probably, from the predictions that a corpus stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ...datasets.errors import CorpusError
from .answers import Answers, Flags, Floats, InputRule

Row = Mapping[str, Any]


def correctness(runs: Sequence[Row], predictions: Sequence[Row], rows: str = "judge") -> Flags:
    """Return which rows each run of a program answers right, (runs, inputs).

    A diverged run answers nothing right, whatever its predictions look like. Runs that ended in
    no predictions are left out.

    Args:
        runs: of one program, from the table ``runs``: ``run_id``, ``k`` and ``outcome``; taken in
            the order of k.
        predictions: from the table ``predictions``; those of other runs may be among them.
        rows: judge, test or train.

    Raises:
        CorpusError: no run has predictions on these rows, or they are not equally many.
    """
    stored = {row["run_id"]: row for row in predictions if row.get(f"correct_{rows}") is not None}
    found = [(run, stored[run["run_id"]]) for run in _in_order(runs) if run["run_id"] in stored]
    sizes = {int(row[f"n_{rows}"]) for _, row in found}
    if len(sizes) != 1:
        what = f"between {min(sizes)} and {max(sizes)}" if sizes else "no"
        raise CorpusError(
            f"predictions: expected one number of {rows} rows in all {len(runs)} runs of a "
            f"program, received {what} rows; generate the corpus again, or choose other rows"
        )
    (size,) = sizes
    return np.stack(
        [
            unpacked(row[f"correct_{rows}"], size) & (run["outcome"] != "diverged")
            for run, row in found
        ]
    )


def unpacked(blob: bytes, size: int) -> Flags:
    """Return the first bits of a packed blob as flags, (size,).

    Raises:
        CorpusError: the blob is not as long as that many bits.
    """
    if len(blob) != -(-size // 8):
        raise CorpusError(
            f"predictions: expected {-(-size // 8)} bytes for {size} rows, received {len(blob)}; "
            "the corpus is damaged, generate it again"
        )
    return np.unpackbits(np.frombuffer(blob, np.uint8), count=size).astype(bool)


def stored_answers(
    clean: Sequence[Row], faulty: Sequence[Row], predictions: Sequence[Row], rows: str = "judge"
) -> Answers:
    """Return the answers of a mutant and its clean program.

    Args:
        clean: rows of the table ``runs`` of the clean program.
        faulty: likewise of the mutant.
        predictions: rows of the table ``predictions``; those of other runs may be among them.
        rows: judge, test or train.

    Raises:
        CorpusError: no predictions on these rows are stored for either of them.
    """
    return Answers(correctness(clean, predictions, rows), correctness(faulty, predictions, rows))


def kill_vector(
    clean: Sequence[Row],
    faulty: Sequence[Row],
    predictions: Sequence[Row],
    rule: InputRule,
    rows: str = "judge",
) -> Flags:
    """Return which inputs kill a mutant by a rule, (inputs,); arguments as of `stored_answers`."""
    return rule.kills(stored_answers(clean, faulty, predictions, rows))


def kills_of_pairs(answers: Answers) -> Flags:
    """Return which input kills which pair of runs, (pairs, inputs).

    Run k of the mutant is paired with run k of its clean program; an input kills where the clean
    run is right and the mutant's is wrong. DeepCrime's replication package.
    """
    pairs = min(len(answers.clean), len(answers.faulty))
    return np.asarray(answers.clean[:pairs] & ~answers.faulty[:pairs])


def killing_probabilities(answers: Answers) -> Floats:
    """Return for each input the share of pairs of runs in which it kills, (inputs,)."""
    return np.asarray(kills_of_pairs(answers).mean(axis=0))


def killing_probability(answers: Answers) -> float:
    """Return the probability that a random input kills a random pair of runs.

    It is the mean over inputs, DeepCrime's triviality score, and 1 minus the mutant's resistance.
    """
    return float(kills_of_pairs(answers).mean())


def _in_order(runs: Sequence[Row]) -> list[Row]:
    return sorted(runs, key=itemgetter("k"))
