"""Which programs of a corpus are put to localisers, and the truth about each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets.corpus import reader
from ..datasets.errors import CorpusError
from ..datasets.program import TrainingProgram, content_hash
from .evaluation import Truth
from .versions import versions_of

_KILLED = ("killed", "diverged")


@dataclass(frozen=True)
class Exam:
    """One program whose kept runs are diagnosed.

    Args:
        program: its text.
        subject: name.
        data_group: of the subject.
        task: what it learns.
        truth: of a mutant; None for a clean program.
        mutant_id: None for a clean program.
        operator: code; None for a clean program.
    """

    program: str
    subject: str
    data_group: str
    task: str
    truth: Truth | None
    mutant_id: str | None
    operator: str | None

    @property
    def program_id(self) -> str:
        """Content hash of the program."""
        return TrainingProgram(self.program).program_id

    @property
    def n_layers(self) -> int:
        """Number of candidates."""
        return len(TrainingProgram(self.program).layers())

    def keys(self) -> dict[str, Any]:
        """Return the keys that rows about this program carry."""
        return {
            "mutant_id": self.mutant_id,
            "subject": self.subject,
            "data_group": self.data_group,
            "split": "train",
            "operator": self.operator,
        }


def exams(root: Path) -> tuple[Exam, ...]:
    """Return the clean programs and the killed mutants whose fault a layer can answer for."""
    found = []
    tasks = {}
    for row in reader.rows(root, "subjects"):
        tasks[row["subject"]] = row["task"]
        found.append(
            Exam(
                row["program_json"],
                row["subject"],
                row["data_group"],
                row["task"],
                None,
                None,
                None,
            )
        )
    faults: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in reader.rows(root, "faults"):
        if row["layer_localisable"] and row["layer_index"] is not None:
            faults[row["mutant_id"]].append(row)
    for row in reader.rows(root, "mutants"):
        seeded = [fault for fault in faults[row["mutant_id"]] if fault["answer_set"] == 0]
        if row["outcome"] not in _KILLED or not seeded:
            continue
        truth = Truth(
            mutant_id=row["mutant_id"],
            subject=row["subject"],
            data_group=row["data_group"],
            fault_type=seeded[0]["fault_type"],
            position=seeded[0]["position"] or "middle",
            answer_sets=answer_sets(seeded),
        )
        found.append(
            Exam(
                row["program_json"],
                row["subject"],
                row["data_group"],
                tasks[row["subject"]],
                truth,
                row["mutant_id"],
                row["operator"],
            )
        )
    if len(found) == len(tasks):
        raise CorpusError(
            f"{root}: expected killed layer faults to evaluate on; received none; "
            "generate with layer operators such as ACH, ARM, WCI"
        )
    return tuple(found)


def answer_sets(faults: Iterable[Mapping[str, Any]]) -> tuple[frozenset[int], ...]:
    """Return every smallest set of layers that answers for all faults at once.

    Each fault may have several layers that are as right as its own: beside a removed layer, for
    instance, both neighbours.

    Args:
        faults: rows of ``faults`` of one answer set, each with a ``layer_index`` and, from it or
            empty, ``acceptable``.

    Returns:
        Sets of layer indices, none of which contains another; smaller ones first.
    """
    sets = {frozenset[int]()}
    for fault in faults:
        layers = fault["acceptable"] or [fault["layer_index"]]
        sets = {chosen | {layer} for chosen in sets for layer in layers}
    return tuple(
        sorted(
            (chosen for chosen in sets if not any(other < chosen for other in sets)),
            key=lambda chosen: (len(chosen), sorted(chosen)),
        )
    )


def payloads(
    root: Path, sitting: Iterable[Exam], localizers: Sequence[str], done: frozenset[str]
) -> Iterator[tuple[str, Exam, dict[str, Any]]]:
    """Yield unit key, exam and work payload of every exam and the localisers it still lacks."""
    versions = versions_of(localizers)
    columns = ["subject", "mutant_id", "localizer", "version"]
    answered = reader.read(root, "diagnoses", columns=columns).to_pylist()
    stored = {tuple(row[name] for name in columns) for row in answered}
    for exam in sitting:
        missing = [
            [name, version]
            for name, version in versions.items()
            if (exam.subject, exam.mutant_id, name, version) not in stored
        ]
        key = content_hash(["diagnoses", exam.program, exam.mutant_id, exam.subject, missing])
        if not missing or key in done:
            continue
        column = "program_id" if exam.mutant_id is None else "mutant_id"
        value = exam.mutant_id or exam.program_id
        models = reader.read(root, "models", filters=[(column, "==", value)]).to_pylist()
        models = [row for row in models if row["mutant_id"] == exam.mutant_id]
        if not models:
            raise CorpusError(
                f"{root}: expected kept models of {exam.mutant_id or exam.subject}; received none; "
                "generate a corpus with keep_models of at least 1"
            )
        payload = {
            "program": exam.program,
            "task": exam.task,
            "localizers": [name for name, _ in missing],
            "models": models,
            "seed": 0,
        }
        yield key, exam, payload


def with_keys(exam: Exam, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Add the keys of the program to rows of ``diagnoses``."""
    return [{**row, **exam.keys(), "program_id": exam.program_id} for row in rows]
