"""``status``: what a corpus holds."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from faultloom.datasets.corpus import reader, writer

Faultloom = Callable[..., tuple[int, str, str]]


@pytest.mark.tf
def test_it_counts_runs_and_mutants_by_outcome(faultloom: Faultloom, corpus: Path) -> None:
    code, out, err = faultloom("status", corpus, "--json")
    assert (code, err) == (0, "")
    rows = {row["operator"]: row for row in json.loads(out)}
    assert set(rows) == {"(clean)", "ACH", "ARM", "HNE", "LCH", "NGF", "SHAM", "TRD"}
    assert rows["(clean)"]["runs"] == 5
    assert (rows["SHAM"]["runs"], rows["SHAM"]["mutants"]) == (36, 12)
    assert (rows["LCH"]["runs"], rows["LCH"]["incompetent"]) == (0, 3)
    mutants = reader.rows(corpus, "mutants")
    assert sum(row["mutants"] for row in rows.values()) == len(mutants)
    for row in rows.values():
        parts = ("killed", "survived", "incompetent", "other")
        assert sum(row[part] for part in parts) == row["mutants"]
        assert sum(row["outcomes"].values()) == row["mutants"]


@pytest.mark.tf
def test_it_tells_what_the_mutants_cost_beside_a_fixed_sample(
    faultloom: Faultloom, corpus: Path
) -> None:
    rows = json.loads(faultloom("status", corpus, "--json")[1])
    mutants = sum(row["mutants"] for row in rows)
    runs = sum(row["runs"] for row in rows if row["operator"] != "(clean)")
    last = faultloom("status", corpus)[1].splitlines()[-1]
    assert last.startswith(f"{mutants} mutants took {runs} trainings, {runs / mutants:.1f} each")
    assert f"a fixed sample of 20 would take {20 * mutants} " in last
    assert last.endswith("clean programs took 5")


def test_a_campaign_that_has_just_begun_is_an_empty_list(
    faultloom: Faultloom, tmp_path: Path
) -> None:
    writer.check_or_create(tmp_path / "corpus", {"seed": 1})
    assert faultloom("status", tmp_path / "corpus", "--json") == (0, "[]\n", "")


@pytest.mark.parametrize("make", ["nothing", "folder", "file"])
def test_what_is_no_corpus(faultloom: Faultloom, tmp_path: Path, make: str) -> None:
    place = tmp_path / "place"
    if make == "folder":
        place.mkdir()
    elif make == "file":
        place.write_text("x")
    code, out, err = faultloom("status", place)
    assert (code, out) == (2, "")
    assert err.startswith("faultloom: ")
    assert "is not a corpus" in err
    assert err.count("\n") == 1
