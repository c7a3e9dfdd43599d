"""The simulation of the criteria as a user runs it, small."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "simulate_killing.py"


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--campaigns", "150", "--pools", "4", "--mutants", "50"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


def cells(text: str) -> list[list[str]]:
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [line for line in lines if set("".join(line)) - set("-: ")]


def test_tables_picture_and_findings(tmp_path: Path) -> None:
    picture = tmp_path / "power.svg"
    done = simulate("--markdown", "--plot", str(picture), "--seed", "3")
    assert done.returncode == 0, done.stderr
    rows = {(row[0], row[1]): row for row in cells(done.stdout)}
    killed = rows["scores", "d"].index("sequential")
    assert float(rows["normal", "0"][killed]) < 0.1 < float(rows["normal", "0.5"][killed])
    assert float(rows["normal", "3"][killed]) == 1.0
    assert rows["normal", "3"][killed + 1] == "4.0"
    assert len([row for row in rows if row[1] == "0"]) == 8
    assert ("sequential", "20") in rows and ("deepcrime", "40") in rows
    assert done.stdout.count("sequential, largest") == 2
    assert "<svg" in picture.read_text(encoding="utf-8")
    assert simulate("--markdown", "--seed", "3").stdout == done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--campaigns", "0"), "expected a whole number of at least 1, received 0"),
        (("--plot", "no/such/folder/p.svg"), "expected a file in a folder that exists"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    done = simulate(*arguments)
    assert done.returncode == 2 and message in done.stderr
    assert "Traceback" not in done.stderr
