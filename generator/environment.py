"""The environment class: what results may depend on beside program, data and seeds."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path

from ..datasets.program import Json, content_hash


def environment() -> dict[str, Json]:
    """Return this process's environment class as a row of the table of that name.

    Runs are bit-identical within one class; `environment_id` is a hash of the other columns.
    """
    row: dict[str, Json] = {
        name: version(name) for name in ("tensorflow", "keras", "numpy", "ray", "faultloom")
    }
    row |= {
        "python": platform.python_version(),
        "cpu": _processor(),
        "gpu": None,
        "instruction_set": _instruction_set(),
        "threads": 1,
        "flags": json.dumps(
            {"TF_ENABLE_ONEDNN_OPTS": os.environ.get("TF_ENABLE_ONEDNN_OPTS", "1")}
        ),
    }
    return {"environment_id": content_hash(row), **row}


def _cpuinfo(field: str) -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return ""


def _processor() -> str:
    return _cpuinfo("model name") or platform.machine()


def _instruction_set() -> str:
    flags = set(_cpuinfo("flags").split())
    wide = ("avx512f", "avx2", "avx", "sse4_2")
    return next((name for name in wide if name in flags), platform.machine())
