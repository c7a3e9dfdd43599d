"""What only workers of their own can show."""

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from faultloom.datasets.errors import RunnerError
from faultloom.generator.ray_runner import RayRunner
from faultloom.generator.runner import Done, Runner, Unit

pytestmark = pytest.mark.ray

ARRAYS = {"x": np.arange(4, dtype=np.float32)}


@pytest.fixture
def ray_runner(ray_cluster: None) -> Iterator[Callable[..., RayRunner]]:
    made: list[RayRunner] = []

    def make(**options: float) -> RayRunner:
        made.append(RayRunner(**options))  # type: ignore[arg-type]
        made[-1].share("digits", ARRAYS)
        return made[-1]

    yield make
    for each in made:
        each.close()


def unit(key: str, name: str, payload: object = None) -> Unit:
    return Unit(key, f"faultloom_runner_work:{name}", payload, "digits")


def all_done(runner: Runner) -> dict[str, Done]:
    found = {}
    while runner.pending():
        done = runner.next_done()
        found[done.unit.key] = done
    return found


def test_a_worker_that_dies_costs_only_its_unit(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(max_attempts=2)
    runner.submit(unit("dead", "die"))
    for n in range(3):
        runner.submit(unit(f"u{n}", "double", {"n": n}))
    found = all_done(runner)
    dead = found.pop("dead")
    assert dead.failure is not None
    assert dead.failure.outcome == "crashed"
    assert dead.attempts == 2
    assert [found[f"u{n}"].value["twice"] for n in range(3)] == [0, 2, 4]  # type: ignore[index]


def test_a_crash_is_tried_again(ray_runner: Callable[..., RayRunner], tmp_path: Path) -> None:
    runner = ray_runner()
    runner.submit(unit("u", "die_once", {"mark": str(tmp_path / "mark")}))
    done = runner.next_done()
    assert (done.value, done.failure, done.attempts) == ("alive", None, 2)


def test_the_deadline_counts_from_the_start(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(deadline_s=2.0)
    for n in range(6):  # three rounds of 1 s on two slots: longer in the queue than the deadline
        runner.submit(unit(f"u{n}", "sleep", {"s": 1.0}))
    runner.submit(unit("long", "sleep", {"s": 60}))
    began = time.monotonic()
    found = all_done(runner)
    assert time.monotonic() - began < 40
    late = found.pop("long")
    assert late.failure is not None
    assert late.failure.outcome == "timed_out"
    assert late.attempts == 1
    assert 2.0 <= late.wall_s < 10
    assert all(done.failure is None for done in found.values())


def test_a_value_that_nobody_fetched_in_time_is_kept(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(deadline_s=1.5)
    runner.submit(unit("u", "sleep", {"s": 0.2}))
    time.sleep(4)
    done = runner.next_done()
    assert (done.value, done.failure) == (0.2, None)


def test_slots_limit_us_on_a_cluster_with_more(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(slots=1)
    for n in range(3):
        runner.submit(unit(f"u{n}", "interval"))
    with pytest.raises(RunnerError, match="twice"):
        runner.submit(unit("u2", "interval"))
    assert runner.pending() == 3
    times = sorted(done.value for done in all_done(runner).values())  # type: ignore[type-var]
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(times))


def test_workers_have_one_thread_and_no_gpu(ray_runner: Callable[..., RayRunner]) -> None:
    names = ["CUDA_VISIBLE_DEVICES", "TF_NUM_INTRAOP_THREADS", "OMP_NUM_THREADS"]
    runner = ray_runner()
    runner.submit(unit("u", "environment", names))
    assert runner.next_done().value == dict(zip(names, ["", "1", "1"], strict=True))


def test_workers_are_recycled(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(max_calls=1)
    for n in range(3):
        runner.submit(unit(f"u{n}", "process"))
    assert len({done.value for done in all_done(runner).values()}) == 3


def test_a_running_cluster_is_left_running(ray_cluster: None) -> None:
    import ray

    with RayRunner() as runner:
        assert runner.slots == 2
    assert ray.is_initialized()


PRIVATE = """
import numpy as np
from faultloom.generator.ray_runner import RayRunner
from faultloom.generator.runner import Unit

if __name__ == "__main__":
    import sys
    assert "ray" not in sys.modules
    with RayRunner(slots=1) as runner:
        runner.share("digits", {"x": np.ones(3)})
        runner.submit(Unit("u", "faultloom_runner_work:double", {"n": 4}, "digits"))
        assert runner.next_done().value == {"twice": 8, "sum": 3.0}
    import ray
    assert not ray.is_initialized()
"""


@pytest.mark.slow
def test_a_private_cluster_starts_and_ends(runner_work: str, tmp_path: Path) -> None:
    script = tmp_path / "private.py"
    script.write_text(PRIVATE)
    env = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    run = subprocess.run(
        [sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize("option", ["slots", "max_attempts"])
def test_numbers_below_one_are_refused(option: str) -> None:
    with pytest.raises(RunnerError, match=f"{option}: expected at least 1, received 0"):
        RayRunner(**{option: 0})  # type: ignore[arg-type]
