"""All scores of a corpus, subject by subject, and why some could not be computed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..killing.answers import Flags
from .diversity import d_score, k_score
from .families import Configuration, families, published_families
from .gathering import SubjectScores, gather
from .mutation_score import published_total_score, sensitivity, total_score
from .operator_scores import family_row
from .redundancy import is_trivial, redundant, subsumption, without_witness
from .single_inputs import InputKills

Row = Mapping[str, Any]


def report(root: Path) -> dict[str, Any]:
    """Compute all scores of a corpus.

    Returns:
        What `report_of` does.

    Raises:
        CorpusError: the folder is no corpus or holds no finished subject.
    """
    return report_of(gather(root))


def report_of(subjects: Sequence[SubjectScores]) -> dict[str, Any]:
    """Compute all scores of subjects.

    Returns:
        ``subjects``: for each the totals, ``operators``: their scores, ``mutant_rows``: the
        killing probabilities, and ``not_computed``: pairs of a score and the reason. All of it
        is JSON.
    """
    return {"subjects": [_totals(found) for found in subjects]}


def _totals(found: SubjectScores) -> dict[str, Any]:
    operators = [family_row(family) for family in families(found.configurations)]
    decided = [bool(c.test.killed) for c in found.configurations if c.test.killed is not None]
    known = _with_inputs(found)
    # A mutant that no input kills would subsume all others.
    killed = [c.mutant_id for c in found.configurations if c.test.killed and c.mutant_id in known]
    edges = _edges([known[mutant] for mutant in killed])
    gone = dict(zip(killed, without_witness(edges).tolist(), strict=True))
    return {
        "subject": found.subject["subject"],
        "criterion": found.rule.name,
        "mutants": len(found.configurations),
        "killed": sum(decided),
        "k_score": k_score(decided) if decided else None,
        **_of_operators(operators),
        "mutation_score_published": _published_total(found.configurations),
        "weak": found.weak,
        **_of_inputs(found, known),
        "redundant": sum(gone.values()) if known else None,
        "redundant_published": int(redundant(edges).sum()) if known else None,
        "operators": operators,
        "mutant_rows": [
            _mutant_row(one, known.get(one.mutant_id), gone.get(one.mutant_id))
            for one in found.configurations
        ],
        "not_computed": [
            {"score": score, "reason": reason} for score, reason in found.missing.items()
        ],
    }


def _of_operators(rows: Sequence[Row]) -> dict[str, float | None]:
    """Totals over operators: an operator counts once, however many families it has."""
    by_operator: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_operator[row["operator"]].append(row)

    def total(score: str) -> float | None:
        return total_score(
            [total_score([row[score] for row in group]) for group in by_operator.values()]
        )

    return {
        "mutation_score": total("score"),
        "weak_mutation_score": total("weak_score"),
        "sensitivity": sensitivity(total("strong_score"), total("weak_score")),
        "instability": total("instability"),
    }


def _published_total(configurations: Sequence[Configuration]) -> float:
    rows = [family_row(family) for family in published_families(configurations)]
    known = [row for row in rows if row["score_published"] is not None]
    return published_total_score(
        [row["score_published"] for row in known], [row["instability_published"] for row in known]
    )


def _edges(known: Sequence[InputKills]) -> Flags:
    """Which mutant subsumes which; give killed ones only."""
    if not known:
        return np.zeros((0, 0), bool)
    pairs = np.array([one.pairs for one in known])
    return subsumption(np.stack([one.kills for one in known]), pairs)


def _of_inputs(found: SubjectScores, known: Mapping[str, InputKills]) -> dict[str, Any]:
    if not known:
        scores = ("d_score", "trivial", "killed_by_some_input")
        return dict.fromkeys((*scores, "shams", "shams_killed_by_some_input"))
    vectors = [one.d_vector for one in known.values() if one.d_vector is not None]
    inputs = found.inputs or {}
    shams = [inputs[mutant] for mutant in found.shams if mutant in inputs]
    return {
        "d_score": d_score(np.stack(vectors)) if vectors else None,
        "trivial": sum(is_trivial(one.probability) for one in known.values()),
        "killed_by_some_input": sum(bool(one.fisher.any()) for one in known.values()),
        "shams": len(shams),
        "shams_killed_by_some_input": sum(bool(one.fisher.any()) for one in shams),
    }


def _with_inputs(found: SubjectScores) -> dict[str, InputKills]:
    """What is known of the inputs of each mutant, without SHAM, in order."""
    inputs = found.inputs or {}
    return {
        one.mutant_id: inputs[one.mutant_id]
        for one in found.configurations
        if one.mutant_id in inputs
    }


def _mutant_row(one: Configuration, kills: InputKills | None, gone: bool | None) -> dict[str, Any]:
    d = one.test.effect_size
    decides = kills is not None and kills.fisher_decides
    return {
        "mutant_id": one.mutant_id,
        "operator": one.operator,
        "name": one.name,
        "killed": one.test.killed,
        "killed_train": one.train.killed,
        "effect_size": d if d is not None and math.isfinite(d) else None,
        "killing_probability": kills and kills.probability,
        "killing_inputs": int(kills.fisher.sum()) if kills and decides else None,
        "trivial": kills and is_trivial(kills.probability),
        "redundant": gone,
    }
