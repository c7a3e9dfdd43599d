"""A small corpus without trained weights, and answers of localisers in it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus.writer import StagingWriter, check_or_create
from faultloom.datasets.slots import with_slot
from faultloom.localizers import exams
from faultloom.operators.cases import small_program

_CLEAN = small_program()  # dense, dropout, dense_1
_FIRST = with_slot(_CLEAN, "/architecture/config/layers/1/config/activation", "linear")
_LAST = with_slot(_CLEAN, "/architecture/config/layers/3/config/activation", "linear")
_OTHERS = with_slot(_CLEAN, "/fit/epochs", 1)
MUTANTS = {
    "m-first": (_FIRST, "ARM", "killed", 0, "first"),
    "m-last": (_LAST, "ARM", "diverged", 2, "last"),
    "m-alive": (_FIRST, "ACH", "survived", 0, "first"),
    "m-program": (_OTHERS, "HNE", "killed", None, None),
}


def _keys(mutant_id: str | None, operator: str | None) -> dict[str, Any]:
    return {
        "mutant_id": mutant_id,
        "operator": operator,
        "subject": "small",
        "data_group": "ones",
        "split": "train",
    }


def _model(mutant_id: str | None, program_id: str, k: int) -> dict[str, Any]:
    operator = MUTANTS[mutant_id][1] if mutant_id else None
    run = {"run_id": f"{mutant_id}/{k}", "program_id": program_id, "k": k}
    return {**_keys(mutant_id, operator), **run, "weights": b"w", "sha256": "s"}


class SmallCorpus:
    """Writes a corpus of one subject, and answers of localisers in it."""

    first, last = _FIRST, _LAST

    def write(self, root: Path, mutants: Sequence[str] = tuple(MUTANTS), kept: int = 2) -> Path:
        """Write the table rows that evaluation reads, with `kept` models of each program."""
        check_or_create(root, {"seed": 1})
        subject = {
            **{
                key: value
                for key, value in _keys(None, None).items()
                if key in ("subject", "split")
            },
            "data_group": "ones",
            "program_id": _CLEAN.program_id,
            "task": "classification",
            "data_embedded": False,
            "judge_test_disjoint": True,
            "program_json": _CLEAN.text,
        }
        tables: dict[str, list[dict[str, Any]]] = {
            "subjects": [subject],
            "mutants": [],
            "faults": [],
        }
        tables["models"] = [_model(None, _CLEAN.program_id, k) for k in range(kept)]
        for name in mutants:
            program, operator, outcome, layer, position = MUTANTS[name]
            row = {
                "outcome": outcome,
                "program_id": program.program_id,
                "program_json": program.text,
            }
            tables["mutants"].append({**_keys(name, operator), **row})
            fault = {
                "answer_set": 0,
                "ordinal": 0,
                "is_minimal": True,
                "fault_type": operator,
                "layer_index": layer,
                "position": position,
                "layer_localisable": layer is not None,
            }
            tables["faults"].append({**_keys(name, operator), **fault})
            tables["models"] += [_model(name, program.program_id, k) for k in range(kept)]
        StagingWriter(root).commit("all", tables)
        return root

    def answer(
        self, root: Path, name: str, layers: Mapping[str | None, int | None], version: str = "1"
    ) -> None:
        """Store what a localiser says of both cases of each program: a layer, or that it failed."""
        by_id = {exam.mutant_id: exam for exam in exams.exams(root)}
        rows = []
        for mutant_id, layer in layers.items():
            suspect = {"layer": str(layer), "score": 1.0, "fault_type": None, "neurons": None}
            said = {
                "localizer": name,
                "version": version,
                "status": "failed" if layer is None else "ok",
                "reason": "it broke" if layer is None else None,
                "suspects": [] if layer is None else [suspect],
            }
            cases = [{**said, "case_id": f"{mutant_id}/{k}"} for k in range(2)]
            rows += exams.with_keys(by_id[mutant_id], cases)
        StagingWriter(root).commit(f"answers-{name}-{version}", {"diagnoses": rows})


@pytest.fixture(scope="session")
def small_corpus() -> SmallCorpus:
    return SmallCorpus()


@pytest.fixture
def root(small_corpus: SmallCorpus, tmp_path: Path) -> Path:
    return small_corpus.write(tmp_path / "corpus")
