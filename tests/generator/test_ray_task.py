"""What a task's stream says, item by item; no cluster is needed to read it."""

from collections.abc import Iterator
from typing import Any

import pytest
from faultloom.generator.ray_task import Ended, Raised, next_answer
from faultloom.generator.runner import Failure

ray_exceptions = pytest.importorskip("ray.exceptions")


class Store:
    """In the place of Ray: an item that is an error is raised when it is fetched."""

    exceptions = ray_exceptions

    @staticmethod
    def get(item: Any) -> Any:
        if isinstance(item, Exception):
            raise item
        return item


def answer(*items: Any) -> Any:
    stream: Iterator[Any] = iter(items)
    return next_answer(Store, stream)


def of_work(cause: Any) -> Exception:
    made: Exception = ray_exceptions.RayTaskError("f", "the worker's traceback", cause)
    return made


def test_items_come_in_order() -> None:
    stream = iter([("node/1", 5.0), ({"v": 1}, 0.5)])
    assert next_answer(Store, stream) == ("node/1", 5.0)
    assert next_answer(Store, stream) == ({"v": 1}, 0.5)
    assert next_answer(Store, stream) == Ended(
        Failure("lost", "the task ended without a value"), again=True
    )


@pytest.mark.parametrize(
    ("error", "outcome", "again"),
    [
        (ray_exceptions.OutOfMemoryError("the node is full\nof tasks"), "out_of_memory", False),
        (of_work(MemoryError("too much")), "out_of_memory", False),
        (ray_exceptions.WorkerCrashedError(), "crashed", True),
        (ray_exceptions.TaskCancelledError(), "lost", True),
        (ray_exceptions.NodeDiedError("gone"), "lost", True),
        (ray_exceptions.LocalRayletDiedError(), "lost", True),
        (ray_exceptions.TaskUnschedulableError("no node"), "lost", True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_how_a_worker_ended(error: Exception, outcome: str, again: bool) -> None:
    ended = answer(error)
    assert isinstance(ended, Ended)
    assert (ended.failure.outcome, ended.again) == (outcome, again)
    assert ended.failure.error
    assert "\n" not in ended.failure.error


def test_an_error_of_the_work_is_kept_with_the_trace() -> None:
    raised = answer(of_work(KeyError("ours")))
    assert isinstance(raised, Raised)
    assert repr(raised.cause) == "KeyError('ours')"
    assert "the worker's traceback" in raised.trace


def test_any_other_error_of_ray_is_ours_to_see() -> None:
    error = ray_exceptions.RaySystemError("odd")
    assert answer(error) == Raised(error, "")
