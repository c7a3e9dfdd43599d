"""Trained weights as safetensors bytes, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ..arrays import Array
from ..errors import CorpusError


def encode(weights: Sequence[Array]) -> bytes:
    """Write weights, in Keras's order, as safetensors bytes."""
    named = {f"{number:04d}": np.ascontiguousarray(w) for number, w in enumerate(weights)}
    return bytes(save(named))


def decode(row: Mapping[str, Any]) -> list[Array]:
    """Return the weights of a row of the table ``models``, in Keras's order.

    Raises:
        CorpusError: the bytes are not what the row says they are.
    """
    blob = row["weights"]
    received = hashlib.sha256(blob).hexdigest()
    if received != row["sha256"]:
        raise CorpusError(
            f"model of run {row['run_id']}: expected weights with SHA-256 {row['sha256']}; "
            f"received {received}; fetch the file again"
        )
    try:
        named = load(blob)
    except SafetensorError as error:
        raise CorpusError(f"model of run {row['run_id']}: not safetensors: {error}") from error
    return [named[name] for name in sorted(named)]
