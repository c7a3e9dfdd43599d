"""``evaluate``: from a corpus to a table beside all baselines, resumable."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus import reader, staging, writer

pytestmark = pytest.mark.tf

Faultloom = Callable[..., tuple[int, str, str]]
NAMES = [
    *("guider", "guider (ties=deepest)", "random", "random-among-weighted", "first-layer"),
    *("last-layer", "largest-layer", "odd-one-out", "label-shuffle", "depth-prior", "oracle-prior"),
]
DIAGNOSING = [name for name in NAMES if "prior" not in name and "ties" not in name]
THIRD_PARTY = """
from faultloom.localizers.base import Diagnosis, Suspect

class Head:
    version = "1"
    needs = frozenset({"model"})
    granularity = "layer"
    modes = ()
    deterministic = True
    name = "head"

    def localize(self, case):
        return Diagnosis("ok", (Suspect(1.0, len(case.layers) - 1),))

class Raises(Head):
    def localize(self, case):
        raise RuntimeError("no idea")

class SaysNothing(Head):
    def localize(self, case):
        return None

class BlamesWhatIsNotThere(Head):
    def localize(self, case):
        return Diagnosis("ok", (Suspect(1.0, len(case.layers)),))

class Incomplete:
    name = "incomplete"
    version = "1"

class Demanding(Head):
    def __init__(self, knob):
        self.knob = knob
"""


def undefined(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def tables(answer: tuple[int, str, str]) -> dict[str, list[dict[str, Any]]]:
    code, out, err = answer
    assert code == 0, err
    found: dict[str, list[dict[str, Any]]] = json.loads(out, parse_constant=undefined)
    return found


@pytest.fixture(scope="module")
def diagnosed(
    corpus: Path, tmp_path_factory: pytest.TempPathFactory, command_line: Any
) -> tuple[Path, dict[str, list[dict[str, Any]]]]:
    """A corpus that was evaluated once, and what that said."""
    root = tmp_path_factory.mktemp("evaluated") / "corpus"
    shutil.copytree(corpus, root)
    done = command_line("evaluate", root, "--workers", 0, "--json")
    return root, tables((done.returncode, done.stdout, done.stderr))


@pytest.fixture
def root(diagnosed: tuple[Path, Any], tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "corpus"
    shutil.copytree(diagnosed[0], copy)
    return copy


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "third_party_localizers.py").write_text(THIRD_PARTY)
    monkeypatch.syspath_prepend(tmp_path)
    return "third_party_localizers"


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["localizer"]: row for row in rows}


def test_the_summary_has_the_localizer_and_every_baseline(diagnosed: Any) -> None:
    summary = diagnosed[1]["summary"]
    assert sorted(row["localizer"] for row in summary) == sorted(NAMES)
    for row in summary:
        hit = row["hit@1"]
        assert 0 <= hit["low"] <= hit["value"] <= hit["high"] <= 1
        assert hit["n_cases"] >= hit["n_mutants"] >= 1
        assert row["hit@3"]["value"] is None
        assert row["hit@3"]["n_cases"] == 0
        assert 1 <= row["first_rank"]["value"] <= 4  # one more than there are: never named
        # There is no other data group to learn a prior from.
        silent = hit["n_cases"] if row["localizer"] == "depth-prior" else 0
        assert row["no_answer"] == silent


def test_numbers_are_those_of_the_killed_layer_faults(diagnosed: Any) -> None:
    root, found = diagnosed
    faults = {f["mutant_id"]: f for f in reader.rows(root, "faults") if f["layer_localisable"]}
    killed = {
        row["mutant_id"]
        for row in reader.rows(root, "mutants")
        if row["outcome"] in ("killed", "diverged")
    } & set(faults)
    assert {row["mutant_id"] for row in reader.rows(root, "scores")} == killed
    summary = by_name(found["summary"])
    assert summary["last-layer"]["hit@1"]["n_mutants"] == len(killed)
    assert summary["last-layer"]["hit@1"]["n_cases"] == 2 * len(killed)
    assert summary["depth-prior"]["hit@1"]["n_cases"] == len(killed)
    last = [float(faults[mutant]["layer_index"] == 2) for mutant in sorted(killed)]
    stored = {
        row["mutant_id"]: row["hit_1"]
        for row in reader.rows(root, "scores")
        if row["localizer"] == "last-layer"
    }
    assert [stored[mutant] for mutant in sorted(killed)] == last
    position = {row["position"]: row for row in found["by_position"]}
    assert position["last"]["last-layer"] == position["first"]["first-layer"] == 1.0
    assert sum(row["mutants"] for row in found["by_operator"]) == len(killed)


def test_clean_programs_are_put_to_every_localizer(diagnosed: Any) -> None:
    clean = diagnosed[1]["clean"]
    assert sorted(row["localizer"] for row in clean) == sorted(DIAGNOSING)
    for row in clean:
        assert (row["subject"], row["cases"]) == ("tiny", 2)
        assert sum(row["frequency"]) + row["silent"] == pytest.approx(1.0)
    assert by_name(clean)["first-layer"]["most_blamed_layer"] == 0


def test_stored_rows_have_their_keys(diagnosed: Any) -> None:
    root, _ = diagnosed
    runs = {row["run_id"]: row for row in reader.rows(root, "runs")}
    diagnoses = reader.rows(root, "diagnoses")
    keys = {(row["localizer"], row["case_id"]) for row in diagnoses}
    assert len(keys) == len(diagnoses)
    assert {row["localizer"] for row in diagnoses} == set(DIAGNOSING)
    for row in diagnoses:
        run = runs[row["run_id"]]
        for key in ("program_id", "mutant_id", "subject", "data_group", "operator"):
            assert row[key] == run[key]
        assert (row["status"], row["split"]) == ("ok", "train")
        assert row["version"]
        assert run["k"] < 2
    scores = reader.rows(root, "scores")
    assert {row["localizer"] for row in scores} == set(NAMES)
    for row in scores:
        assert (row["subject"], row["answer_set_mode"]) == ("tiny", "seeded")
        assert row["operator"] in ("ACH", "ARM", "NGF")
        assert 0 <= row["hit_1"] <= row["hit_3"] <= row["hit_5"] <= 1


def test_running_again_diagnoses_nothing_and_says_the_same(
    faultloom: Faultloom, root: Path, diagnosed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("it was diagnosed before")

    monkeypatch.setattr("faultloom.localizers.diagnosing.diagnose", never)
    before = staging.units(root)
    assert tables(faultloom("evaluate", root, "--workers", 0, "--json")) == diagnosed[1]
    assert staging.units(root) == before


def test_a_third_partys_localizer_is_scored_beside_the_others(
    faultloom: Faultloom, root: Path, diagnosed: Any, third_party: str
) -> None:
    name = f"{third_party}:Head"
    before = len(reader.rows(root, "diagnoses"))
    found = tables(faultloom("evaluate", root, "--localizers", name, "--workers", 0, "--json"))
    summary, first = by_name(found["summary"]), by_name(diagnosed[1]["summary"])
    assert summary[name]["hit@1"] == summary["last-layer"]["hit@1"] == first["last-layer"]["hit@1"]
    assert set(summary) == {name, *NAMES} - {"guider", "guider (ties=deepest)"}
    added = [row for row in reader.rows(root, "diagnoses") if row["localizer"] == name]
    assert len(reader.rows(root, "diagnoses")) == before + len(added)
    assert {row["localizer"] for row in reader.rows(root, "scores")} == {name, *NAMES}


@pytest.mark.parametrize("kind", ["Raises", "SaysNothing", "BlamesWhatIsNotThere"])
def test_a_localizer_that_fails_is_a_miss_and_is_listed(
    faultloom: Faultloom, root: Path, third_party: str, kind: str
) -> None:
    name = f"{third_party}:{kind}"
    answer = faultloom("evaluate", root, "--localizers", f"guider,{name}", "--workers", 0, "--json")
    summary = by_name(tables(answer)["summary"])
    assert summary[name]["hit@1"]["value"] == 0.0
    assert summary[name]["no_answer"] == summary[name]["hit@1"]["n_cases"]
    assert summary["guider"]["no_answer"] == 0
    statuses = {row["status"] for row in reader.rows(root, "diagnoses") if row["localizer"] == name}
    assert statuses == {"failed"}


def test_a_table_for_people(faultloom: Faultloom, root: Path) -> None:
    code, out, _ = faultloom("evaluate", root, "--workers", 0)
    assert code == 0
    assert all(name in out for name in NAMES)
    assert "whom it blames on clean programs" in out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gider", "did you mean 'guider'"),
        ("no_such_module:Thing", "no_such_module"),
        ("third_party_localizers:Nothing", "Nothing"),
        ("third_party_localizers:Incomplete", "expected a class with name, version"),
        ("third_party_localizers:Demanding", "knob"),
    ],
)
def test_a_localizer_that_cannot_be_used(
    faultloom: Faultloom, root: Path, third_party: str, name: str, said: str
) -> None:
    before = staging.units(root)
    code, out, err = faultloom("evaluate", root, "--localizers", name, "--workers", 0)
    assert (code, out) == (2, "")
    assert err.startswith("faultloom: ")
    assert err.count("\n") == 1
    assert said in err
    assert staging.units(root) == before


def test_a_folder_that_is_not_there(faultloom: Faultloom, tmp_path: Path) -> None:
    code, out, err = faultloom("evaluate", tmp_path / "none")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "is not a corpus" in err
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_without_killed_layer_faults(faultloom: Faultloom, tmp_path: Path) -> None:
    root = tmp_path / "corpus"
    writer.check_or_create(root, {"seed": 1})
    code, out, err = faultloom("evaluate", root)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "killed layer faults" in err
