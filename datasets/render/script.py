"""`render`: a training program as a standalone, ordinary Keras script."""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ..errors import SubjectError
from ..program import Json, TrainingProgram
from .code import Block, joined, plain
from .models import ModelWriter
from .training import compiling, evaluating, fitting, loading, row_names
from .transforms import transforming
from .weight_edits import editing

Mode = Literal["reproduce", "blind"]

_TITLE = '"""Train a Keras model on the arrays beside this script."""'
_GENERATOR = r'''campaign_seed = {seed}
run = {run}


def generator(use):
    """Return the random numbers of one use in this run."""
    text = f"{{campaign_seed}}\0{{run}}\0\0data\0{{use}}"
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big") >> 1)

'''
_OWN_NAMES = ("Path", "folder", "generator", "hashlib", "keras", "layers", "model", "np", "x")


@dataclass(frozen=True)
class Script:
    """A program as a script.

    Args:
        text: the script; it needs Keras and NumPy only, and its arrays as ``.npy`` files in its
            own folder (see `files.script_arrays`).
        lines: lines, from 1, that express each slot of the program that the script writes down.
    """

    text: str
    lines: Mapping[str, tuple[int, ...]]


def render(
    program: TrainingProgram, mode: Mode = "reproduce", *, seed: int = 0, run: int = 0
) -> Script:
    """Write a program as an ordinary script; equal programs give equal scripts.

    Args:
        program: any canonical program.
        mode: ``reproduce`` writes data transforms and weight edits as code, so that the script
            shows the fault and makes the rows and weights of a run anew; ``blind`` loads rows
            that were transformed before and says nothing of transforms.
        seed: of the campaign; only random transforms and edits need it.
        run: number of the run.

    Raises:
        SubjectError: the program cannot be written in that mode.
    """
    document = program.document()
    if document["initial_weights"] is not None:
        raise SubjectError(
            "script: a program that starts from stored weights cannot be written as a script; "
            "expected initial_weights null"
        )
    if mode == "blind" and document["weight_edits"]:
        raise SubjectError(
            "blind script: a program with weight edits has none, for its fault acts after "
            "training, in no line of the script; expected a program without, or mode reproduce"
        )
    whole = joined(_blocks(document, mode, seed, run)).marked("")
    found: dict[str, set[int]] = {}
    for slot, first, last in whole.marks:
        found.setdefault(slot, set()).update(range(first + 1, last + 2))
    lines = {slot: tuple(sorted(found[slot])) for slot in sorted(found)}
    return Script("\n".join(whole.lines) + "\n", lines)


def lines_of(script: Script, slot: str) -> tuple[int, ...]:
    """Return the lines, from 1, that express a slot.

    A slot that the script leaves out, because it is absent or Keras's default, is expressed by
    what encloses it: the layer, or the call.
    """
    while slot not in script.lines:
        slot = slot.rpartition("/")[0]
    return script.lines[slot]


def patch(clean: Script, faulty: Script) -> str:
    """Return the unified diff from a clean to a faulty script; it is empty for equal ones."""
    return "".join(
        difflib.unified_diff(
            clean.text.splitlines(keepends=True),
            faulty.text.splitlines(keepends=True),
            "clean.py",
            "faulty.py",
        )
    )


def _blocks(document: Json, mode: Mode, seed: int, run: int) -> Iterator[Block]:
    names = row_names(document["data"])
    transformed = transforming(document, names) if mode == "reproduce" else Block()
    edited = editing(document)
    variables = {name for rows in names.values() for name in rows.all()}
    writer = ModelWriter({*dir(builtins), *_OWN_NAMES, *variables})
    writer.write(document["architecture"], "/architecture", "model")
    random = any("generator(" in line for line in (*transformed.lines, *edited.lines))
    yield plain(_head(random, seed, run))
    # Transforms and edits that are absent would have their place there.
    yield joined([loading(names), transformed]).marked("/transforms")
    yield plain("")
    yield joined(writer.blocks).marked("/architecture", "/architecture/config", "/initial_weights")
    yield compiling(document, writer.nested)
    yield joined([fitting(document, names, writer.nested), edited]).marked("/weight_edits")
    yield plain("")
    yield evaluating(names["test"])


def _head(random: bool, seed: int, run: int) -> str:
    """Return what stands before the data; the seed of random numbers is that of `Streams`."""
    hashing = "import hashlib\n" if random else ""
    imports = f"{hashing}from pathlib import Path\n\nimport keras\nimport numpy as np"
    head = f"{_TITLE}\n\n{imports}\nfrom keras import layers\n"
    return f"{head}\n{_GENERATOR.format(seed=seed, run=run)}" if random else head
