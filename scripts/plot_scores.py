#!/usr/bin/env python
"""Draw what `faultloom evaluate CORPUS --json` prints: hit@1 and hit@3 with their intervals.

faultloom evaluate demo-corpus --json | scripts/plot_scores.py scores.svg
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
mpl.rcParams |= {"svg.hashsalt": "faultloom", "svg.fonttype": "none", "font.family": "sans-serif"}

from matplotlib import pyplot as plt  # noqa: E402

COLUMNS = ("hit@1", "hit@3")
LOCALIZER, BASELINE, BOUND = "#c0392b", "#7f8c8d", "#d5d8dc"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("picture", type=Path, help="file to write; its ending says the format")
    parser.add_argument(
        "--localizers", default="guider", help="names to stand out, with commas between them"
    )
    options = parser.parse_args()
    draw(json.load(sys.stdin)["summary"], options.localizers.split(","), options.picture)


def draw(rows: list[dict[str, Any]], localizers: list[str], picture: Path) -> None:
    rows = [row for row in rows if "(" not in row["localizer"]][::-1]
    names = [row["localizer"] for row in rows]
    colours = [
        LOCALIZER if name in localizers else BOUND if name == "oracle-prior" else BASELINE
        for name in names
    ]
    figure, panels = plt.subplots(1, len(COLUMNS), figsize=(9, 0.32 * len(rows) + 1.1), sharey=True)
    for panel, column in zip(panels, COLUMNS, strict=True):
        values = [row[column]["value"] or 0.0 for row in rows]
        lows = [row[column]["low"] for row in rows]
        highs = [row[column]["high"] for row in rows]
        panel.barh(names, values, color=colours, height=0.7)
        for place, (low, high) in enumerate(zip(lows, highs, strict=True)):
            if low is not None:
                panel.plot([low, high], [place, place], color="#2c3e50", linewidth=1.4)
        counts = rows[-1][column]
        panel.set_title(
            f"{column}: {counts['n_mutants']} mutants, {counts['n_cases']} models", fontsize=10
        )
        panel.set_xlim(0, 1)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(axis="y", length=0)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None} if picture.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
