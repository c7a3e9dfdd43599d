"""Commands that only say what there is start fast: no TensorFlow, Keras or Ray."""

import subprocess
import sys

import pytest

HEAVY = ("tensorflow", "keras", "ray")
# SystemExit is what the command line ends with.
CODE = f"""
import sys
from faultloom.generator.cli.app import main
sys.argv = ["faultloom", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
heavy = [name for name in {HEAVY!r} if name in sys.modules]
assert not heavy, heavy
"""
COMMANDS = [
    "generate",
    "evaluate",
    "plan",
    "status",
    "scores",
    "capture",
    "subjects",
    "operators",
    "localizers",
]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        *([command, "--help"] for command in COMMANDS),
        ["subjects"],
        ["operators", "--json"],
        ["localizers", "--json"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout
