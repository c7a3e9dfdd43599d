"""The staging files of a corpus: one per finished unit, with its rows of every table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import CorpusError
from .schema import SCHEMA_VERSION, SCHEMAS, SPLITS, TABLES

_STAGED_FIELDS: list[pa.Field[Any]] = [
    pa.field("table", pa.string(), nullable=False),
    pa.field("payload", pa.large_binary(), nullable=False),
]
_STAGED = pa.schema(_STAGED_FIELDS, metadata={"schema_version": SCHEMA_VERSION})


def folder(root: Path) -> Path:
    """Return the folder of the staging files."""
    return root / "staging"


def units(root: Path) -> list[str]:
    """Return the hashes of the finished units, sorted."""
    return sorted(
        path.stem for path in folder(root).glob("*.parquet") if not path.name.startswith(".")
    )


def path_of(root: Path, unit: str) -> Path:
    """Return the path of a unit's staging file."""
    return folder(root) / f"{unit}.parquet"


def check_table(table: str) -> pa.Schema:
    """Return the schema of a table.

    Raises:
        CorpusError: there is no such table.
    """
    if table not in SCHEMAS:
        raise CorpusError(
            f"a corpus has no table {table!r}; expected one of {', '.join(TABLES)}; "
            "use one of these names"
        )
    return SCHEMAS[table]


def to_table(table: str, rows: list[dict[str, Any]]) -> pa.Table:
    """Build the Arrow table of some rows; a column that a row lacks is null.

    Raises:
        CorpusError: an unknown column, a missing required one, or a value of another type.
    """
    schema = check_table(table)
    names = frozenset(schema.names)
    required = [field.name for field in schema if not field.nullable]
    for row in rows:
        if unknown := sorted(row.keys() - names):
            raise CorpusError(
                f"a row of {table} has the unknown column {unknown[0]!r}; expected columns of "
                f"schema version {SCHEMA_VERSION}; remove it or add it to the schema"
            )
        if missing := [name for name in required if row.get(name) is None]:
            raise CorpusError(
                f"a row of {table} lacks {missing[0]!r}; expected a value in "
                f"{', '.join(required)}; give it one"
            )
        if "split" in names and row.get("split") not in (None, *SPLITS):
            raise CorpusError(
                f"a row of {table} has the split {row['split']!r}; expected one of "
                f"{', '.join(SPLITS)}; give it one of these"
            )
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise CorpusError(
            f"rows of {table} do not fit schema version {SCHEMA_VERSION}: {error}; "
            "give each column a value of its type"
        ) from error


def encode(tables: Mapping[str, list[dict[str, Any]]]) -> bytes:
    """Return the bytes of the staging file of a unit."""
    staged: dict[str, list[Any]] = {"table": [], "payload": []}
    for name in sorted(tables):
        rows = to_table(name, tables[name])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        staged["table"].append(name)
        staged["payload"].append(sink.getvalue().to_pybytes())
    out = pa.BufferOutputStream()
    # One row group per table: a reader of one table does not touch the blobs of another.
    pq.write_table(
        pa.table(staged, schema=_STAGED),
        out,
        row_group_size=1,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        write_page_checksum=True,
    )
    return out.getvalue().to_pybytes()


def load(path: Path, table: str) -> pa.Table | None:
    """Return the rows of a table that a staging file holds; None where it holds none.

    Raises:
        CorpusError: the file cannot be read or is in another schema.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            names = file.read(columns=["table"]).column("table").to_pylist()
            if table not in names:
                return None
            payload = file.read_row_group(names.index(table), columns=["payload"])
        with pa.ipc.open_stream(payload.column("payload")[0].as_buffer()) as stream:
            rows = stream.read_all()
    except (OSError, pa.ArrowException, KeyError) as error:
        raise CorpusError(
            f"cannot read {path}: {error}; expected a staging file as it was written; "
            "delete it and run again to repeat this unit"
        ) from error
    if not rows.schema.equals(SCHEMAS[table]):
        raise CorpusError(
            f"{path} holds {table} in another schema; expected schema version {SCHEMA_VERSION}; "
            "read it with the release that wrote it"
        )
    return rows
