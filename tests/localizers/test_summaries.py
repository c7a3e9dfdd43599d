"""Tables of an evaluation."""

from pathlib import Path
from typing import Any

from faultloom.localizers import scoring, summaries


def test_tables_by_operator_and_by_position(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "last-layer", {"m-first": 2, "m-last": 2})
    cases = scoring.score(root, ["last-layer"])
    first, last = summaries.breakdown_rows(cases, "position")
    assert (first["position"], first["mutants"], first["last-layer"]) == ("first", 1, 0.0)
    assert (last["position"], last["mutants"], last["last-layer"]) == ("last", 1, 1.0)
    (arm,) = summaries.breakdown_rows(cases, "operator")
    assert (arm["operator"], arm["mutants"], arm["last-layer"]) == ("ARM", 2, 0.5)


def test_clean_programs_are_no_part_of_the_score(small_corpus: Any, root: Path) -> None:
    small_corpus.answer(root, "last-layer", {None: 2, "m-first": 2, "m-last": 2})
    cases = scoring.score(root, ["last-layer"])
    (last,) = [answers for answers in cases if answers.localizer == "last-layer"]
    assert len(last.cases) == 4
    (row,) = summaries.clean_rows(root, ["last-layer"])
    assert (row["localizer"], row["subject"], row["cases"]) == ("last-layer", "small", 2)
    assert (row["most_blamed_layer"], row["its_share"], row["silent"]) == (2, 1.0, 0.0)
