"""``generate``: kills, Ctrl-C, budgets and lost workers cost no finished work."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus import reader, staging

pytestmark = pytest.mark.tf

StableRows = Callable[[Path], dict[str, list[str]]]
Faultloom = Callable[..., tuple[int, str, str]]
SMALL = (
    *("--workers", 0, "--operators", "HNE,ARM", "--limit", 1, "--sham-mutants", 1),
    *("--clean-replicates", 3, "--faulty-replicates", 2, "--keep-models", 1),
    *("--criterion", "welch"),
)
TRAININGS = 3 + 3 * 2
# The first unit trains as it should, the second one meets the error.
SECOND_UNIT_RAISES = """
from faultloom.generator import runner
real, calls = runner.resolve_work, iter(range(100))
def fail(payload, arrays):
    raise {error}
runner.resolve_work = lambda work: fail if next(calls) == 1 else real(work)
"""


@pytest.fixture
def started(command_line: Any) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start the command line and let none outlive the test."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> "subprocess.Popen[str]":
        running.append(command_line.start(*arguments))
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)


def wait_for_units(process: "subprocess.Popen[str]", root: Path, count: int) -> None:
    for _ in range(6000):
        if len(staging.units(root)) >= count:
            return
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    raise AssertionError(f"no {count} units within two minutes")


def one_line(err: str) -> str:
    lines = [line for line in err.splitlines() if not line.startswith("trainings: ")]
    assert len(lines) == 1, err
    return lines[0]


@pytest.mark.slow
def test_kills_at_any_moment_change_no_row(
    started: Callable[..., "subprocess.Popen[str]"],
    command_line: Any,
    campaign_options: tuple[object, ...],
    corpus: Path,
    tmp_path: Path,
    stable_rows: StableRows,
) -> None:
    root = tmp_path / "corpus"
    last = len(staging.units(corpus)) - 1
    for count in sorted(random.Random(2026).sample(range(1, last), 3)):
        process = started("generate", *campaign_options, "--out", root)
        wait_for_units(process, root, count)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
    before = {path: path.stat().st_mtime_ns for path in staging.folder(root).glob("*.parquet")}
    done = command_line("generate", *campaign_options, "--out", root)
    assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert stable_rows(root) == stable_rows(corpus)


@pytest.mark.slow
@pytest.mark.ray
def test_workers_of_ray_give_the_same_rows(
    ray_cluster: None,
    corpus: Path,
    tmp_path: Path,
    stable_rows: StableRows,
) -> None:
    import json

    from faultloom.generator import campaign
    from faultloom.generator.cli.setup import prepare
    from faultloom.generator.config import CampaignConfig
    from faultloom.generator.ray_runner import RayRunner

    config = CampaignConfig.model_validate(
        json.loads((corpus / "corpus.json").read_text())["config"]
    )
    root = tmp_path / "corpus"
    with RayRunner(slots=2) as runner:
        planned = prepare(root, config)
        assert campaign.run(root, planned, config, runner, lambda progress: None)
    assert stable_rows(root) == stable_rows(corpus)


@pytest.mark.slow
def test_ctrl_c_ends_with_how_to_resume(
    started: Callable[..., "subprocess.Popen[str]"],
    faultloom: Faultloom,
    tiny: Path,
    tmp_path: Path,
) -> None:
    root = tmp_path / "corpus"
    process = started("generate", tiny, *SMALL, "--out", root)
    wait_for_units(process, root, 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "run it again to resume" in one_line(err.replace("\n\n", "\n"))
    assert str(root) in err
    assert out == ""
    assert staging.units(root)
    assert faultloom("generate", tiny, *SMALL, "--out", root)[0] == 0
    assert len(reader.rows(root, "runs")) == TRAININGS


def test_a_budget_that_ends_early_says_so_and_resumes(
    faultloom: Faultloom, tiny: Path, tmp_path: Path
) -> None:
    root = tmp_path / "corpus"
    code, _, err = faultloom("generate", tiny, *SMALL, "--out", root, "--budget", "0.000001s")
    assert code == 0
    assert "run it again to resume" in one_line(err)
    assert reader.rows(root, "runs") == []
    code, out, err = faultloom("generate", tiny, *SMALL, "--out", root)
    assert code == 0
    assert "budget" not in err
    assert f"trainings: {TRAININGS} of {TRAININGS}" in err
    assert "HNE" in out
    assert len(reader.rows(root, "mutants")) == 3


def test_a_lost_worker_makes_mutants_unfinished_and_exit_code_3(
    command_line: Any, tiny: Path, tmp_path: Path
) -> None:
    root = tmp_path / "corpus"
    arguments = ("generate", tiny, *SMALL, "--out", root)
    done = command_line(*arguments, before=SECOND_UNIT_RAISES.format(error='MemoryError("full")'))
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    outcomes = {row["outcome"] for row in reader.rows(root, "mutants")}
    assert "unfinished" in outcomes
    assert outcomes & {"killed", "survived"}
    lost = [row for row in reader.rows(root, "runs") if row["outcome"] == "out_of_memory"]
    assert {row["error"] for row in lost} == {"MemoryError: full"}


@pytest.mark.slow
def test_a_fault_of_the_program_is_one_line_and_costs_nothing(
    command_line: Any, faultloom: Faultloom, tiny: Path, tmp_path: Path
) -> None:
    root = tmp_path / "corpus"
    arguments = ("generate", tiny, *SMALL, "--out", root)
    done = command_line(*arguments, before=SECOND_UNIT_RAISES.format(error='OSError("odd")'))
    assert done.returncode == 3
    assert "OSError: odd" in one_line(done.stderr)
    finished = staging.units(root)
    assert len(finished) == 2
    assert faultloom(*arguments)[0] == 0
    assert set(finished) < set(staging.units(root))
    assert len(reader.rows(root, "runs")) == TRAININGS
    assert {row["outcome"] for row in reader.rows(root, "mutants")} <= {"killed", "survived"}
