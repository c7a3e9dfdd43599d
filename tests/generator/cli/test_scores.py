"""``scores``: from a corpus to tables, JSON and DeepCrime's files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from faultloom.datasets.corpus import reader, writer

Faultloom = Callable[..., tuple[int, str, str]]


@pytest.mark.tf
def test_the_scores_of_a_campaign(faultloom: Faultloom, corpus: Path) -> None:
    code, out, err = faultloom("scores", corpus, "--json")
    assert (code, err) == (0, "")
    (found,) = json.loads(out)["subjects"]
    mutants = [row for row in reader.rows(corpus, "mutants") if row["operator"] != "SHAM"]
    killed = sum(row["outcome"] in ("killed", "diverged") for row in mutants)
    assert (found["subject"], found["criterion"]) == ("tiny", "welch")
    assert (found["mutants"], found["killed"]) == (len(mutants), killed)
    assert 0 < found["k_score"] <= 1
    assert 0 < found["d_score"] <= 1
    assert 0 <= found["mutation_score"] <= 1
    assert found["shams"] == 12
    assert {row["operator"] for row in found["operators"]} == {row["operator"] for row in mutants}
    assert sum(row["mutants"] for row in found["operators"]) == len(mutants)
    for row in found["mutant_rows"]:
        trained = row["operator"] != "LCH"  # whose labels do not fit
        assert (row["killing_probability"] is not None) == trained


@pytest.mark.tf
def test_tables_for_people_and_files_for_deepcrime(
    faultloom: Faultloom, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "csv"
    code, out, err = faultloom("scores", corpus, "--deepcrime-csv", folder)
    assert (code, err) == (0, "")
    assert "mutation score" in out
    assert "tiny: scores by operator" in out
    assert "not computed: triviality and redundancy on training rows: no predictions" in out
    assert (folder / "tiny" / "tiny_ms.csv").read_text().startswith("operator_name,operator_ms,")
    assert (folder / "tiny/results_test/stats/delete_td_binarysearch.csv").exists()


@pytest.mark.parametrize("make", ["nothing", "folder"])
def test_what_is_no_corpus(faultloom: Faultloom, tmp_path: Path, make: str) -> None:
    place = tmp_path / "place"
    if make == "folder":
        place.mkdir()
    code, out, err = faultloom("scores", place)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "is not a corpus" in err


@pytest.mark.tf
def test_a_campaign_that_has_just_begun(faultloom: Faultloom, tmp_path: Path) -> None:
    writer.check_or_create(tmp_path / "corpus", {"seed": 1})
    code, out, err = faultloom("scores", tmp_path / "corpus")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "at least one finished subject" in err


@pytest.mark.tf
def test_a_folder_that_cannot_be_written(
    faultloom: Faultloom, corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    code, out, err = faultloom("scores", corpus, "--deepcrime-csv", tmp_path / "file")
    assert (code, out) == (3, "")
    assert err.count("\n") == 1
    assert "file" in err
