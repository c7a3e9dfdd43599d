"""`Subject`: a captured clean program, and the folder that holds it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np

from ..arrays import Array, array_hash
from ..corpus.writer import disk_errors
from ..errors import SubjectError
from ..program import Json, TrainingProgram

Task = Literal["classification", "regression"]
HeldOutSource = Literal["evaluate", "validation_data", "file", "hold_out"]


@dataclass(frozen=True)
class Subject:
    """A named clean program and the script that it was captured from.

    Args:
        name: short name, for example ``digits-mlp``.
        program: the clean training program.
        script: text of the script.
        task: ``classification`` or ``regression``.
        held_out_source: where the judge and test rows come from.
        disjoint: whether judge and test rows are different rows.
        data_group: names the data; subjects on the same data share it.
        data_set: name, group, version, origin and licence of the data set.
        notes: what the capture left out or decided, one sentence each.
    """

    name: str
    program: TrainingProgram
    script: str
    task: Task
    held_out_source: HeldOutSource
    disjoint: bool
    data_group: str
    data_set: Mapping[str, Json]
    notes: tuple[str, ...]


def load_subject(folder: Path) -> Subject:
    """Read a subject's folder; its arrays stay on disk (see `load_arrays`).

    Raises:
        SubjectError: the folder does not hold a subject.
    """
    try:
        record = json.loads((folder / "subject.json").read_text(encoding="utf-8"))
        program = json.loads((folder / "program.json").read_text(encoding="utf-8"))
        return Subject(
            name=record["name"],
            program=TrainingProgram.of(program),
            script=(folder / "script.py").read_text(encoding="utf-8"),
            task=record["task"],
            held_out_source=record["held_out_source"],
            disjoint=record["disjoint"],
            data_group=record["data_group"],
            data_set=record["data_set"],
            notes=tuple(record["notes"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SubjectError(
            f"folder {folder}: expected a captured subject (faultloom capture makes one); {error!r}"
        ) from error


def load_arrays(folder: Path) -> dict[str, Array]:
    """Read a subject's arrays by content hash, and check every hash.

    Raises:
        SubjectError: an array cannot be read or is not what its name says.
    """
    found = {}
    for path in sorted((folder / "arrays").glob("*.npy")):
        try:
            array: Array = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise SubjectError(f"array {path}: cannot be read; {error}") from error
        if array_hash(array) != path.stem:
            raise SubjectError(f"array {path}: its content is not what its name says; it changed")
        found[path.stem] = array
    return found


def save_subject(subject: Subject, arrays: Mapping[str, Array], folder: Path) -> None:
    """Write a subject's folder at once: a reader sees the old one, none, or the new one.

    Raises:
        SubjectError: the folder holds something else.
        CorpusError: the disk takes no more; the folder is as it was.
    """
    check_free(folder)
    staged = folder.parent / f".{folder.name}.{os.getpid()}.new"
    old = folder.parent / f".{folder.name}.{os.getpid()}.old"
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(staged, ignore_errors=True)
        try:
            _write(subject, arrays, staged)
            if folder.exists():
                folder.rename(old)
            staged.rename(folder)
        except BaseException:
            if old.exists() and not folder.exists():
                old.rename(folder)
            shutil.rmtree(staged, ignore_errors=True)
            raise
    shutil.rmtree(old, ignore_errors=True)


def _write(subject: Subject, arrays: Mapping[str, Array], folder: Path) -> None:
    (folder / "arrays").mkdir(parents=True)
    for key, array in arrays.items():
        with _synced(folder / "arrays" / f"{key}.npy") as file:
            np.save(_Plain(file), array, allow_pickle=False)
    record = {
        "name": subject.name,
        "task": subject.task,
        "held_out_source": subject.held_out_source,
        "disjoint": subject.disjoint,
        "data_group": subject.data_group,
        "data_set": dict(subject.data_set),
        "notes": list(subject.notes),
    }
    texts = {
        "program.json": subject.program.text,
        "script.py": subject.script,
        "subject.json": json.dumps(record, indent=2, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        with _synced(folder / name) as file:
            file.write(text.encode())


@contextmanager
def _synced(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


class _Plain:
    """NumPy writes past a file object that it knows, and loses the reason of an error."""

    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write


def check_free(folder: Path) -> None:
    """Refuse to overwrite anything but a subject.

    Raises:
        SubjectError: the path is a file, or a folder of something else.
    """
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / "subject.json").exists()):
        raise SubjectError(f"output {folder}: expected a new folder; it exists and is no subject")
