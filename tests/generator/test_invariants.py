"""What must be true of every corpus, on one that was really trained."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.capture import load_subject
from faultloom.datasets.corpus import models, reader
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import ABSENT, Change, revert
from faultloom.generator.config import CampaignConfig
from faultloom.generator.plan import plan_mutants
from faultloom.generator.schedule import criterion_of
from faultloom.generator.units import run_id
from faultloom.generator.verdicts import outcome_of
from scipy import stats

pytestmark = pytest.mark.tf

OUTCOMES = {"killed", "diverged", "survived", "incompetent"}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def config(corpus: Path) -> CampaignConfig:
    stored = json.loads((corpus / "corpus.json").read_text())["config"]
    return CampaignConfig.model_validate(stored)


@pytest.fixture(scope="module")
def mutants(corpus: Path) -> list[Row]:
    return reader.rows(corpus, "mutants")


@pytest.fixture(scope="module")
def runs(corpus: Path) -> dict[str | None, list[Row]]:
    found = defaultdict(list)
    for row in reader.rows(corpus, "runs"):
        found[row["mutant_id"]].append(row)
    return found


@pytest.fixture(scope="module")
def subject(corpus: Path) -> Row:
    (row,) = reader.rows(corpus, "subjects")
    return row


def killed(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["outcome"] in ("killed", "diverged")]


def test_the_corpus_has_something_of_everything(mutants: list[Row]) -> None:
    assert {row["outcome"] for row in mutants} >= {"killed", "survived", "incompetent"}
    assert {row["stage"] for row in killed(mutants)} >= {"architecture", "data", "trained"}


def test_outcomes_add_up_to_what_was_planned(
    corpus: Path, config: CampaignConfig, mutants: list[Row]
) -> None:
    planned = tuple(
        plan_mutants(
            load_subject(corpus / "subjects" / "tiny"),
            config.operators,
            limit=config.limit,
            shams=config.sham_mutants,
            seed=config.seed,
        )
    )
    assert sorted(row["mutant_id"] for row in mutants) == sorted(m.mutant_id for m in planned)
    assert {row["outcome"] for row in mutants} <= OUTCOMES
    assert Counter(row["operator"] for row in mutants) == Counter(m.operator for m in planned)


def test_every_verdict_has_its_runs_and_comes_out_again(
    config: CampaignConfig,
    mutants: list[Row],
    runs: dict[str | None, list[Row]],
    subject: Row,
) -> None:
    chosen = criterion_of(config)
    assert len(runs[None]) == chosen.n_clean
    compared = 0
    for row in mutants:
        if row["outcome"] == "incompetent":
            continue
        own = runs[row["mutant_id"]]
        assert [run["k"] for run in own] == list(range(chosen.n_faulty))
        again = outcome_of(runs[None], own, chosen, higher_is_better=True)
        assert again.verdict is not None
        assert again.name == row["outcome"]
        assert (again.verdict.p_value, again.verdict.effect_size) == (row["p"], row["effect_size"])
        assert (again.verdict.n_clean, again.verdict.n_faulty) == (row["n_clean"], row["n_faulty"])
        assert (row["criterion"], row["alpha"]) == (chosen.name, chosen.alpha)
        compared += 1
    assert compared > 20
    scores = [run["metric_judge"] for run in runs[None]]
    assert subject["clean_metric_mean"] == pytest.approx(sum(scores) / len(scores))


def test_killed_mutants_are_worse(mutants: list[Row], runs: dict[str | None, list[Row]]) -> None:
    clean = [run["metric_judge"] for run in runs[None]]
    for row in killed(mutants):
        faulty = [run["metric_judge"] for run in runs[row["mutant_id"]]]
        assert sum(faulty) / len(faulty) < sum(clean) / len(clean)


def test_reverting_the_stored_faults_gives_the_clean_program(
    corpus: Path, mutants: list[Row], subject: Row
) -> None:
    def value(text: str | None) -> Any:
        return ABSENT if text is None else json.loads(text)

    faults = defaultdict(list)
    for fault in reader.rows(corpus, "faults"):
        assert fault["answer_set"] == 0
        change = Change(fault["slot"], value(fault["old"]), value(fault["new"]))
        faults[fault["mutant_id"]].append(change)
    for row in mutants:
        program = TrainingProgram.of(json.loads(row["program_json"]))
        assert program.program_id == row["program_id"]
        assert bool(faults[row["mutant_id"]]) == (row["operator"] != "SHAM")
        clean = revert(program, faults[row["mutant_id"]])
        assert clean.program_id == row["clean_program_id"] == subject["program_id"]


def test_incompetent_mutants_have_a_reason_their_truth_and_no_runs(
    corpus: Path, mutants: list[Row], runs: dict[str | None, list[Row]]
) -> None:
    named = {fault["mutant_id"] for fault in reader.rows(corpus, "faults")}
    found = [row for row in mutants if row["outcome"] == "incompetent"]
    assert found
    for row in found:
        assert "Error" in row["reason"]
        assert "\n" not in row["reason"]
        assert row["mutant_id"] in named
        assert row["mutant_id"] not in runs
        assert row["criterion"] is None


def test_layer_faults_name_a_layer_of_the_faulty_program(corpus: Path, mutants: list[Row]) -> None:
    programs = {row["mutant_id"]: TrainingProgram(row["program_json"]) for row in mutants}
    positions = set()
    for fault in reader.rows(corpus, "faults"):
        if not fault["layer_localisable"]:
            assert fault["layer_index"] is None
            continue
        layer = programs[fault["mutant_id"]].layers()[fault["layer_index"]]
        assert layer.name == fault["layer"] == fault["clean_layer"]
        positions.add((fault["operator"], fault["position"]))
    for code in ("ACH", "ARM", "NGF"):
        assert {where for operator, where in positions if operator == code} == {
            "first",
            "middle",
            "last",
        }


def test_kept_models_predictions_and_runs_belong_together(
    corpus: Path, config: CampaignConfig, runs: dict[str | None, list[Row]]
) -> None:
    everything = [run for rows in runs.values() for run in rows]
    assert len({run["run_id"] for run in everything}) == len(everything)
    columns = ["run_id", "n_judge", "n_test"]
    predictions = reader.read(corpus, "predictions", columns=columns).to_pylist()
    assert {row["run_id"] for row in predictions} == {run["run_id"] for run in everything}
    assert {(row["n_judge"], row["n_test"]) for row in predictions} == {(320, 320)}
    kept = reader.rows(corpus, "models")
    wanted = {run["run_id"] for run in everything if run["k"] < config.keep_models}
    assert {row["run_id"] for row in kept} == wanted
    for row in kept[:3]:
        assert sum(weight.size for weight in models.decode(row)) == row["n_params"]


def test_a_run_of_a_mutant_is_named_by_what_decides_about_it(
    corpus: Path, config: CampaignConfig, runs: dict[str | None, list[Row]]
) -> None:
    (here,) = reader.rows(corpus, "environments")
    programs = {
        row["program_id"]: TrainingProgram(row["program_json"])
        for table in ("mutants", "subjects")
        for row in reader.rows(corpus, table)
    }
    for mutant_id, rows in runs.items():
        for run in rows:
            salt = str(mutant_id) if run["role"] == "sham" else ""
            known = (programs[run["program_id"]], config.seed, run["k"], salt)
            assert run["run_id"] == run_id(*known, here["environment_id"])
            assert run["environment_id"] == here["environment_id"]


def test_shams_train_differently_and_are_killed_no_more_often_than_alpha_allows(
    mutants: list[Row], runs: dict[str | None, list[Row]], subject: Row
) -> None:
    shams = [row for row in mutants if row["operator"] == "SHAM"]
    assert len(shams) == 12
    scores = {
        tuple(run["metric_judge"] for run in runs[row["mutant_id"]])
        for row in (*shams, {"mutant_id": None})
    }
    assert len(scores) == 13
    kills = len(killed(shams))
    chance_of_as_many = stats.binom.sf(kills - 1, len(shams), shams[0]["alpha"])
    assert chance_of_as_many >= 0.001
    assert subject["sham_kill_rate"] == kills / len(shams)
    assert subject["sham_kill_low"] <= subject["sham_kill_rate"] <= subject["sham_kill_high"]
