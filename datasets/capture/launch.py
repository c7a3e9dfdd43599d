"""Run the recorder on a script in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import RunnerError, SubjectError
from .subject import Subject, check_free, load_subject

TIMEOUT_S = 600
"""Seconds that a script may take to reach its fit."""

ERROR_MARK = "faultloom-capture: "
"""Starts the line of standard error in which the recorder says why it failed."""


def capture(
    script: Path,
    out: Path,
    *,
    name: str | None = None,
    args: Sequence[str] = (),
    fit: int | None = None,
    test: Path | None = None,
) -> Subject:
    """Run an ordinary Keras script, unchanged, and keep what it compiles, fits and evaluates.

    The script runs in its own folder, in its own process, and does not train.

    Args:
        script: the script; it must call ``fit`` once, or `fit` says which call counts.
        out: folder to write; an earlier capture there is replaced.
        name: the subject's name; by default the script's.
        args: command-line arguments of the script.
        fit: which call of ``fit`` counts, from 1.
        test: ``.npz`` file with held-out ``x`` and ``y``, used when the script has none.

    Raises:
        SubjectError: the script cannot serve as a subject; the message says why, in one line.
        RunnerError: the machine, not the script, is at fault: a disk that takes no more.
    """
    _check_text(script)
    check_free(out)
    command = [sys.executable, "-m", f"{__package__}.recorder", str(script.resolve())]
    command += [str(out.absolute())]
    command += ["--name", name] if name is not None else []
    command += ["--fit", str(fit)] if fit is not None else []
    command += ["--test", str(test.absolute())] if test is not None else []
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "Agg"}
    try:
        done = subprocess.run(
            [*command, "--", *args],
            env={**os.environ, **quiet, "KERAS_BACKEND": "tensorflow"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise SubjectError(f"script {script.name}: no fit within {TIMEOUT_S} s") from None
    if done.returncode != 0:
        kind = RunnerError if done.returncode == RunnerError.exit_code else SubjectError
        raise kind(_reason(done.stderr, script.name, done.returncode))
    return load_subject(out)


def _check_text(script: Path) -> None:
    if not script.is_file():
        raise SubjectError(f"script {script}: no such file")
    try:
        script.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        # It is stored as UTF-8, which would contradict a declaration of another encoding.
        raise SubjectError(
            f"script {script}: expected UTF-8; received another encoding; save it as UTF-8"
        ) from error


def _reason(stderr: str, script: str, code: int) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    for line in reversed(lines):
        if line.startswith(ERROR_MARK):
            return line.removeprefix(ERROR_MARK)
    last = lines[-1].strip() if lines else "it said nothing"
    return f"script {script}: its process ended with status {code}; {last}"
