"""Which lines of a mutant's script a fault is in."""

from dataclasses import replace

import pytest
from faultloom.generator.scripts import mutant_scripts
from faultloom.operators import Mutation, faults_of, mutate, operator
from faultloom.operators.cases import LAYERS, small_program

pytestmark = pytest.mark.tf

CLEAN = small_program()
SITE = operator("RCD").sites(CLEAN)[0]
MUTATIONS = [Mutation("RCD", SITE, {"rate": 0.75})]
FAULTY = mutate(CLEAN, MUTATIONS)
(FAULT,) = faults_of(CLEAN, FAULTY, MUTATIONS)


@pytest.mark.parametrize("slot", [FAULT.slot, LAYERS, f"{LAYERS}/1"])
def test_a_fault_of_a_layer_is_on_the_line_of_the_layer(slot: str) -> None:
    scripts = mutant_scripts(CLEAN, FAULTY, [replace(FAULT, slot=slot)], 0)
    assert scripts.faulty is not None and scripts.lines[0] is not None
    text = scripts.faulty.splitlines()
    assert [text[n - 1].strip() for n in scripts.lines[0]] == ["layers.Dropout(0.75),"]


def test_a_fault_of_no_layer_is_on_the_lines_of_its_slot() -> None:
    removed = replace(FAULT, layer=None, slot=LAYERS)
    (lines,) = mutant_scripts(CLEAN, FAULTY, [removed], 0).lines
    assert lines is not None and len(lines) == 6


def test_no_change_is_an_empty_patch() -> None:
    scripts = mutant_scripts(CLEAN, CLEAN, [], 0)
    assert (scripts.clean, scripts.patch, scripts.lines) == (scripts.faulty, "", ())


def test_a_program_without_a_script_has_no_lines() -> None:
    from_stored = small_program(initial_weights="0" * 64)
    scripts = mutant_scripts(from_stored, FAULTY, [FAULT, FAULT], 0)
    assert scripts == type(scripts)(None, None, None, (None, None))
