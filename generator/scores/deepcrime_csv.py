"""The scores of a subject in the files that DeepCrime writes and its scripts read."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...operators.registry import operator
from .families import Configuration, Evidence, Family, published_families
from .gathering import SubjectScores
from .mutation_score import published_total_score
from .operator_scores import family_row

_SEARCHED = {
    "HLR": "change_learning_rate",
    "HNE": "change_epochs",
    "RCP": "change_patience",
    "TAN": "add_noise",
    "TCL": "change_label",
    "TCO": "output_classes_overlap",
    "TRD": "delete_td",
    "TUD": "unbalance_td",
}
_OTHERS = {
    "AAL": "add_activation_function",
    "ACH": "change_activation_function",
    "ARM": "remove_activation_function",
    "HBS": "change_batch_size",
    "HDB": "disable_batching",
    "LCH": "change_loss_function",
    "OCG": "change_gradient_clip",
    "OCH": "change_optimisation_function",
    "RAW": "add_weights_regularisation",
    "RCD": "change_dropout_rate",
    "RCW": "change_weights_regularisation",
    "RRW": "remove_weights_regularisation",
    "VRM": "remove_validation_set",
    "WAB": "add_bias",
    "WCI": "change_weights_initialisation",
    "WRB": "remove_bias",
}
_ROWS = {"results_test": "test", "results_train": "train"}


def export(found: SubjectScores, folder: Path) -> list[Path]:
    """Write DeepCrime's files of one subject.

    ``SUBJECT/results_test/stats`` and ``results_train/stats`` get one file for each operator:
    ``NAME_binarysearch.csv`` (lower, upper, middle, p, d, killed; last the least aggressive killed
    and the most aggressive other value) or ``NAME_exssearch.csv`` (value, p, d, killed), both
    without a header; ``SUBJECT/SUBJECT_ms.csv`` gets the scores as published. Nothing was searched:
    the search is replayed over the values that were tried. Mutants that are not decided, and
    values outside of the range that DeepCrime would search, are left out. The judge rows are its
    test set.

    Args:
        found: the subject.
        folder: gets a folder of the subject; files that are there are replaced.

    Returns:
        Paths of the files, in order.
    """
    root = folder / str(found.subject["subject"])
    written, scores = [], []
    for family in published_families(found.configurations):
        for results, rows in _ROWS.items():
            lines = _replayed(family, rows) if family.bounds else _listed(family, rows)
            if lines:
                written.append(_write(root / results / "stats" / _file_name(family), lines))
        row = family_row(family)
        if row["score_published"] is not None:
            scores.append(
                [_file_name(family), row["score_published"], row["instability_published"]]
            )
    total = published_total_score([row[1] for row in scores], [row[2] for row in scores])
    header = ["operator_name", "operator_ms", "operator_instability_score"]
    lines = [header, *scores, ["total MS:", total, ""]]
    return [*written, _write(root / f"{root.name}_ms.csv", lines)]


def _file_name(family: Family) -> str:
    code = family.operator
    if family.bounds:
        return f"{_SEARCHED[code]}_binarysearch.csv"
    if code in _OTHERS:
        return f"{_OTHERS[code]}_exssearch.csv"
    names = [operator(part).name.replace("-", "_") for part in code.split("+")]
    return f"{'+'.join(names)}_exssearch.csv"


def _replayed(family: Family, rows: str) -> list[list[Any]]:
    """The rows of a binary search that may ask for the tried values only."""
    assert family.bounds is not None
    bounds = family.bounds
    mild = float(bounds.low if bounds.direction == "increasing" else bounds.high)
    known = [one for one in family.configurations if getattr(one, rows).killed is not None]
    if not known:
        return []
    values = [mild, *(one.value for one in known)]
    lines = [[mild, values[-1], values[-1], *_decision(getattr(known[-1], rows))]]
    if not getattr(known[-1], rows).killed:
        return lines
    survived, killed = 0, len(known)
    while killed - survived > 1:
        middle = (survived + killed) // 2
        evidence = getattr(known[middle - 1], rows)
        lines.append([values[survived], values[killed], values[middle], *_decision(evidence)])
        survived, killed = (survived, middle) if evidence.killed else (middle, killed)
    return [*lines, [values[killed], values[survived]]]


def _listed(family: Family, rows: str) -> list[list[Any]]:
    return [
        [_value(one), *_decision(getattr(one, rows))]
        for one in family.configurations
        if getattr(one, rows).killed is not None
    ]


def _decision(evidence: Evidence) -> list[Any]:
    return [evidence.p, evidence.effect_size, evidence.killed]


def _value(one: Configuration) -> str:
    """Parameters and layer index as DeepCrime joins them in the names of its files."""
    fixed = json.loads(one.fixed)
    parameters = [fixed] if isinstance(fixed, dict) else fixed
    values = [str(v) for part in parameters for key, v in sorted(part.items()) if key != "task"]
    value = [] if one.value is None else [str(one.value)]
    layer = [] if one.layer_index is None else [str(one.layer_index)]
    return "_".join([*values, *value, *layer])


def _write(path: Path, lines: Sequence[Sequence[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
    return path
