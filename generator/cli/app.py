"""The front door: commands by name, and errors as one line with an exit code."""

from __future__ import annotations

import logging
import os
import sys

import typer

from ...datasets.errors import FaultloomError
from . import capture, evaluate, generate, lists, plan, scores, status

app = typer.Typer(
    name="faultloom",
    help="Benchmarks of faulty deep-learning models with known faults, and a bench for the "
    "tools that look for them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for module in (capture, lists, plan, generate, status, scores, evaluate):
    module.register(app)


def main() -> None:
    """Run the command line."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    try:
        app()
    except FaultloomError as error:
        sys.stderr.write(f"faultloom: {' '.join(str(error).split())}\n")
        sys.exit(error.exit_code)
    except OSError as error:
        sys.stderr.write(f"faultloom: {error}; finished work is intact; run it again to resume\n")
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
