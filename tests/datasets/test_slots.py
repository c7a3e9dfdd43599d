import pytest
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import FIELDS, TrainingProgram
from faultloom.datasets.slots import (
    ABSENT,
    Change,
    common,
    difference,
    get,
    overlap,
    replaced,
    revert,
    with_slot,
)
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("a/~", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~", max_size=2), inner),
    max_leaves=8,
)


def program(**fields: object) -> TrainingProgram:
    return TrainingProgram.of({field: fields.get(field) for field in FIELDS})


@given(JSON, JSON)
def test_reverting_the_difference_gives_the_first_program_back(old: object, new: object) -> None:
    before, after = program(fit=old), program(fit=new)
    assert revert(after, difference(before, after)).program_id == before.program_id


@given(JSON)
def test_equal_programs_have_no_difference(value: object) -> None:
    assert difference(program(loss=value), program(loss=value)) == ()


def test_the_smallest_differing_slots_are_named() -> None:
    before = program(fit={"epochs": 5, "batch_size": 32})
    after = program(fit={"epochs": 1, "batch_size": 32, "shuffle": False})
    assert difference(before, after) == (
        Change("/fit/epochs", 5, 1),
        Change("/fit/shuffle", ABSENT, False),
    )


def test_an_object_of_another_class_is_one_change() -> None:
    before = program(optimizer={"class_name": "Adam", "config": {"learning_rate": 0.1}})
    after = program(optimizer={"class_name": "SGD", "config": {}})
    assert [change.slot for change in difference(before, after)] == ["/optimizer"]


def test_true_and_one_are_different_values() -> None:
    assert difference(program(fit=1), program(fit=True)) == (Change("/fit", 1, True),)


def test_an_appended_entry_is_one_change() -> None:
    before, after = program(transforms=[]), program(transforms=[{"name": "noise"}])
    assert difference(before, after) == (Change("/transforms/0", ABSENT, {"name": "noise"}),)
    assert with_slot(before, "/transforms/0", {"name": "noise"}) == after


def test_replacing_leaves_the_document_as_it_was() -> None:
    document = {"a": [1, 2]}
    assert replaced(document, "/a/0", 5) == {"a": [5, 2]}
    assert document == {"a": [1, 2]}


def test_get_follows_escaped_parts() -> None:
    assert get({"a/b": {"c~d": 3}}, "/a~1b/c~0d") == 3
    assert get({"a": 1}, "/b/c") is ABSENT


def test_a_slot_that_cannot_exist_is_refused() -> None:
    with pytest.raises(SubjectError, match="/fit/3: it does not exist"):
        with_slot(program(fit=[]), "/fit/3", 1)


def test_slots_overlap_when_one_contains_the_other() -> None:
    assert overlap("/a", "/a/b")
    assert overlap("/a/b", "/a")
    assert not overlap("/a/b", "/a/bc")


def test_unknown_fields_are_refused_with_the_expected_ones() -> None:
    with pytest.raises(SubjectError, match="received fit, nonsense"):
        TrainingProgram.of({"fit": {}, "nonsense": 1})


def test_a_value_that_is_not_json_is_refused() -> None:
    with pytest.raises(SubjectError, match="plain JSON"):
        program(fit=float("nan"))


@pytest.mark.parametrize(
    ("slots", "shared"),
    [
        (["/a/b/0", "/a/b/1/c"], "/a/b"),
        (["/a/b", "/a/b/0"], "/a/b"),
        (["/a/b"], "/a/b"),
        (["/a/bc", "/a/b"], "/a"),
        (["/a", "/b"], ""),
    ],
)
def test_the_longest_slot_that_contains_all(slots: list[str], shared: str) -> None:
    assert common(slots) == shared
