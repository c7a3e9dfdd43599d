"""Cases decided before any test is computed: too few runs, diverged runs, no variance."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ...datasets.errors import ConfigError
from .base import Criterion, Decision, Status, Verdict
from .effect import cohens_d, is_constant, pooled_variance, rescale


@dataclass(frozen=True)
class Samples:
    """Scores fit for a test: finite, in one exact unit, larger = worse, not all one value."""

    clean: tuple[float, ...]
    faulty: tuple[float, ...]
    note: str

    @property
    def effect_size(self) -> float:
        """Cohen's d, positive where the faulty program is worse."""
        return cohens_d(self.clean, self.faulty, higher_is_better=False)

    def verdict(
        self,
        criterion: Criterion,
        p: float,
        *,
        killed: bool,
        reason: str,
        status: Status = "ok",
    ) -> Verdict:
        """Return the answer of a criterion on these samples, with what was done to them."""
        return Verdict(
            criterion=criterion.name,
            decision="killed" if killed else "survived",
            status=status,
            p_value=p,
            effect_size=self.effect_size,
            alpha=criterion.alpha,
            n_clean=len(self.clean),
            n_faulty=len(self.faulty),
            reason=reason + self.note,
        )


def settle(
    criterion: Criterion,
    clean: Sequence[float],
    faulty: Sequence[float],
    *,
    higher_is_better: bool,
    n_faulty: int | None = None,
) -> Verdict | Samples:
    """Give the verdict of a degenerate case, else the samples to test.

    Only the first runs that the criterion wants, or `n_faulty` of them, are looked at. Clean
    scores that are not finite raise ConfigError. A faulty score that is not finite is a diverged
    run: from half of the runs on the mutant is killed; below that each counts as the worst score
    seen on either side.
    """
    wanted = criterion.n_faulty if n_faulty is None else n_faulty
    left = [float(v) for v in clean[: criterion.n_clean]]
    right = [float(v) for v in faulty[:wanted]]

    def verdict(
        decision: Decision, status: Status, p: float | None, d: float | None, reason: str
    ) -> Verdict:
        return Verdict(
            criterion=criterion.name,
            decision=decision,
            status=status,
            p_value=p,
            effect_size=d,
            alpha=criterion.alpha,
            n_clean=len(left),
            n_faulty=len(right),
            reason=reason,
        )

    if len(left) < criterion.n_clean or len(right) < wanted:
        reason = (
            f"wants {criterion.n_clean} clean and {wanted} faulty runs, "
            f"has {len(left)} and {len(right)}"
        )
        return verdict("too_few_runs", "too_few_runs", None, None, reason)
    _refuse_diverged_clean(criterion.name, left)

    diverged = sum(not math.isfinite(v) for v in right)
    if 2 * diverged >= len(right):
        reason = f"{diverged} of {len(right)} faulty runs diverged"
        return verdict("killed", "degenerate", None, None, reason)
    note = ""
    if diverged:
        seen = left + [v for v in right if math.isfinite(v)]
        worst = min(seen) if higher_is_better else max(seen)
        right = [v if math.isfinite(v) else worst for v in right]
        note = f"; {diverged} diverged runs count as the worst score {worst:g}"

    sign = -1.0 if higher_is_better else 1.0
    samples = Samples(*rescale([sign * v for v in left], [sign * v for v in right]), note=note)
    if not _without_variance(samples):
        return samples
    d = samples.effect_size
    if d == 0.0:
        return verdict("survived", "degenerate", 1.0, 0.0, "all scores are equal" + note)
    if d > 0.0:
        return verdict("killed", "degenerate", 0.0, d, "no variance, faulty is worse" + note)
    return verdict("survived", "degenerate", 1.0, d, "no variance, faulty is better" + note)


def _without_variance(samples: Samples) -> bool:
    """Whether neither sample varies beyond rounding, in the unit that both share."""
    if is_constant(samples.clean) and is_constant(samples.faulty):
        return True
    # a subnormal variance would vanish once divided by the number of runs
    return pooled_variance(samples.clean, samples.faulty) < sys.float_info.min


def _refuse_diverged_clean(name: str, clean: Sequence[float]) -> None:
    for k, value in enumerate(clean):
        if not math.isfinite(value):
            raise ConfigError(
                f"criterion {name!r}: expected finite scores of the clean program, received "
                f"{value} in clean run {k}: a clean program that diverges is no reference; "
                "repair the subject or leave it out"
            )
