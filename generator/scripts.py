"""What a mutant is as a script, beside the script of its clean program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..datasets.errors import SubjectError
from ..datasets.program import TrainingProgram
from ..datasets.render import Script, lines_of, patch, render
from ..operators.mutants import Fault


@dataclass(frozen=True)
class MutantScripts:
    """The scripts of a mutant; all are None where one of the programs has no script.

    Args:
        clean: text of the clean program.
        faulty: text of the mutant.
        patch: unified diff from the one to the other.
        lines: for each fault the lines of the faulty script, from 1.
    """

    clean: str | None
    faulty: str | None
    patch: str | None
    lines: tuple[tuple[int, ...] | None, ...]


def mutant_scripts(
    clean: TrainingProgram, faulty: TrainingProgram, faults: Iterable[Fault], seed: int
) -> MutantScripts:
    """Write a mutant and its clean program as scripts of the campaign's first run.

    Args:
        clean: the clean program.
        faulty: the mutant.
        faults: ground truth.
        seed: of the campaign.
    """
    faults = tuple(faults)
    try:
        before, after = _clean_script(clean, seed), render(faulty, seed=seed)
    except SubjectError:
        return MutantScripts(None, None, None, (None,) * len(faults))
    lines = tuple(_lines(after, faulty, fault) for fault in faults)
    return MutantScripts(before.text, after.text, patch(before, after), lines)


# All mutants of a subject share it.
@lru_cache(maxsize=16)
def _clean_script(program: TrainingProgram, seed: int) -> Script:
    return render(program, seed=seed)


def _lines(script: Script, program: TrainingProgram, fault: Fault) -> tuple[int, ...]:
    """Return the lines of the slot, or of the layer where the slot is a list of many layers."""
    slot = fault.slot
    if fault.layer is not None and slot.startswith("/architecture/"):
        entry = program.layer(fault.layer).slot.removesuffix("/config")
        slot = slot if f"{slot}/".startswith(f"{entry}/") else entry
    return lines_of(script, slot)
