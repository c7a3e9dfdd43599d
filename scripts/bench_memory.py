#!/usr/bin/env python
"""Resident memory of a campaign: the largest of its workers, and the growth of its driver.

Runs `faultloom generate` with as few trainings per mutant as the statistics allow, on a Ray
cluster of its own, twice: with few mutants and with many. Looks at the processes twice a second.
The driver's row compares its largest memory, verdicts and compaction included, of the two.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from faultloom.datasets.corpus import reader

SUBJECTS = ("digits-mlp", "diabetes-mlp", "breast-cancer-mlp", "digits-lstm", "digits-deep")
WORKER_MB, GROWTH = 2000.0, 1.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="fewer mutants, within a minute")
    options = parser.parse_args()
    subjects = SUBJECTS[:1] if options.quick else SUBJECTS
    few, _, small = measure(subjects, 1 if options.quick else 2)
    many, worker, large = measure(subjects, 4 if options.quick else 12)
    rows = [
        _row(f"largest worker over {many} mutants", worker, "MB", WORKER_MB),
        _row(f"driver: largest at {many} mutants over {few} mutants", large / small, "x", GROWTH),
    ]
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    for row in rows:
        verdict = "met" if row["met"] else "missed"
        value, unit, target = row["ours"], row["unit"], row["target"]
        sys.stdout.write(f"{row['what']}: {value:.2f} {unit} (at most {target:g}): {verdict}\n")


def measure(subjects: tuple[str, ...], limit: int) -> tuple[int, float, float]:
    """The number of mutants, and the largest memory of a worker and of the driver, in MB."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        command = ["faultloom", "generate", *subjects, "--out", str(corpus), "--seed", "1"]
        command += ["--clean-replicates", "3", "--faulty-replicates", "2", "--keep-models", "2"]
        command += ["--criterion", "welch", "--limit", str(limit)]
        campaign = subprocess.Popen(
            [str(Path(sys.executable).parent / command[0]), *command[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        driver = worker = 0.0
        while campaign.poll() is None:
            driver = max(driver, _resident_mb(campaign.pid))
            worker = max([worker, *map(_resident_mb, _workers())])
            time.sleep(0.5)
        if campaign.returncode != 0:
            sys.exit(f"the campaign ended with exit code {campaign.returncode}")
        mutants = reader.read(corpus, "mutants", columns=["mutant_id"]).num_rows
    return mutants, worker, driver


def _row(what: str, ours: float, unit: str, target: float) -> dict[str, Any]:
    return {
        "what": what,
        "ours": ours,
        "theirs": None,
        "unit": unit,
        "ratio": None,
        "target": target,
        "better": "lower",
        "met": ours <= target,
    }


def _workers() -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(b"ray::"):
                yield int(folder.name)
        except OSError:  # it ended meanwhile
            continue


def _resident_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
