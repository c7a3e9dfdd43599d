"""The task that runs a unit in a worker, and what the driver reads from its stream.

Every task is a streaming generator of two items: that it has started (where, when), then its
value. The driver can therefore tell time in the queue from time at work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .runner import Failure, FailureOutcome, read_only, resolve_work

__all__ = ["Answer", "Ended", "Raised", "next_answer", "remote_task"]

_WORKER_ENV: Final = {
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """The task brought no value; ``again`` says whether another attempt may."""

    failure: Failure
    again: bool


@dataclass(frozen=True, slots=True)
class Raised:
    """The work, or Ray itself, raised; ``trace`` is the worker's traceback, if there is one."""

    cause: Exception
    trace: str


Answer: TypeAlias = tuple[Any, Any] | Ended | Raised
"""Next item of a task: worker and time of its start, value and seconds, or how it ended."""


def remote_task(ray: Any, max_calls: int) -> Any:
    """The task, called as ``.remote(work, payload, [reference to the arrays])``.

    Ray retries nothing, so that attempts are counted in one place.

    Args:
        ray: the module.
        max_calls: units after which a worker is replaced, since TensorFlow leaks.
    """
    return ray.remote(
        num_cpus=1,
        max_retries=0,
        max_calls=max_calls,
        num_returns="streaming",
        runtime_env={"env_vars": dict(_WORKER_ENV)},
    )(_run_unit)


def _run_unit(work: str, payload: Any, boxed: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Report the start, then the value. ``boxed`` holds the reference to the arrays."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    yield (f"{node[:8]}/{os.getpid()}", time.time())
    function = resolve_work(work)
    arrays = read_only(ray.get(boxed[0]))
    started = time.perf_counter()
    value = function(payload, arrays)
    yield (value, time.perf_counter() - started)


def next_answer(ray: Any, stream: Any) -> Answer:
    """Take the next item of a task's stream, or learn how the task ended."""
    errors = ray.exceptions
    try:
        item: tuple[Any, Any] = ray.get(next(stream))
    except StopIteration:
        return _ended("lost", "the task ended without a value", again=True)
    except errors.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, Exception) else error
        if isinstance(cause, MemoryError):
            return _ended("out_of_memory", f"MemoryError: {cause}", again=False)
        return Raised(cause, str(error))
    except errors.OutOfMemoryError as error:
        return _ended("out_of_memory", str(error), again=False)
    except errors.WorkerCrashedError as error:
        return _ended("crashed", str(error), again=True)
    except (
        errors.TaskCancelledError,
        errors.ObjectLostError,
        errors.NodeDiedError,
        errors.LocalRayletDiedError,
        errors.TaskUnschedulableError,
    ) as error:
        return _ended("lost", str(error), again=True)
    except errors.RayError as error:
        return Raised(error, "")
    return item


def _ended(outcome: FailureOutcome, text: str, *, again: bool) -> Ended:
    first = (text.strip().splitlines() or [outcome])[0]
    return Ended(Failure(outcome, first), again)
