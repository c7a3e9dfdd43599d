"""The scores of one family, where published and corrected differ, worked by hand."""

from typing import Any

import pytest
from faultloom.generator.scores.families import Configuration, Evidence, Family
from faultloom.generator.scores.operator_scores import family_row
from faultloom.operators.base import Range

PERCENT = Range(0.0, 100.0)


def evidence(killed: bool | None, d: float | None = 5.0) -> Evidence:
    return Evidence(killed, 0.01, d, 20, 20)


def member(name: str, value: float | None, test: Evidence, train: Evidence, **more: Any) -> Any:
    bounds = None if value is None else PERCENT
    return Configuration(name, "TRD", name, None, None, "{}", value, bounds, test, train, **more)


def family(*members: Configuration) -> Family:
    return Family("TRD", None, members[0].bounds, members)


def test_tests_that_kill_nothing_at_the_end_of_a_range() -> None:
    """Training data kills the end alone, tests kill nothing: published 1, which is no success."""
    row = family_row(
        family(
            member("a", 50.0, evidence(False, 0.1), evidence(False, 0.1)),
            member("b", 100.0, evidence(False, 0.1), evidence(True)),
        )
    )
    assert (row["score"], row["score_published"]) == (0.0, 1.0)
    assert row["instability"] is row["killability"] is None


def test_killing_that_is_not_sure_counts_where_power_is_computed_right() -> None:
    """With d = .7 and 20 runs the true power is .58; the published one is .99."""
    row = family_row(
        family(
            member("a", None, evidence(True, 0.7), evidence(True)),
            member("b", None, evidence(False, 0.1), evidence(True, 0.7)),
            member("c", None, evidence(True), evidence(True)),
        )
    )
    assert row["instability"] == 0.5
    assert row["instability_published"] == 0.0
    assert row["score"] == 1.0  # b is left out
    assert row["score_published"] == pytest.approx(2 / 3)


def test_a_diverged_mutant_is_killed_for_sure() -> None:
    row = family_row(family(member("a", None, evidence(True, None), evidence(True, None))))
    assert (row["score"], row["instability"], row["score_published"]) == (1.0, 0.0, 1.0)


def test_a_range_with_a_gap_is_flagged() -> None:
    row = family_row(
        family(
            member("a", 25.0, evidence(True), evidence(True)),
            member("b", 50.0, evidence(False), evidence(True)),
            member("c", 100.0, evidence(True), evidence(True)),
        )
    )
    assert (row["score"], row["killability"], row["monotone"]) == (1.0, 0.75, False)


def test_the_weak_score_leaves_out_what_weak_rows_cannot_decide() -> None:
    row = family_row(
        family(
            member("a", None, evidence(True), evidence(True), weak=evidence(None)),
            member("b", None, evidence(True), evidence(True), weak=evidence(False)),
            member("c", None, evidence(False), evidence(True), weak=evidence(True)),
            member("d", None, evidence(None), evidence(True), weak=evidence(True)),
        )
    )
    assert (row["mutants"], row["undecided"]) == (4, 1)
    assert row["score"] == pytest.approx(2 / 3)
    assert (row["strong_score"], row["weak_score"], row["sensitivity"]) == (0.5, 0.5, 0.0)
