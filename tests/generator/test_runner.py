"""One contract for both runners."""

from collections.abc import Iterator

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
