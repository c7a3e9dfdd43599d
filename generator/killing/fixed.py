"""What criteria share that want all their runs before they decide."""

from abc import abstractmethod
from collections.abc import Sequence

from .base import Criterion, Verdict
from .degenerate import Samples, settle


class FixedSample(Criterion):
    """A criterion with fixed numbers of runs, of which degenerate samples are settled."""

    @property
    def looks(self) -> tuple[int, ...]:
        """One: all runs are wanted before anything is decided."""
        return (self.n_faulty,)

    def decide(
        self, clean: Sequence[float], faulty: Sequence[float], *, higher_is_better: bool
    ) -> Verdict:
        """Decide from the first `n_clean` and `n_faulty` scores."""
        samples = settle(self, clean, faulty, higher_is_better=higher_is_better)
        return samples if isinstance(samples, Verdict) else self.tested(samples)

    @abstractmethod
    def tested(self, samples: Samples) -> Verdict:
        """Decide from samples that are not degenerate."""
