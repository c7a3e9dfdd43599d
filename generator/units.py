"""What a worker trains in one go, and the identity of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..datasets.program import Json, TrainingProgram, content_hash


@dataclass(frozen=True)
class Order:
    """Runs of one program.

    Args:
        program: canonical text.
        role: clean, sham or faulty.
        mutant_id: None for the clean program.
        operator: operator code, None for the clean program.
        first: first run.
        runs: number of runs.
        salt: set for SHAM, whose runs differ from the clean ones by it alone.
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
        data_group: of the subject.
        orders: what to train.
    """

    subject: str
    seed: int
    keep_models: int
    judge: Json
    data_group: str
    orders: tuple[Order, ...]

    @property
    def key(self) -> str:
        """Content hash: the name of the unit's staging file."""
        return content_hash(asdict(self))

    def payload(self) -> Json:
        """Return the batch as JSON data, for a worker."""
        return asdict(self)

    @classmethod
    def of(cls, payload: Any) -> Batch:
        """Return the batch of a payload."""
        orders = tuple(Order(**order) for order in payload["orders"])
        return cls(**{**payload, "orders": orders})


def run_id(program: TrainingProgram, seed: int, k: int, salt: str, environment_id: str) -> str:
    """Return the identity of a training; equal identities mean bit-identical results."""
    return content_hash([program.program_id, seed, k, salt, environment_id])


def chunks(orders: Sequence[Order], trainings: int) -> Iterator[tuple[Order, ...]]:
    """Group orders in sequence so that a group has at most that many trainings, if it can."""
    group: list[Order] = []
    size = 0
    for order in orders:
        if group and size + order.runs > trainings:
            yield tuple(group)
            group, size = [], 0
        group.append(order)
        size += order.runs
    if group:
        yield tuple(group)
