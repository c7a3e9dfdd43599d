"""What the stored answers to single inputs say of every mutant of a subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...datasets.corpus import reader
from ...datasets.errors import CorpusError
from ..killing import Criterion
from ..killing.answers import Answers, Flags, Floats
from ..killing.damt4dl import Damt4dl
from ..killing.fisher import Fisher
from ..killing.kill_vectors import correctness, kills_of_pairs
from .families import Evidence

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class InputKills:
    """Which inputs kill one mutant.

    Args:
        kills: pairs of runs in which each input kills, (inputs,).
        pairs: pairs of runs.
        fisher: which inputs kill by Fisher's test, at a level for this test set, (inputs,).
        fisher_decides: whether there are runs enough for one of them to.
        d_vector: which inputs tell the mutant from its clean program, (inputs,); None with one run.
        weak: evidence of the weak rows.
    """

    kills: npt.NDArray[np.int_]
    pairs: int
    fisher: Flags
    fisher_decides: bool
    d_vector: Flags | None
    weak: Evidence

    @property
    def probability(self) -> float:
        """Mean killing probability of the inputs: the triviality score."""
        return float(self.kills.mean() / self.pairs)


def input_kills(clean: Flags, faulty: Flags, weak: Flags, rule: Criterion) -> InputKills:
    """Return which inputs kill a mutant.

    Args:
        clean: right answers of the clean runs, (runs, inputs).
        faulty: likewise of the mutant.
        weak: the inputs of the weak test set, (inputs,).
        rule: that decides on the accuracies on the weak inputs.
    """
    answers = Answers(clean, faulty)
    fisher = Fisher(most_inputs=answers.n_inputs)
    pairs = kills_of_pairs(answers)
    return InputKills(
        kills=pairs.sum(axis=0),
        pairs=len(pairs),
        fisher=fisher.kills(answers),
        fisher_decides=fisher.decide(answers).decision != "too_few_runs",
        d_vector=Damt4dl().kills(answers) if min(len(clean), len(faulty)) > 1 else None,
        weak=Evidence.of(rule.decide(*answers.on(weak).accuracies, higher_is_better=True)),
    )


def answers_of(
    root: Path, subject: str, runs: Mapping[str | None, Sequence[Row]]
) -> dict[str | None, Flags]:
    """Return the right answers of all runs of the clean program (None) and of each mutant.

    Args:
        root: folder of the corpus.
        subject: name.
        runs: rows of the table ``runs`` by mutant id, None for the clean program.

    Programs without predictions are left out.
    """
    columns = ("run_id", "mutant_id", "n_judge", "correct_judge")
    table = reader.read(root, "predictions", columns, [("subject", "==", subject)])
    stored: dict[str | None, list[Row]] = {}
    for row in table.to_pylist():
        stored.setdefault(row["mutant_id"], []).append(row)
    return {
        mutant: correctness(runs[mutant], rows) for mutant, rows in stored.items() if mutant in runs
    }


def confidence_of(root: Path, run_id: str) -> Floats:
    """Return the confidence with which a run predicts each judge row, (inputs,).

    Raises:
        CorpusError: it is not stored.
    """
    table = reader.read(root, "predictions", ["confidence_judge"], [("run_id", "==", run_id)])
    values = table["confidence_judge"].to_pylist()
    if not values or values[0] is None:
        raise CorpusError(
            f"predictions: expected the confidence of the run {run_id}, received none; "
            "generate the corpus again"
        )
    return np.asarray(values[0], np.float64)
