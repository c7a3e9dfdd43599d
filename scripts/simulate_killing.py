#!/usr/bin/env python
"""False kills, power and cost of `sequential` beside criteria with a fixed number of runs.

Nothing is trained: scores are drawn with a known effect size d (in clean standard deviations) from
distributions of several shapes, each campaign with a fresh clean pool. Where d = 0 the table holds
false-kill rates, elsewhere power. A second table is about the pool, which all mutants of a real
campaign share: what share of mutants that are not faulty does one pool kill, over many pools?

scripts/simulate_killing.py --markdown --plot power.svg
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from faultloom.generator.killing import criterion
from killing_campaigns import EFFECTS, NAMES, SCORES, Cell, PoolCell, campaigns, pools

ALPHA, LARGEST_LOSS, LARGE = 0.025, 0.03, 1.0
COLOURS = {
    "deepcrime": "#7f8c8d",
    "welch": "#2980b9",
    "mann-whitney": "#27ae60",
    "sequential": "#c0392b",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--campaigns", type=_count, default=20_000, help="campaigns a cell")
    parser.add_argument("--pools", type=_count, default=1000, help="clean pools of each size")
    parser.add_argument("--mutants", type=_count, default=1000, help="null mutants a pool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a picture, e.g. p.svg")
    options = parser.parse_args()
    if options.plot and not options.plot.absolute().parent.is_dir():
        parser.error(
            f"--plot: expected a file in a folder that exists, received {options.plot}; "
            f"make the folder first"
        )
    cells = list(campaigns(options.campaigns, options.seed))
    shares = list(pools(options.pools, options.mutants, options.seed))
    show = _markdown if options.markdown else _rich
    show(f"Share killed, {options.campaigns} campaigns a cell", *power_table(cells))
    title = f"Null mutants that one pool kills, {options.pools} pools x {options.mutants} mutants"
    show(title, *pool_table(shares))
    print(*findings(cells), sep="\n")
    if options.plot:
        draw(cells, options.plot)


def power_table(cells: Sequence[Cell]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows: share killed by each criterion, mean runs of the sequential one."""
    fixed = {name: criterion(name).n_faulty for name in NAMES if name != "sequential"}
    head = ["scores", "d", *(f"{name} ({n} runs)" for name, n in fixed.items())]
    head += ["sequential", "its runs"]
    rows = []
    for scores in SCORES:
        for d in EFFECTS:
            found = {c.criterion: c for c in cells if (c.scores, c.d) == (scores, d)}
            digits = 4 if d == 0 else 3
            killed = [f"{found[name].killed:.{digits}f}" for name in (*fixed, "sequential")]
            title = SCORES[scores].title
            rows.append([title, f"{d:g}", *killed, f"{found['sequential'].runs:.1f}"])
    return head, rows


def pool_table(shares: Sequence[PoolCell]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows: how the share of killed null mutants varies over pools."""
    head = ["criterion", "clean runs", "mean", "95th percentile", "99th percentile", "largest"]
    rows = [
        [c.criterion, str(c.size), *(f"{v:.3f}" for v in (c.mean, c.high, c.higher, c.worst))]
        for c in shares
    ]
    return head, rows


def findings(cells: Iterable[Cell]) -> list[str]:
    """Say whether `sequential` keeps to its level and to the power of the literal rule."""
    found = {(c.scores, c.d, c.criterion): c for c in cells}
    null = max(
        (found[name, 0.0, "sequential"] for name in SCORES if SCORES[name].is_null_at_zero),
        key=lambda cell: cell.killed,
    )
    kept = null.killed <= ALPHA + 2 * null.error
    loss, name, d = max(
        (found[name, d, "deepcrime"].killed - found[name, d, "sequential"].killed, name, d)
        for name in SCORES
        for d in EFFECTS
        if d >= LARGE
    )
    return [
        f"sequential, largest false-kill rate where only the location could differ: "
        f"{null.killed:.4f} +- {null.error:.4f} ({SCORES[null.scores].title}); "
        f"at most {ALPHA} within two standard errors: {'met' if kept else 'missed'}",
        f"sequential, largest loss of power against deepcrime at d >= {LARGE:g}: {loss:+.3f} "
        f"({SCORES[name].title}, d = {d:g}); "
        f"at most {LARGEST_LOSS:g}: {'met' if loss <= LARGEST_LOSS else 'missed'}",
    ]


def draw(cells: Sequence[Cell], picture: Path) -> None:
    """Draw power, and the runs of the sequential criterion, over the effect size."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams |= {"svg.hashsalt": "faultloom", "svg.fonttype": "none"}
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(
        2, len(SCORES) // 2, figsize=(13, 6), sharex=True, sharey=True, layout="constrained"
    )
    for panel, (key, scores) in zip(panels.flat, SCORES.items(), strict=True):
        twin: Any = panel.twinx()
        for name in NAMES:
            found = [c for c in cells if (c.scores, c.criterion) == (key, name)]
            panel.plot(EFFECTS, [c.killed for c in found], color=COLOURS[name], label=name)
            if name == "sequential":
                runs = [c.runs for c in found]
                twin.plot(EFFECTS, runs, color=COLOURS[name], linestyle=":", label="its runs")
        panel.axhline(ALPHA, color="#d5d8dc", linewidth=1, zorder=0)
        panel.set_title(scores.title, fontsize=10)
        panel.set_ylim(0, 1.02)
        twin.set_ylim(0, 20.4)
        twin.set_yticks(np.arange(0, 21, 5))
    figure.supxlabel("effect size d")
    figure.supylabel("share killed\n(dotted: runs of sequential, right)", fontsize=10)
    panels.flat[0].legend(fontsize=8, loc="lower right")
    figure.savefig(picture, metadata={"Date": None} if picture.suffix == ".svg" else None)


def _markdown(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(f"### {title}\n")
    for line in (head, ["---"] * 2 + ["---:"] * (len(head) - 2), *rows):
        print(f"| {' | '.join(line)} |")
    print()


def _rich(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title)
    for place, name in enumerate(head):
        table.add_column(name, justify="left" if place == 0 else "right")
    for row in rows:
        table.add_row(*row)
    # A pipe or a file has no width of its own.
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, received {text}")
    return int(text)


if __name__ == "__main__":
    main()
