"""Train a mutant from look to look, and no further than the decision needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from .killing import Criterion

Result = TypeVar("Result")


def until_decided(
    train: Callable[[int, int], Sequence[Result]],
    score: Callable[[Result], float],
    rule: Criterion,
    clean: Sequence[float] | None,
    before: Sequence[float],
    *,
    higher_is_better: bool,
) -> list[Result]:
    """Return the results of the runs that it takes to decide a mutant.

    Args:
        train: trains runs from the first number to before the second.
        score: judge metric of a result.
        rule: that decides.
        clean: judge metric of the clean runs; None is not known, then one look is trained.
        before: judge metric of the runs that there are already.
        higher_is_better: direction of the metric.
    """
    results: list[Result] = []
    scores = list(before)
    for look in rule.looks:
        if look <= len(before):
            continue
        results.extend(train(len(scores), look))
        scores = [*before, *map(score, results)]
        if clean is None:
            break
        verdict = rule.decide(clean, scores, higher_is_better=higher_is_better)
        if verdict.decision != "too_few_runs":
            break
    return results


def next_look(rule: Criterion, runs: int) -> int:
    """Return the number of runs at the first look after that many runs."""
    return next(look for look in rule.looks if look > runs)
