"""What a worker trains in one go, and the identity of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from ..datasets.program import Json, TrainingProgram, content_hash

TRIAL = "trial"
"""Role, and salt, of the runs with which a search tries a value."""


@dataclass(frozen=True)
class Order:
    """Runs of one program.

    Args:
        program: canonical text.
        role: clean, sham, faulty or trial.
        mutant_id: None for the clean program.
        operator: operator code, None for the clean program.
        first: first run.
        runs: largest number of runs; a mutant that is decided earlier has fewer.
        salt: set for SHAM, whose runs differ from the clean ones by it alone, and for trials.
    """

    program: str
    role: str
    mutant_id: str | None
    operator: str | None
    first: int
    runs: int
    salt: str = ""


@dataclass(frozen=True)
class Batch:
    """Orders of one subject that share a graph key, so that they share one trace.

    Args:
        subject: name.
        seed: the campaign's seed.
        keep_models: runs k below this number keep their weights.
        judge: arguments of `scoring.Judge`.
        criterion: ``name``, ``n_clean`` and ``n_faulty`` of the criterion that decides.
        data_group: of the subject.
        orders: what to train.
    """

    subject: str
    seed: int
    keep_models: int
    judge: Json
    criterion: Json
    data_group: str
    orders: tuple[Order, ...]

    @property
    def key(self) -> str:
        """Content hash: the name of the unit's staging file."""
        return content_hash(asdict(self))

    def payload(self) -> Json:
        """Return the batch as JSON data."""
        return asdict(self)

    @classmethod
    def of(cls, payload: Any) -> Batch:
        """Return the batch of a payload."""
        orders = tuple(Order(**order) for order in payload["orders"])
        return cls(**{**payload, "orders": orders})


@dataclass(frozen=True)
class Task:
    """A batch with what is known about it; results are the same without, only slower to come by.

    Args:
        batch: what to train.
        clean: judge metric of the clean runs, or None while they are not complete: then mutants
            are trained up to the criterion's first look only.
        before: judge metric of the runs that a mutant has already, by its id.
    """

    batch: Batch
    clean: tuple[float, ...] | None
    before: Mapping[str, tuple[float, ...]]

    def payload(self) -> Json:
        """Return the task as JSON data, for a worker."""
        return asdict(self)

    @classmethod
    def of(cls, payload: Any) -> Task:
        """Return the task of a payload."""
        clean = payload["clean"]
        return cls(
            Batch.of(payload["batch"]),
            None if clean is None else tuple(clean),
            {name: tuple(scores) for name, scores in payload["before"].items()},
        )


def run_id(program: TrainingProgram, seed: int, k: int, salt: str, environment_id: str) -> str:
    """Return the identity of a training; equal identities mean bit-identical results."""
    return content_hash([program.program_id, seed, k, salt, environment_id])


def chunks(orders: Iterable[Order], size: int) -> Iterator[tuple[Order, ...]]:
    """Cut orders into groups of at most that many, in sequence."""
    rest = iter(orders)
    while group := tuple(islice(rest, size)):
        yield group
