"""The shards of a corpus: where they are, what they hold, and reading them."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import CorpusError
from .schema import SCHEMA_VERSION, SCHEMAS, SPLITS

UNITS_NAME = "_compacted.json"
DATA, FRESH, OLD = "data", ".data.new", ".data.old"
_SHARD = re.compile(r"(\w+)-(\d{5})-of-(\d{5})\.parquet")


def folder(root: Path) -> Path:
    """Return the folder of the shards; a killed swap leaves them under another name."""
    data, old = root / DATA, root / OLD
    return old if old.is_dir() and not data.is_dir() else data


def exist(root: Path) -> bool:
    """Return whether there are shards."""
    return folder(root).is_dir()


def units(root: Path) -> frozenset[str] | None:
    """Return the units whose rows are in the shards; None where there are no shards.

    Raises:
        CorpusError: the list of units cannot be read.
    """
    if not exist(root):
        return None
    path = folder(root) / UNITS_NAME
    try:
        names = json.loads(path.read_text(encoding="utf-8"))["units"]
        return frozenset(str(name) for name in names)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorpusError(
            f"cannot read {path}: {error!r}; expected the list of units that compaction writes; "
            "restore the file"
        ) from error


def units_record(names: frozenset[str]) -> bytes:
    """Return what the list of units holds."""
    record = {"schema_version": SCHEMA_VERSION, "units": sorted(names)}
    return json.dumps(record, sort_keys=True).encode()


def paths(root: Path, table: str) -> list[Path]:
    """Return the shards of a table in order.

    Raises:
        CorpusError: a shard is missing.
    """
    place = folder(root) / table
    found: dict[str, dict[int, Path]] = {}
    totals: dict[str, int] = {}
    for path in place.glob("*.parquet"):
        if match := _SHARD.fullmatch(path.name):
            found.setdefault(match[1], {})[int(match[2])] = path
            totals[match[1]] = max(totals.get(match[1], 0), int(match[3]))
    for split, shards in found.items():
        if split not in SPLITS or sorted(shards) != list(range(totals[split])):
            raise CorpusError(
                f"{place} holds {len(shards)} of {totals[split]} shards of the split {split!r}; "
                "expected all; restore the missing files"
            )
    if not found:
        raise CorpusError(
            f"{place} holds no shards; expected at least one; restore the files or compact again"
        )
    return [
        found[split][index] for split in SPLITS if split in found for index in range(totals[split])
    ]


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise CorpusError(
            f"cannot read {path}: {error}; expected a Parquet file as it was written; restore "
            "the file or, where all its units are in staging, delete the data folder and "
            "compact again"
        ) from error


def n_groups(path: Path) -> int:
    """Return the number of row groups of a shard."""
    with _readable(path):
        return int(pq.read_metadata(path).num_row_groups)


def load(path: Path, group: int, table: str) -> pa.Table:
    """Return one row group of a shard."""
    _check_schema(path, table)
    with _readable(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        return file.read_row_group(group)


def read(path: Path, table: str, columns: list[str], expression: Any) -> pa.Table:
    """Return the named columns of the rows of a shard that pass the filter."""
    _check_schema(path, table)
    with _readable(path):
        return pq.read_table(
            path,
            columns=columns,
            filters=expression,
            page_checksum_verification=True,
            partitioning=None,
        )


def _check_schema(path: Path, table: str) -> None:
    with _readable(path):
        stored = pq.read_schema(path)
    version = (stored.metadata or {}).get(b"schema_version", b"none").decode()
    if version != SCHEMA_VERSION or not stored.equals(SCHEMAS[table]):
        raise CorpusError(
            f"{path} is in another schema; expected version {SCHEMA_VERSION!r}, received "
            f"{version!r}; read it with the release that wrote it"
        )
