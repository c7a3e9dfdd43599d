"""Run a Keras script with ``compile``, ``fit`` and ``evaluate`` intercepted.

``python -m faultloom.datasets.capture.recorder SCRIPT OUT [--name NAME] [--fit N] [--test FILE]
-- ARGS`` does so in this process and ends it; `faultloom.datasets.capture.capture` starts that.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ..arrays import Array
from ..errors import FaultloomError
from .launch import ERROR_MARK
from .recording import Recorder
from .subject import Subject, check_free, save_subject

AFTER_FIT_S = 20.0
"""Seconds that a script runs on after its fit, in search of held-out data."""


def record(
    script: Path,
    *,
    name: str | None = None,
    args: Sequence[str] = (),
    fit: int | None = None,
    test: Path | None = None,
) -> tuple[Subject, dict[str, Array]]:
    """Record a script in this process, without a time limit; see `capture` for the arguments."""
    recorder = Recorder(script.resolve(), fit)
    recorder.run(args)
    return recorder.subject(name, test)


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Record a script, write the subject and end the process."""
    parser = argparse.ArgumentParser(prog="python -m faultloom.datasets.capture.recorder")
    parser.add_argument("script", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name")
    parser.add_argument("--fit", type=int)
    parser.add_argument("--test", type=Path)
    own, args = _split(list(sys.argv[1:] if argv is None else argv))
    options = parser.parse_args(own)
    out, test = options.out.absolute(), options.test and options.test.absolute()
    recorder = Recorder(options.script.resolve(), options.fit)
    writing = threading.Lock()

    def finish() -> NoReturn:
        with writing:  # never given up: the process ends here
            try:
                save_subject(*recorder.subject(options.name, test), out)
            except FaultloomError as error:
                _end(error)
            _end(None)

    def start_timer() -> None:
        timer = threading.Timer(AFTER_FIT_S, finish)
        timer.daemon = True
        timer.start()

    recorder.on_fit = start_timer
    try:
        check_free(out)
        recorder.run(args)
    except FaultloomError as error:
        _end(error)
    finish()


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at + 1 :]


def _end(error: FaultloomError | None) -> NoReturn:
    if error is not None:
        sys.stderr.write(f"\n{ERROR_MARK}{' '.join(str(error).split())}\n")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0 if error is None else error.exit_code)


if __name__ == "__main__":
    main()
