"""Where units of work run: the one interface, and the runner that stays in this process.

A unit is the name of a function and a JSON-like payload; what comes back is JSON-like, too. Large
arrays are shared by name once and reach every unit read-only. Three kinds of failure are kept
apart:

* the work says about its *mutant* whatever it has to say inside the value it returns;
* a worker that dies, overruns or is lost is a :class:`Failure` inside the :class:`Done`;
* an exception that the work raises is a fault of *our* code and comes out of ``next_done`` as a
  :class:`~faultloom.datasets.errors.RunnerError`. The unit is then no longer pending and the
  runner goes on with the others if it is asked to.

``MemoryError`` is the one exception that is about the worker: it is the failure ``out_of_memory``.
"""

from __future__ import annotations

import copy
import importlib
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Any, Literal, Protocol, Self, TypeAlias

import numpy as np

from ..datasets.errors import RunnerError

__all__ = [
    "Arrays",
    "Done",
    "Failure",
    "FailureOutcome",
    "InProcessRunner",
    "Runner",
    "Unit",
    "read_only",
    "resolve_work",
    "work_error",
]

Arrays: TypeAlias = Mapping[str, np.ndarray[Any, Any]]
FailureOutcome: TypeAlias = Literal["crashed", "timed_out", "out_of_memory", "lost"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work: ``work`` ("module:function") is called as ``f(payload, arrays)``."""

    key: str
    work: str
    payload: Any
    shared: str


@dataclass(frozen=True, slots=True)
class Failure:
    """What became of a worker that brought nothing back; never a verdict on the mutant."""

    outcome: FailureOutcome
    error: str


@dataclass(frozen=True, slots=True)
class Done:
    """A finished unit: its value, or the failure of its last attempt.

    ``worker`` is ``node/process id``, and empty when the unit was never seen to start. ``wall_s``
    is the time of the last attempt without its wait for a slot.
    """

    unit: Unit
    value: Any | None
    failure: Failure | None
    attempts: int
    worker: str
    wall_s: float


class Runner(Protocol):
    """Runs units; a context manager. Keeping no more than a window submitted is the caller's."""

    @property
    def slots(self) -> int:
        """How many units run at the same time."""
        ...

    def share(self, name: str, arrays: Arrays) -> None:
        """Make arrays available to later units under a name; a second call replaces the set."""
        ...

    def submit(self, unit: Unit) -> None:
        """Queue a unit; its key must not be pending already and its arrays must be shared."""
        ...

    def pending(self) -> int:
        """How many units were submitted and have not yet been returned."""
        ...

    def next_done(self) -> Done:
        """Wait for the next unit to finish, in order of completion."""
        ...

    def cancel(self) -> None:
        """Give up everything pending; the runner can be used again."""
        ...

    def close(self) -> None:
        """Give up everything pending and release what the runner holds."""
        ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def resolve_work(work: str) -> Callable[[Any, Arrays], Any]:
    """The function that "module:function" names."""
    module, _, name = work.partition(":")
    if not module or not name:
        raise RunnerError(f"work: expected 'module:function', received {work!r}; name both parts")
    try:
        function = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise RunnerError(
            f"work {work!r}: expected a module that workers can import, found no {error.name!r}; "
            "install it where the workers run"
        ) from error
    except AttributeError as error:
        raise RunnerError(
            f"work {work!r}: expected a function of {module}, found no {name!r}; correct the name"
        ) from error
    if not callable(function):
        raise RunnerError(f"work {work!r}: expected a function, found {type(function).__name__}")
    found: Callable[[Any, Arrays], Any] = function
    return found


def read_only(arrays: Arrays) -> Arrays:
    """The same arrays, uncopied, as views that cannot be written to."""
    views: dict[str, np.ndarray[Any, Any]] = {}
    for name, array in arrays.items():
        view = np.asarray(array).view()
        if view.dtype.hasobject:
            raise RunnerError(
                f"shared array {name!r}: expected numbers or fixed-width text, received dtype "
                f"{view.dtype}; convert it before sharing"
            )
        view.flags.writeable = False
        views[name] = view
    return MappingProxyType(views)


def work_error(unit: Unit, error: BaseException) -> RunnerError:
    """The error for a unit whose work raised; raise it ``from`` the original."""
    first = (str(error).strip().splitlines() or [""])[0]
    return RunnerError(
        f"unit {unit.key}: {unit.work} was expected to return, but raised "
        f"{type(error).__name__}: {first}; this is a fault of the program, not of the mutant"
    )


def check_submission(unit: Unit, pending: bool, shared: bool) -> None:
    """Refuse a unit that is pending already or whose arrays were never shared."""
    if pending:
        raise RunnerError(
            f"unit {unit.key}: expected a key that is not pending, received it twice; "
            "wait for the first one"
        )
    if not shared:
        raise RunnerError(
            f"unit {unit.key}: expected shared arrays named {unit.shared!r}, found none; "
            "share them before submitting"
        )


def nothing_pending() -> RunnerError:
    """The error for asking for a result when none is due."""
    return RunnerError("next_done: expected a pending unit, found none; submit one first")


class InProcessRunner(Runner):
    """Runs one unit after the other in this process, when its result is asked for.

    There is no deadline: a signal cannot interrupt a training, since Python handles it only once
    TensorFlow returns. A unit that ends the process ends the campaign.
    """

    slots: int = 1

    def __init__(self) -> None:
        self._shared: dict[str, Arrays] = {}
        self._queue: deque[Unit] = deque()

    def share(self, name: str, arrays: Arrays) -> None:
        """Make arrays available to later units under a name."""
        self._shared[name] = read_only(arrays)

    def submit(self, unit: Unit) -> None:
        """Queue a unit."""
        check_submission(
            unit, any(unit.key == other.key for other in self._queue), unit.shared in self._shared
        )
        self._queue.append(unit)

    def pending(self) -> int:
        """How many units are queued."""
        return len(self._queue)

    def next_done(self) -> Done:
        """Run the unit that was submitted first."""
        if not self._queue:
            raise nothing_pending()
        unit = self._queue.popleft()
        value: Any = None
        failure: Failure | None = None
        started = time.perf_counter()
        try:
            value = resolve_work(unit.work)(copy.deepcopy(unit.payload), self._shared[unit.shared])
        except MemoryError as error:
            failure = Failure("out_of_memory", f"MemoryError: {error}")
        except Exception as error:
            raise work_error(unit, error) from error
        wall_s = time.perf_counter() - started
        return Done(unit, value, failure, 1, f"local/{os.getpid()}", wall_s)

    def cancel(self) -> None:
        """Forget the queue."""
        self._queue.clear()

    def close(self) -> None:
        """Forget the queue and the shared arrays."""
        self.cancel()
        self._shared.clear()
