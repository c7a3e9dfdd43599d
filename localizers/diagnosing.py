"""What a worker does to evaluate: make the cases of one program and put them to localisers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any, get_args

from ..datasets.arrays import Array
from ..datasets.corpus.models import decode
from ..datasets.program import TrainingProgram
from .base import Case, Diagnosis, Localizer, Status
from .cases import make_case
from .registry import LOCALIZERS

WORK = f"{__name__}:diagnose"


def diagnose(payload: Mapping[str, Any], arrays: Mapping[str, Array]) -> list[dict[str, Any]]:
    """Diagnose the kept runs of one program.

    Args:
        payload: ``program`` (text), ``task``, ``localizers`` (names), ``models`` (rows of the
            table ``models``) and ``seed`` (of the case ids).
        arrays: the subject's arrays by hash.

    Returns:
        rows of the table ``diagnoses`` without the keys of the mutant.
    """
    program = TrainingProgram(payload["program"])
    rows = []
    for model in payload["models"]:
        case_id = uuid.uuid5(uuid.NAMESPACE_OID, f"{payload['seed']}/{model['run_id']}").hex
        case = make_case(program, decode(model), arrays, payload["task"], case_id)
        for name in payload["localizers"]:
            localizer: Localizer = LOCALIZERS.create(name)
            diagnosis = attempt(localizer, case)
            rows.append(
                {
                    "localizer": name,
                    "version": localizer.version,
                    "case_id": case_id,
                    "run_id": model["run_id"],
                    "status": diagnosis.status,
                    "reason": diagnosis.reason or None,
                    "suspects": [
                        {
                            "fault_type": suspect.fault_type,
                            "layer": None if suspect.layer is None else str(suspect.layer),
                            "neurons": suspect.neurons and list(suspect.neurons),
                            "score": suspect.score,
                        }
                        for suspect in diagnosis.suspects
                    ],
                    "wall_s": diagnosis.wall_s,
                    "mode": localizer.modes[0] if localizer.modes else None,
                }
            )
    return rows


def attempt(localizer: Localizer, case: Case) -> Diagnosis:
    """Diagnose a case, timed from outside.

    What the localiser raises, or answers outside its contract, is an honest ``failed``.
    """
    start = time.perf_counter()
    try:
        found = localizer.localize(case)
        _check(found, len(case.layers))
    except Exception as error:
        found = Diagnosis("failed", (), f"{type(error).__name__}: {error}")
    return Diagnosis(found.status, found.suspects, found.reason, time.perf_counter() - start)


def _check(found: Any, n_layers: int) -> None:
    if not isinstance(found, Diagnosis):
        raise TypeError(f"expected a Diagnosis, received {type(found).__name__}")
    if found.status not in get_args(Status):
        raise ValueError(f"expected a status of {get_args(Status)}, received {found.status!r}")
    for suspect in found.suspects:
        if suspect.layer is not None and not 0 <= suspect.layer < n_layers:
            raise ValueError(f"expected layers below {n_layers}, received {suspect.layer}")
