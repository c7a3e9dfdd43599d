"""Writing a corpus: finished units one by one, sorted shards at the end."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import CorpusError
from . import merging, shards, staging
from .schema import SCHEMA_VERSION, SCHEMAS, TABLES

_SHARD_BYTES = 256 << 20
_UNIT = re.compile(r"[A-Za-z0-9_-]{1,128}")
_FULL = (errno.ENOSPC, errno.EDQUOT)
CONFIG_NAME = "corpus.json"


class StagingWriter:
    """Writes each finished unit as one file that is there whole or not at all."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        self._compacted: frozenset[str] | None = None

    def done(self) -> frozenset[str]:
        """Return the hashes of the units that are finished."""
        self._compacted = shards.units(self.root) or frozenset()
        return self._compacted | frozenset(staging.units(self.root))

    def commit(self, unit_hash: str, tables: Mapping[str, list[dict[str, Any]]]) -> bool:
        """Write a unit's rows, durably; return False where the unit was already done.

        Raises:
            CorpusError: rows that do not fit their schema, or a disk that takes no more.
        """
        if not _UNIT.fullmatch(unit_hash):
            raise CorpusError(
                f"cannot name a staging file {unit_hash!r}; expected a hash of letters and digits; "
                "name the unit by its hash"
            )
        if self._compacted is None:
            self._compacted = shards.units(self.root) or frozenset()
        path = staging.path_of(self.root, unit_hash)
        if path.exists() or unit_hash in self._compacted:
            return False
        data = staging.encode(tables)
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_atomic(path, data)
        return True


class _DiskError(CorpusError):
    """The disk, not the corpus, is at fault."""

    exit_code = 3


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Say in one line what could not be written, and that finished work is intact."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _DiskError(
                f"the disk is full: cannot write {path}; finished work is intact; "
                "free some space and run the same command again to resume"
            ) from error
        raise _DiskError(
            f"cannot write {path}: {error.strerror or error}; finished work is intact; "
            "make the folder writable and run the same command again to resume"
        ) from error


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_atomic(path: Path, data: bytes) -> None:
    """Write to a temporary name, sync, rename, sync the folder; never leave a part behind."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)  # noqa: PTH105 - the call that tests break
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def write_corpus_json(root: str | os.PathLike[str], config: Mapping[str, Any]) -> None:
    """Write the resolved configuration and the schema version beside the tables."""
    path = Path(root) / CONFIG_NAME
    record = {"config": dict(config), "schema_version": SCHEMA_VERSION}
    text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomic(path, text.encode())


def read_corpus_json(root: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what `corpus.json` holds.

    Raises:
        CorpusError: it cannot be read, or is of another schema version.
    """
    path = Path(root) / CONFIG_NAME
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(
            f"cannot read {path}: {error}; expected the JSON that this program writes; "
            "restore the file or use another folder"
        ) from error
    version = record.get("schema_version") if isinstance(record, dict) else None
    if version != SCHEMA_VERSION:
        raise CorpusError(
            f"{path} is of another schema version; expected {SCHEMA_VERSION!r}, received "
            f"{version!r}; use another folder or the release that wrote this one"
        )
    return dict(record)


def check_or_create(root: str | os.PathLike[str], config: Mapping[str, Any]) -> dict[str, Any]:
    """Make a new corpus in an empty folder, or accept one; return its stored configuration.

    Raises:
        CorpusError: the folder holds another schema version, or something else than a corpus.
    """
    root = Path(root)
    if (root / CONFIG_NAME).exists():
        return dict(read_corpus_json(root).get("config") or {})
    if root.exists() and not root.is_dir():
        raise CorpusError(
            f"{root} is no folder; expected a corpus or an empty folder, received a file; "
            "name another folder"
        )
    # A temporary file is what a crash before the first corpus.json leaves.
    strangers = sorted(
        path.name
        for path in (root.iterdir() if root.exists() else ())
        if not path.name.startswith(f".{CONFIG_NAME}.")
    )
    if strangers:
        raise CorpusError(
            f"{root} is not a corpus; expected {CONFIG_NAME} or an empty folder, received a "
            f"folder with {strangers[0]!r}; name another folder"
        )
    write_corpus_json(root, config)
    return dict(read_corpus_json(root)["config"])


def compact(root: str | os.PathLike[str], *, drop_staging: bool = False) -> dict[str, int]:
    """Merge all finished units into sorted shards; return the number of rows per table.

    One process at a time. The same rows give the same bytes. Staging files are kept, unless they
    are to be dropped once the shards that hold their rows are durable.

    Raises:
        CorpusError: no units, a file that cannot be read, or a full disk.
    """
    root = Path(root)
    # `data/` is built aside, synced and swapped in whole, with the list of its units inside: rows
    # and list cannot disagree. While staging is complete it is the source of truth; a unit that
    # is only listed has its rows in the shards. Two renames cannot be one step, so after a kill
    # between them the shards are found under their old name (`shards.folder`).
    data, fresh, old = (root / name for name in (shards.DATA, shards.FRESH, shards.OLD))
    staged = staging.units(root)
    units = frozenset(staged) | (shards.units(root) or frozenset())
    if not units:
        raise CorpusError(
            f"{root} has nothing to compact; expected finished units in {staging.folder(root)}, "
            "received none; generate first"
        )
    with disk_errors(data):
        if shards.folder(root) == old:
            os.replace(old, data)  # noqa: PTH105
        for stale in (fresh, old):
            if stale.exists():
                shutil.rmtree(stale)
        try:
            counts = {table: _write_table(root, fresh / table, table) for table in TABLES}
            _write_atomic(fresh / shards.UNITS_NAME, shards.units_record(units))
            _sync(root)
            if data.exists():
                os.replace(data, old)  # noqa: PTH105
            os.replace(fresh, data)  # noqa: PTH105
        except BaseException:
            if old.exists() and not data.exists():
                with contextlib.suppress(OSError):
                    old.rename(data)
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        _sync(root)
        shutil.rmtree(old, ignore_errors=True)
        if drop_staging:
            for unit in staged:
                staging.path_of(root, unit).unlink(missing_ok=True)
    return counts


class _Shard:
    """A shard that is being written."""

    def __init__(self, path: Path, table: str) -> None:
        schema = SCHEMAS[table]
        texts: Any = [
            field.name
            for field in schema
            if pa.types.is_dictionary(field.type) or pa.types.is_string(field.type)
        ]
        self.path = path
        self.size = 0
        self.writer = pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            use_dictionary=texts,
            write_page_index=True,
            write_page_checksum=True,
        )

    def write(self, rows: pa.Table, size: int) -> None:
        self.writer.write_table(rows, row_group_size=max(rows.num_rows, 1))
        self.size += size

    def close(self) -> None:
        self.writer.close()
        _sync(self.path)


def _write_table(root: Path, target: Path, table: str) -> int:
    """Write the shards of a table; an empty table has one empty shard, so that it opens."""
    target.mkdir(parents=True)
    written: dict[str, list[Path]] = {}
    count = 0
    with contextlib.ExitStack() as stack:
        shard: _Shard | None = None
        last = ""
        for split, rows, size in merging.ordered(root, table):
            if shard is None or split != last or shard.size + size > _SHARD_BYTES:
                if shard is not None:
                    shard.close()
                path = target / f"{split}-{len(written.setdefault(split, [])):05d}"
                written[split].append(path)
                shard, last = _Shard(path, table), split
                stack.callback(shard.writer.close)
            shard.write(rows, size)
            count += rows.num_rows
        if shard is None:
            written["train"] = [target / "train-00000"]
            shard = _Shard(written["train"][0], table)
            stack.callback(shard.writer.close)
            shard.write(SCHEMAS[table].empty_table(), 0)
        shard.close()
    # Arrow keeps what it freed for itself; a driver that goes on to train has no use for it.
    pa.default_memory_pool().release_unused()
    for paths in written.values():
        for path in paths:
            path.rename(path.with_name(f"{path.name}-of-{len(paths):05d}.parquet"))
    _sync(target)
    return count
