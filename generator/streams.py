"""Random streams: every draw of a run comes from a seed that names what it is for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

Stream = Literal["init", "shuffle", "dropout", "data", "sampling"]


@dataclass(frozen=True)
class Streams:
    """The random streams of run k of a campaign.

    A mutant's id is never part of a seed, so run k of a mutant shares with run k of its clean
    program every stream that the mutation leaves alone.

    Args:
        campaign_seed: seed of the campaign.
        k: number of the run.
        salt: empty but for SHAM runs, whose only difference is this salt, and for trials.
    """

    campaign_seed: int
    k: int
    salt: str = ""

    def seed(self, stream: Stream, key: str) -> int:
        """Return the seed (below 2**63) of one use of a stream."""
        text = f"{self.campaign_seed}\0{self.k}\0{self.salt}\0{stream}\0{key}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1

    def keras_seed(self, stream: Stream, key: str) -> int:
        """Return a seed in the range that Keras's seed generators take (below 2**31)."""
        return self.seed(stream, key) >> 32

    def generator(self, stream: Stream, key: str) -> np.random.Generator:
        """Return a NumPy generator for one use of a stream."""
        return np.random.default_rng(self.seed(stream, key))
