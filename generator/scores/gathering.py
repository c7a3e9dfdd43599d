"""Read from a corpus what the scores of each subject are computed from, and what is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

from ...datasets.corpus import reader
from ...datasets.corpus.writer import read_corpus_json
from ...datasets.errors import CorpusError
from ...datasets.metric_direction import higher_is_better
from ...datasets.program import TrainingProgram
from ..killing import Criterion, criterion
from ..verdicts import KILLED
from .families import Configuration, Evidence, name_of, searched
from .single_inputs import InputKills, answers_of, confidence_of, input_kills
from .weak_tests import confident, most_confident

Row = Mapping[str, Any]

WEAK_SHARE = 0.5
"""Share of the judge rows in a weak test set where hardly any is predicted with confidence 1."""

FEW_INPUTS = 30
"""Inputs below which those of confidence 1 are no test set."""

_DECIDED = (
    *("mutant_id", "operator", "mutations", "outcome"),
    *("p", "effect_size", "n_clean", "n_faulty"),
)


@dataclass
class SubjectScores:
    """What the scores of one subject are computed from.

    Args:
        subject: its row.
        rule: the criterion of the corpus.
        configurations: its mutants, without SHAM.
        shams: ids of the SHAM mutants.
        inputs: what single inputs say of them and of SHAM, by mutant id; None is not known.
        weak: what is in the weak test set.
        missing: reasons by score.
    """

    subject: Row
    rule: Criterion
    configurations: list[Configuration] = field(default_factory=list)
    shams: list[str] = field(default_factory=list)
    inputs: dict[str, InputKills] | None = None
    weak: dict[str, Any] | None = None
    missing: dict[str, str] = field(default_factory=dict)


def gather(root: Path) -> list[SubjectScores]:
    """Read what the scores of every subject of a corpus are computed from.

    Raises:
        CorpusError: the folder is no corpus or holds no finished subject.
    """
    subjects = reader.rows(root, "subjects")
    if not subjects:
        raise CorpusError(
            f"{root}: expected at least one finished subject, received none; "
            "run generate again to finish it"
        )
    rule = _rule(root)
    return [_gather(root, subject, rule) for subject in subjects]


def _rule(root: Path) -> Criterion:
    """The criterion of the corpus, with as many runs as it was given."""
    settings = read_corpus_json(root)["config"]
    try:
        name = settings["criterion"]
        runs = {f"n_{side}": settings[f"{side}_replicates"] for side in ("clean", "faulty")}
    except KeyError as error:
        raise CorpusError(
            f"{root}: expected the setting {error} in corpus.json, received none; "
            "restore the file that generate wrote"
        ) from error
    return criterion(name, **runs)


def _gather(root: Path, subject: Row, rule: Criterion) -> SubjectScores:
    found = SubjectScores(subject, rule)
    which = [("subject", "==", subject["subject"])]
    runs: dict[str | None, list[Row]] = defaultdict(list)
    columns = ("run_id", "mutant_id", "k", "outcome", "metric_train")
    for run in reader.read(root, "runs", columns, which).to_pylist():
        runs[run["mutant_id"]].append(run)
    mutants = reader.read(root, "mutants", _DECIDED, which).to_pylist()
    found.shams = [row["mutant_id"] for row in mutants if row["operator"] == "SHAM"]
    program = TrainingProgram(subject["program_json"])
    found.configurations = [
        _configuration(row, program, runs, found) for row in mutants if row["operator"] != "SHAM"
    ]
    _single_inputs(root, found, runs)
    _explain(found)
    return found


def _configuration(
    row: Row,
    program: TrainingProgram,
    runs: Mapping[str | None, Sequence[Row]],
    found: SubjectScores,
) -> Configuration:
    value, bounds, fixed = searched(program, row["mutations"])
    only = row["mutations"][0] if len(row["mutations"]) == 1 else {}
    killed = row["outcome"] in KILLED
    return Configuration(
        mutant_id=row["mutant_id"],
        operator=row["operator"],
        name=name_of(row["mutations"]),
        layer=only.get("layer"),
        layer_index=only.get("layer_index"),
        fixed=fixed,
        value=value,
        bounds=bounds,
        test=Evidence(
            killed if killed or row["outcome"] == "survived" else None,
            row["p"],
            row["effect_size"],
            row["n_clean"] or 0,
            row["n_faulty"] or 0,
        ),
        train=_by_training_rows(runs[None], runs.get(row["mutant_id"], ()), found),
    )


def _by_training_rows(
    clean: Sequence[Row], faulty: Sequence[Row], found: SubjectScores
) -> Evidence:
    """Decide on the judge metric of the training rows by the rule of the corpus."""
    left, right = (
        [
            row["metric_train"]
            for row in sorted(rows, key=itemgetter("k"))
            if row["metric_train"] is not None
        ]
        for rows in (clean, faulty)
    )
    name = found.subject["clean_metric_name"]
    return Evidence.of(found.rule.decide(left, right, higher_is_better=higher_is_better(name)))


def _single_inputs(
    root: Path, found: SubjectScores, runs: Mapping[str | None, Sequence[Row]]
) -> None:
    """Add what single inputs say, or the reason why they say nothing."""
    scores = "killing probability, triviality, redundancy, d-score, weak test set, sensitivity"
    if found.subject["task"] != "classification":
        found.missing[scores] = (
            "answers are not right or wrong in regression, and losses of single rows, from which "
            "its weak test set would be built, are not stored"
        )
        return
    answers = answers_of(root, found.subject["subject"], runs)
    clean = answers.pop(None, None)
    if clean is None or not answers:
        found.missing[scores] = "no predictions on judge rows are stored"
        return
    completed = [row for row in runs[None] if row["outcome"] == "completed"]
    if not completed:
        found.missing[scores] = "no run of the clean program completed"
        return
    confidence = confidence_of(root, min(completed, key=itemgetter("k"))["run_id"])
    weak, construction = confident(confidence), "confidence 1"
    if weak.sum() < FEW_INPUTS:
        weak, construction = most_confident(confidence, WEAK_SHARE), f"top {WEAK_SHARE:.0%}"
    found.weak = {"construction": construction, "inputs": int(weak.sum()), "of": len(weak)}
    found.inputs = {
        str(mutant): input_kills(clean, faulty, weak, found.rule)
        for mutant, faulty in answers.items()
    }
    if found.subject["clean_metric_name"].endswith(("accuracy", "acc")):
        found.configurations = [
            replace(one, weak=found.inputs[one.mutant_id].weak)
            if one.mutant_id in found.inputs
            else one
            for one in found.configurations
        ]
    else:
        found.missing["weak score, sensitivity"] = (
            f"the judge metric {found.subject['clean_metric_name']} is no accuracy, which alone "
            "can be computed from stored answers"
        )


def _explain(found: SubjectScores) -> None:
    """Say what the scores leave out."""
    missing, mutants = found.missing, found.configurations
    if found.inputs is not None:
        missing["triviality and redundancy on training rows"] = (
            "no predictions on training rows are stored; those on judge rows are used"
        )
    for what, evidence in (("judge", "test"), ("training", "train")):
        open_ = sum(getattr(one, evidence).killed is None for one in mutants)
        if open_:
            missing[f"mutation score, {what} rows"] = (
                f"{open_} of {len(mutants)} mutants are left out: not trained, or too few runs "
                f"for {found.rule.name} to decide on {what} rows"
            )
    if not any(one.train.killed for one in mutants):
        missing["mutation score"] = "no mutant is killed by the training rows"
    if not any(one.bounds for one in mutants):
        missing["killability"] = "no operator that has a range was planned"
