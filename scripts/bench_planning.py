"""Planning speed: all operators at all sites of a program with a hundred layers.

Run it with ``python scripts/bench_planning.py [--layers 100] [--json] [--quick]``. The time is
that of planning every mutant, with its ground truth and the search for equivalence, as
``faultloom plan`` does it; the target is five seconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator

from faultloom.datasets.canonical import canonicalize
from faultloom.datasets.capture import Subject
from faultloom.datasets.program import Json
from faultloom.generator.plan import plan_mutants
from faultloom.operators import operators
from faultloom.operators.cases import input_layer, layer, small_program

TARGET_S = 5.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--layers", type=int, default=100)
    options.add_argument("--json", action="store_true")
    options.add_argument("--quick", action="store_true", help="plan once instead of three times")
    chosen = options.parse_args()
    subject = subject_with(chosen.layers)
    codes = tuple(known.code for known in operators())
    times, mutants = [], 0
    for _ in range(1 if chosen.quick else 3):
        begin = time.perf_counter()
        mutants = sum(
            1 for _ in plan_mutants(subject, codes, limit=None, shams=0, seed=0, searched=False)
        )
        times.append(time.perf_counter() - begin)
    seconds = statistics.median(times)
    row = {
        "what": f"planning {mutants} mutants of {chosen.layers} layers",
        "ours": seconds,
        "theirs": None,
        "unit": "s",
        "ratio": seconds / TARGET_S,
        "target": TARGET_S,
        "better": "lower",
        "met": seconds <= TARGET_S,
    }
    if chosen.json:
        print(json.dumps([row], indent=2))
        return
    print(f"{row['what']}: {seconds:.2f} s, target {TARGET_S:g} s, ratio {row['ratio']:.2f}")


def subject_with(count: int) -> Subject:
    """Return a subject whose program is a stack of that many layers."""
    document = small_program().document()
    stack = layer("Sequential", "sequential", layers=[input_layer(8), *layers_of(count)])
    program = canonicalize({**document, "architecture": stack})
    return Subject("deep", program, "", "classification", "evaluate", True, "group", {}, ())


def layers_of(count: int) -> Iterator[Json]:
    """Go through dense layers, each with dropout and batch normalisation, up to the output."""
    for position in range(count - 1):
        kind = position % 3
        if kind == 0:
            yield layer("Dense", f"dense_{position + 1}", units=8, activation="relu")
        elif kind == 1:
            yield layer("Dropout", f"dropout_{position + 1}", rate=0.5)
        else:
            yield layer("BatchNormalization", f"batch_normalization_{position + 1}")
    yield layer("Dense", f"dense_{count}", units=3, activation="softmax")


if __name__ == "__main__":
    main()
