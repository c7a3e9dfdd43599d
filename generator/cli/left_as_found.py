"""A command that fails before any work was stored leaves its folder as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...datasets.errors import FaultloomError


class _Stopped(FaultloomError):
    """Ctrl-C, when there is nothing to resume."""

    exit_code = 130


@contextmanager
def left_as_found(root: Path) -> Iterator[None]:
    """Take back a corpus that the block began if it ends in an error before any unit is stored.

    Otherwise settings of a campaign that never was would bind the next command. A corpus that
    was there before is left alone.

    Args:
        root: folder of the corpus; it need not exist.
    """
    from ...datasets.corpus.writer import CONFIG_NAME, StagingWriter

    missing = [folder for folder in (root, *root.parents) if not folder.exists()]
    begun_before = (root / CONFIG_NAME).exists()
    try:
        yield
    except BaseException as error:
        begun_here = not begun_before and (root / CONFIG_NAME).exists()
        if begun_here and StagingWriter(root).done():
            raise
        if begun_here:
            _remove_beginnings(root)
        for folder in missing:
            with suppress(OSError):  # it holds something else
                folder.rmdir()
        if isinstance(error, KeyboardInterrupt) and not begun_before:
            raise _Stopped(
                "stopped before any work was finished; nothing is kept: run it again to start"
            ) from None
        raise


def _remove_beginnings(root: Path) -> None:
    from ...datasets.corpus import staging
    from ...datasets.corpus.writer import CONFIG_NAME
    from .setup import SUBJECTS

    for folder in (root / SUBJECTS, staging.folder(root)):
        shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        (root / CONFIG_NAME).unlink()
