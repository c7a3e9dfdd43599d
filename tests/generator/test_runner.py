"""One contract for both runners, and what only workers of their own can show."""

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
from faultloom.generator.runner import Done, InProcessRunner, Runner, Unit

ARRAYS = {"x": np.arange(4, dtype=np.float32)}


@pytest.fixture(params=["in_process", pytest.param("ray", marks=pytest.mark.ray)])
def runner(request: pytest.FixtureRequest, runner_work: str) -> Iterator[Runner]:
    if request.param == "in_process":
        made: Runner = InProcessRunner()
    else:
        request.getfixturevalue("ray_cluster")
        made = RayRunner()
    with made:
        made.share("digits", ARRAYS)
        yield made


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


def test_values_come_back_with_their_unit(runner: Runner) -> None:
    for n in range(5):
        runner.submit(unit(f"u{n}", "double", {"n": n}))
    assert runner.pending() == 5
    found = all_done(runner)
    assert {key: done.value for key, done in found.items()} == {
        f"u{n}": {"twice": 2 * n, "sum": 6.0} for n in range(5)
    }
    for done in found.values():
        assert done.failure is None
        assert done.attempts == 1
        assert done.worker
        assert done.wall_s >= 0
    assert runner.pending() == 0
    assert runner.slots >= 1


def test_shared_arrays_are_read_only_and_the_original_is_not(runner: Runner) -> None:
    runner.submit(unit("u", "writeable"))
    assert runner.next_done().value is False
    assert ARRAYS["x"].flags.writeable


def test_an_exception_of_the_work_propagates_and_the_rest_goes_on(runner: Runner) -> None:
    runner.submit(unit("bad", "broken"))
    with pytest.raises(RunnerError, match=r"unit bad: .*KeyError: 'a fault of ours'") as caught:
        runner.next_done()
    assert isinstance(caught.value.__cause__, KeyError)
    assert "\n" not in str(caught.value)
    assert runner.pending() == 0
    runner.submit(unit("bad", "double", {"n": 1}))
    assert runner.next_done().value == {"twice": 2, "sum": 6.0}


@pytest.mark.parametrize(
    ("work", "said"),
    [("no_such_module_here:f", "no 'no_such_module_here'"), ("json:nope", "no 'nope'"), ("f", ":")],
)
def test_work_that_cannot_be_found(runner: Runner, work: str, said: str) -> None:
    runner.submit(Unit("u", work, None, "digits"))
    with pytest.raises(RunnerError, match=said):
        runner.next_done()


def test_memory_error_is_a_failure(runner: Runner) -> None:
    runner.submit(unit("u", "hungry"))
    done = runner.next_done()
    assert done.value is None
    assert done.failure is not None
    assert done.failure.outcome == "out_of_memory"


def test_misuse_is_refused(runner: Runner) -> None:
    with pytest.raises(RunnerError, match="found none"):
        runner.next_done()
    with pytest.raises(RunnerError, match="named 'other'"):
        runner.submit(Unit("u", "faultloom_runner_work:double", None, "other"))
    runner.submit(unit("u", "double", {"n": 1}))
    with pytest.raises(RunnerError, match="twice"):
        runner.submit(unit("u", "double", {"n": 1}))
    with pytest.raises(RunnerError, match="dtype object"):
        runner.share("objects", {"x": np.array([{}, None], dtype=object)})


def test_cancel_forgets_what_is_pending(runner: Runner) -> None:
    runner.submit(unit("u", "sleep", {"s": 30}))
    runner.cancel()
    assert runner.pending() == 0
    runner.submit(unit("u", "double", {"n": 2}))
    assert runner.next_done().value == {"twice": 4, "sum": 6.0}


def test_in_process_overrun_counts_as_timed_out(runner_work: str) -> None:
    with InProcessRunner(deadline_s=0.01) as runner:
        runner.share("digits", ARRAYS)
        runner.submit(unit("u", "sleep", {"s": 0.05}))
        failure = runner.next_done().failure
    assert failure is not None
    assert failure.outcome == "timed_out"


@pytest.mark.ray
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


@pytest.mark.ray
def test_a_crash_is_tried_again(ray_runner: Callable[..., RayRunner], tmp_path: Path) -> None:
    runner = ray_runner()
    runner.submit(unit("u", "die_once", {"mark": str(tmp_path / "mark")}))
    done = runner.next_done()
    assert (done.value, done.failure, done.attempts) == ("alive", None, 2)


@pytest.mark.ray
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


@pytest.mark.ray
def test_a_value_that_nobody_fetched_in_time_is_kept(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(deadline_s=1.5)
    runner.submit(unit("u", "sleep", {"s": 0.2}))
    time.sleep(4)
    done = runner.next_done()
    assert (done.value, done.failure) == (0.2, None)


@pytest.mark.ray
def test_slots_limit_us_on_a_cluster_with_more(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(slots=1)
    for n in range(3):
        runner.submit(unit(f"u{n}", "interval"))
    with pytest.raises(RunnerError, match="twice"):
        runner.submit(unit("u2", "interval"))
    assert runner.pending() == 3
    times = sorted(done.value for done in all_done(runner).values())  # type: ignore[type-var]
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(times))


@pytest.mark.ray
def test_workers_have_one_thread_and_no_gpu(ray_runner: Callable[..., RayRunner]) -> None:
    names = ["CUDA_VISIBLE_DEVICES", "TF_NUM_INTRAOP_THREADS", "OMP_NUM_THREADS"]
    runner = ray_runner()
    runner.submit(unit("u", "environment", names))
    assert runner.next_done().value == dict(zip(names, ["", "1", "1"], strict=True))


@pytest.mark.ray
def test_workers_are_recycled(ray_runner: Callable[..., RayRunner]) -> None:
    runner = ray_runner(max_calls=1)
    for n in range(3):
        runner.submit(unit(f"u{n}", "process"))
    assert len({done.value for done in all_done(runner).values()}) == 3


@pytest.mark.ray
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


@pytest.mark.ray
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
