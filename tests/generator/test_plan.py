"""The plan: content-hash identities, every legal layer, and a limit that spreads."""

from collections import Counter

import pytest
from faultloom.datasets.capture import Subject
from faultloom.datasets.errors import ConfigError
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import with_slot
from faultloom.generator.plan import Mutant, plan_mutants
from faultloom.operators.cases import small_program
from faultloom.operators.mutants import mutant_id, revert_faults
from faultloom.operators.registry import operator, operators

CODES = tuple(known.code for known in operators())


def subject_of(program: TrainingProgram, name: str = "small") -> Subject:
    return Subject(name, program, "", "classification", "evaluate", True, "group", {}, ())


SUBJECT = subject_of(small_program())
LAYER_CODES = tuple(
    known.code
    for known in operators()
    if known.layer_localisable
    and any(known.variants(SUBJECT.program, site) for site in known.sites(SUBJECT.program))
)


def planned(
    *codes: str, limit: int | None = None, shams: int = 0, seed: int = 0, subject: Subject = SUBJECT
) -> tuple[Mutant, ...]:
    return tuple(plan_mutants(subject, codes, limit=limit, shams=shams, seed=seed))


def ids(mutants: tuple[Mutant, ...]) -> list[str]:
    return [mutant.mutant_id for mutant in mutants]


def test_planning_twice_is_equal() -> None:
    first = planned(*CODES, limit=3, shams=2, seed=5)
    assert first == planned(*CODES, limit=3, shams=2, seed=5)
    assert len(first) > len(CODES)


def test_an_id_is_the_hash_of_clean_program_and_mutations() -> None:
    mutants = planned(*CODES, shams=2)
    assert ids(mutants) == [mutant_id(SUBJECT.program.program_id, m.mutations) for m in mutants]
    assert all(len(mutant.mutant_id) == 64 for mutant in mutants)
    assert len(set(ids(mutants))) == len(mutants)


def test_ids_depend_on_the_clean_program_and_not_on_the_subjects_name() -> None:
    longer = with_slot(small_program(), "/fit/epochs", 30)
    assert ids(planned("ARM")) == ids(planned("ARM", subject=subject_of(small_program(), "other")))
    assert not set(ids(planned("ARM"))) & set(ids(planned("ARM", subject=subject_of(longer))))


@pytest.mark.parametrize("limit", [None, 2])
def test_neither_order_nor_company_of_operators_changes_what_is_planned(limit: int | None) -> None:
    forward = planned(*CODES, limit=limit, seed=3)
    backward = planned(*reversed(CODES), limit=limit, seed=3)
    assert set(ids(forward)) == set(ids(backward))
    for code in CODES:
        alone = set(ids(planned(code, limit=limit, seed=3)))
        assert alone == {mutant.mutant_id for mutant in forward if mutant.operator == code}


def test_no_program_is_planned_twice_nor_the_clean_one() -> None:
    programs = [mutant.program.program_id for mutant in planned(*CODES, *CODES)]
    assert len(programs) == len(set(programs))
    assert SUBJECT.program.program_id not in programs


@pytest.mark.parametrize("code", LAYER_CODES)
def test_a_layer_operator_is_planned_at_every_legal_layer(code: str) -> None:
    legal = {
        site.layer
        for site in operator(code).sites(SUBJECT.program)
        if operator(code).variants(SUBJECT.program, site)
    }
    assert legal
    assert {mutant.mutations[0].site.layer for mutant in planned(code)} == legal
    everything = planned(*CODES)
    assert {
        mutant.mutations[0].site.layer for mutant in everything if mutant.operator == code
    } == legal


@pytest.mark.parametrize("code", LAYER_CODES)
def test_a_limit_gives_sites_equally_many(code: str) -> None:
    chosen = operator(code)
    room = {
        site.layer: len(chosen.variants(SUBJECT.program, site))
        for site in chosen.sites(SUBJECT.program)
    }
    for limit in range(1, 2 * len(room) + 1):
        counts = Counter(m.mutations[0].site.layer for m in planned(code, limit=limit))
        assert counts.total() == min(limit, sum(room.values()))
        fullest = max(counts.values())
        assert all(counts[site] >= min(room[site], fullest - 1) for site in room)


def test_a_limit_below_the_number_of_sites_draws_them() -> None:
    drawn = {planned("ACH", limit=1, seed=seed)[0].mutations[0].site.layer for seed in range(30)}
    assert drawn == {"dense", "dense_1"}


def test_a_limited_plan_is_part_of_the_whole_one() -> None:
    assert set(ids(planned(*CODES, limit=2, seed=9))) < set(ids(planned(*CODES)))


def test_truth_is_the_difference_and_leads_back() -> None:
    for mutant in planned(*CODES):
        assert mutant.faults
        assert revert_faults(mutant.program, mutant.faults) == SUBJECT.program
        assert mutant.stage == operator(mutant.operator).stage
        assert mutant.salt == ""


def test_shams_are_the_clean_program_under_salts_of_their_own() -> None:
    shams = planned(shams=4)
    assert [mutant.operator for mutant in shams] == ["SHAM"] * 4
    assert {mutant.program for mutant in shams} == {SUBJECT.program}
    assert all(mutant.faults == () for mutant in shams)
    assert len({mutant.salt for mutant in shams}) == 4
    assert ids(shams)[:2] == ids(planned(shams=2))


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(ConfigError, match="there is no 'XYZ'"):
        planned("XYZ")


def test_a_provably_equivalent_mutant_says_why() -> None:
    stopping = {"class_name": "EarlyStopping", "config": {"patience": 60}}
    subject = subject_of(small_program(callbacks=[stopping]))
    reasons = {
        mutant.mutations[0].parameters["patience"]: mutant.equivalence
        for mutant in planned("RCP", subject=subject)
    }
    assert reasons == {30: "the patience of a callback outlasts the training", 6: None, 1: None}


def test_sham_mutants_are_trained_although_they_change_nothing() -> None:
    assert [mutant.equivalence for mutant in planned(shams=2)] == [None, None]
