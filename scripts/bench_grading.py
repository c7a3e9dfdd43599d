#!/usr/bin/env python
"""Time the grading of many mutants at once, and against the criterion's own `decide`, one by one.

Nothing is trained: the scores are random, 20 runs a mutant, each with a clean program of its own
(20 runs; 40 for `sequential`); some mutants are tied, some diverge. One by one is timed on a
sample, in turn with grading at once; the ratio is that of their rates, the median over the turns.
`mann-whitney` is timed where the package has it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from faultloom.generator.killing import CRITERIA, Criterion, criterion
from faultloom.generator.killing.many import grade

NAMES = ("deepcrime", "welch", "mann-whitney", "sequential")
SECONDS, RATIO, RUNS = 60.0, 10.0, 20


def scores(rule: Criterion, mutants: int, seed: int = 7) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    clean = rng.normal(0.9, 0.01, (mutants, rule.n_clean))
    shift = rng.choice([0.0, 0.005, 0.01, 0.03], (mutants, 1))
    faulty = rng.normal(0.9, 0.01, (mutants, RUNS)) - shift
    for side in (clean, faulty):
        side[::4] = np.round(side[::4] * 360) / 360
    faulty[(rng.random(faulty.shape) < 0.3) & (rng.random((mutants, 1)) < 0.05)] = np.nan
    return clean, faulty


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(name: str, mutants: int, sample: int, turns: int) -> list[dict[str, Any]]:
    rule = criterion(name, n_faulty=RUNS)
    clean, faulty = scores(rule, mutants)
    pairs = list(zip(clean[:sample].tolist(), faulty[:sample].tolist(), strict=True))
    grade(rule, clean[:sample], faulty[:sample], higher_is_better=True)
    times, rates = [], []
    for _ in range(turns):
        ours = timed(lambda: grade(rule, clean, faulty, higher_is_better=True))
        theirs = timed(lambda: [rule.decide(*pair, higher_is_better=True) for pair in pairs])
        times.append(ours)
        rates.append((mutants / ours, sample / theirs))
    seconds = statistics.median(times)
    ratio = statistics.median(ours / theirs for ours, theirs in rates)
    size = f"{mutants} mutants x {rule.n_clean + RUNS} runs"
    return [
        {
            "what": f"{name}: {size}",
            "ours": seconds,
            "theirs": None,
            "unit": "s",
            "ratio": None,
            "target": SECONDS,
            "better": "lower",
            "met": seconds <= SECONDS,
        },
        {
            "what": f"{name}: at once vs one by one",
            "ours": statistics.median(rate for rate, _ in rates),
            "theirs": statistics.median(rate for _, rate in rates),
            "unit": "mutants/s",
            "ratio": ratio,
            "target": RATIO,
            "better": "higher",
            "met": ratio >= RATIO,
        },
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    parser.add_argument("--quick", action="store_true", help="10,000 mutants, one turn")
    options = parser.parse_args()
    mutants, sample, turns = (10_000, 1000, 1) if options.quick else (100_000, 5000, 5)
    names = [name for name in NAMES if name in CRITERIA]
    rows = [row for name in names for row in compare(name, mutants, sample, turns)]
    if options.json:
        print(json.dumps(rows))
        return
    print(f"{'what':46} {'ours':>12} {'theirs':>12} {'unit':10} {'ratio':>7} {'target':>7}  met")
    for row in rows:
        theirs, ratio = (
            "-" if row[key] is None else f"{row[key]:.1f}" for key in ("theirs", "ratio")
        )
        print(
            f"{row['what']:46} {row['ours']:12.1f} {theirs:>12} {row['unit']:10} {ratio:>7} "
            f"{row['target']:7.0f}  {'yes' if row['met'] else 'no'}"
        )


if __name__ == "__main__":
    main()
