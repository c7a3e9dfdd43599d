"""Time GUIDER diagnoses against a plain per-neuron, per-test loop that computes the same scores.

Nothing is trained: the case is synthetic, 10 layers of 200 neurons, 500 tests. The two are timed
in turn, ours as the mean of 20 diagnoses in a row (warm; a first one, right after the loop, takes
about twice as long); the ratio of a turn is theirs / ours, and the median ratio is reported. The
second row gives the loop its activations as Python lists, converted outside the timing.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from faultloom.localizers.base import Case, LayerInfo
from faultloom.localizers.guider import Guider

N_LAYERS, WIDTH, N_TESTS, N_CLASSES = 10, 200, 500, 10
REPEATS, TARGET = 20, 100.0


def synthetic_case(seed: int = 7) -> tuple[Case, list[Any]]:
    rng = np.random.default_rng(seed)
    outputs = [rng.normal(size=(N_TESTS, WIDTH)).astype(np.float32) for _ in range(N_LAYERS)]
    predictions = rng.dirichlet(np.ones(N_CLASSES), N_TESTS).astype(np.float32)
    labels = rng.integers(0, N_CLASSES, N_TESTS)
    right = rng.random(N_TESTS) < 0.7
    labels[right] = predictions[right].argmax(axis=1)
    layers = tuple(LayerInfo(f"layer_{i}", i, "Dense", 1, {}) for i in range(N_LAYERS))
    case = Case("bench", "classification", layers, labels, predictions, outputs.__getitem__)
    return case, outputs


def plain_loop(case: Case, outputs: Sequence[Any], threshold: float = 0.1) -> list[float]:
    """Ochiai and mean x (1 - Gini), neuron by neuron and test by test."""
    n = len(case.predictions)
    raw = [max(float(p) for p in row) for row in case.predictions]
    low, high = min(raw), max(raw)
    weights = [1 + (c - low) / (high - low) for c in raw]
    fails = [int(np.argmax(case.predictions[i])) != int(case.labels[i]) for i in range(n)]
    total_fail = 1e-4 + sum(w for w, fail in zip(weights, fails, strict=True) if fail)
    layer_scores = []
    for layer in outputs:
        scores = []
        for neuron in range(len(layer[0])):
            ef = ep = 0.0
            for test in range(n):
                if layer[test][neuron] > threshold:
                    if fails[test]:
                        ef += weights[test]
                    else:
                        ep += weights[test]
            none = ef == 0 and ep == 0
            scores.append(0.0 if none else ef / math.sqrt(total_fail * (ef + ep)))
        mean = sum(scores) / len(scores)
        spread = 0.0
        for i, a in enumerate(scores):
            for b in scores[:i]:
                spread += abs(a - b)
        layer_scores.append(mean * (1 - spread / (len(scores) ** 2 * mean)))
    return layer_scores


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def compare(what: str, case: Case, outputs: Sequence[Any], turns: int) -> dict[str, Any]:
    guider = Guider()
    guider.localize(case)
    ours, theirs, ratios = [], [], []
    for _ in range(turns):
        slow, expected = timed(lambda: plain_loop(case, outputs))
        fast, diagnoses = timed(lambda: [guider.localize(case) for _ in range(REPEATS)])
        fast /= REPEATS
        scores = [suspect.score for suspect in diagnoses[-1].suspects]
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=0)
        ours.append(fast)
        theirs.append(slow)
        ratios.append(slow / fast)
    ratio = statistics.median(ratios)
    return {
        "what": what,
        "ours": statistics.median(ours),
        "theirs": statistics.median(theirs),
        "unit": "s",
        "ratio": ratio,
        "target": TARGET,
        "better": "higher",
        "met": ratio >= TARGET,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    parser.add_argument("--quick", action="store_true", help="3 turns instead of 9")
    options = parser.parse_args()
    turns = 3 if options.quick else 9
    case, outputs = synthetic_case()
    size = f"{N_LAYERS * WIDTH} neurons x {N_TESTS} tests"
    rows = [
        compare(f"guider vs plain loop over arrays, {size}", case, outputs, turns),
        compare(
            f"guider vs plain loop over lists, {size}", case, [a.tolist() for a in outputs], turns
        ),
    ]
    if options.json:
        print(json.dumps(rows))
        return
    print(f"{'what':58} {'ours':>9} {'theirs':>9} {'ratio':>8} {'target':>7}  met")
    for row in rows:
        print(
            f"{row['what']:58} {row['ours']:8.5f}s {row['theirs']:8.4f}s {row['ratio']:7.1f}x "
            f"{row['target']:6.0f}x  {'yes' if row['met'] else 'no'}"
        )


if __name__ == "__main__":
    main()
