"""Which programs of a corpus are put to localisers, and which are left to ask."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus.writer import StagingWriter
from faultloom.datasets.errors import ConfigError, CorpusError
from faultloom.localizers import exams


def payloads(root: Path, localizers: Sequence[str]) -> list[tuple[str, Any, dict[str, Any]]]:
    done = StagingWriter(root).done()
    return list(exams.payloads(root, exams.exams(root), localizers, done))


def test_exams_are_the_clean_programs_and_the_killed_layer_faults(
    small_corpus: Any, root: Path
) -> None:
    found = {exam.mutant_id: exam for exam in exams.exams(root)}
    assert set(found) == {None, "m-first", "m-last"}
    assert found[None].truth is None
    assert (found[None].n_layers, found[None].task) == (3, "classification")
    truth = found["m-last"].truth
    assert truth is not None
    assert truth.answer_sets == (frozenset({2}),)
    assert truth.cell == ("small", "ARM", "last")
    assert found["m-last"].program == small_corpus.last.text


@pytest.mark.parametrize("mutants", [[], ["m-alive"], ["m-program"]])
def test_a_corpus_without_killed_layer_faults_is_refused(
    small_corpus: Any, tmp_path: Path, mutants: Any
) -> None:
    root = small_corpus.write(tmp_path / "corpus", mutants)
    with pytest.raises(CorpusError, match="expected killed layer faults"):
        exams.exams(root)


def test_a_payload_has_the_kept_runs_of_its_own_program(root: Path) -> None:
    found = payloads(root, ["guider", "random"])
    assert len({key for key, _, _ in found}) == len(found) == 3
    for _, exam, payload in found:
        assert payload["program"] == exam.program
        assert [row["run_id"] for row in payload["models"]] == [
            f"{exam.mutant_id}/0",
            f"{exam.mutant_id}/1",
        ]
        assert payload["localizers"] == ["guider", "random"]


def test_only_missing_diagnoses_are_asked_for(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "last-layer", {None: 2, "m-first": 2})
    asked = {exam.mutant_id: payload for _, exam, payload in payloads(root, ["last-layer"])}
    assert set(asked) == {"m-last"}
    both = payloads(root, ["last-layer", "first-layer"])
    names = {exam.mutant_id: payload["localizers"] for _, exam, payload in both}
    assert names == {
        None: ["first-layer"],
        "m-first": ["first-layer"],
        "m-last": ["last-layer", "first-layer"],
    }


def test_a_unit_that_is_done_is_not_asked_again(root: Path) -> None:
    key, exam, _ = payloads(root, ["first-layer"])[0]
    StagingWriter(root).commit(key, {"diagnoses": []})
    assert exam not in [other for _, other, _ in payloads(root, ["first-layer"])]


def test_a_corpus_that_kept_no_models_is_refused(small_corpus: Any, tmp_path: Path) -> None:
    root = small_corpus.write(tmp_path / "corpus", ["m-first"], kept=0)
    with pytest.raises(CorpusError, match=r"expected kept models.*keep_models"):
        payloads(root, ["random"])


def test_unknown_localizers_are_refused(root: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'guider'"):
        payloads(root, ["guidr"])
    with pytest.raises(ConfigError, match="expected a class with name, version"):
        payloads(root, ["json:JSONDecoder"])


def rows(*acceptable: list[int] | None) -> list[dict[str, Any]]:
    return [{"layer_index": 3, "acceptable": layers} for layers in acceptable]


def test_a_fault_without_alternatives_is_answered_by_its_layer() -> None:
    assert exams.answer_sets(rows(None)) == exams.answer_sets(rows([3])) == (frozenset({3}),)
    assert exams.answer_sets(rows([])) == (frozenset({3}),)


def test_every_choice_among_equally_right_layers_is_an_answer() -> None:
    assert exams.answer_sets(rows([2, 4])) == (frozenset({2}), frozenset({4}))
    found = exams.answer_sets(rows([0, 1], [5, 6]))
    assert found == tuple(frozenset(pair) for pair in ([0, 5], [0, 6], [1, 5], [1, 6]))


def test_only_smallest_answers_are_kept() -> None:
    assert exams.answer_sets(rows([2, 4], [4])) == (frozenset({4}),)
    assert exams.answer_sets(rows([1, 2], [2, 3])) == (frozenset({2}), frozenset({1, 3}))


def test_answers_to_any_number_of_faults_are_those_of_the_definition() -> None:
    faults = [[0, 1], [1, 2, 3], [3, 4], [4], [0, 4]]
    products = {frozenset(choice) for choice in itertools.product(*faults)}
    smallest = {one for one in products if not any(other < one for other in products)}
    found = exams.answer_sets(rows(*faults))
    assert set(found) == smallest and len(found) == len(smallest)
