"""The rows of a corpus in one order, whatever files they are in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from . import shards, staging
from .schema import BLOB_TABLES, SORT_KEYS, SPLITS

_GROUP_BYTES = {True: 16 << 20, False: 64 << 20}
_GROUP_ROWS = 100_000
_SOURCES_KEPT = 16


class Group(NamedTuple):
    """The rows of one row group."""

    split: str
    rows: pa.Table
    size: int


class _Source(NamedTuple):
    """A staging file, or a row group of a shard."""

    path: Path
    group: int | None = None

    def load(self, table: str) -> pa.Table | None:
        if self.group is None:
            rows = staging.load(self.path, table)
        else:
            rows = shards.load(self.path, self.group, table)
        return None if rows is None else _decoded(rows)


def _sources(root: Path, table: str) -> list[_Source]:
    """Staging alone while it is complete; else the shards, and the units that came after them."""
    staged = staging.units(root)
    compacted = shards.units(root)
    if compacted is None or compacted <= set(staged):
        return [_Source(staging.path_of(root, unit)) for unit in staged]
    return [
        *(
            _Source(path, group)
            for path in shards.paths(root, table)
            for group in range(shards.n_groups(path))
        ),
        *(_Source(staging.path_of(root, unit)) for unit in staged if unit not in compacted),
    ]


def _is_enum(kind: Any) -> bool:
    return bool(pa.types.is_dictionary(kind))


def _decoded(rows: pa.Table) -> pa.Table:
    """Enums as strings: chunks with different dictionaries cannot be taken from."""
    columns: list[Any] = [
        column.cast(pa.string()) if _is_enum(column.type) else column for column in rows.columns
    ]
    return pa.table(columns, names=rows.column_names)


def _encoded(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Enums as dictionaries whose values are in order of appearance, so bytes repeat."""
    columns: list[Any] = [
        pc.dictionary_encode(column) if _is_enum(field.type) else column
        for field, column in zip(schema, rows.combine_chunks().columns, strict=True)
    ]
    return pa.table(columns, schema=schema)


class _Place(NamedTuple):
    """Where a row is, and where it goes."""

    split: int
    key: tuple[tuple[bool, Any], ...]
    source: _Source
    row: int
    size: int


def _sizes(rows: pa.Table) -> list[int]:
    """About how many bytes each row takes; a function of the row alone."""
    total = [0] * rows.num_rows
    for column in rows.columns:
        kind: Any = column.type
        values: Any = column
        if pa.types.is_string(kind) or pa.types.is_large_binary(kind):
            lengths, width = pc.binary_length(values).to_pylist(), 1
        elif pa.types.is_list(kind):
            lengths = pc.list_value_length(values).to_pylist()
            width = 64 if pa.types.is_nested(kind.value_type) else 8
        else:
            lengths, width = [1] * rows.num_rows, 8
        total = [size + width * (length or 0) for size, length in zip(total, lengths, strict=True)]
    return total


def _places(rows: pa.Table, source: _Source, keys: tuple[str, ...]) -> Iterator[_Place]:
    splits: list[Any] = [None] * rows.num_rows
    if "split" in rows.column_names:
        splits = rows.column("split").to_pylist()
    values = zip(*(rows.column(key).to_pylist() for key in keys), strict=True)
    for row, (split, key, size) in enumerate(zip(splits, values, _sizes(rows), strict=True)):
        ordered = tuple((value is None, "" if value is None else value) for value in key)
        yield _Place(SPLITS.index(split or "train"), ordered, source, row, size)


def ordered(root: Path, table: str) -> Iterator[Group]:
    """Yield a table's rows, sorted, one row group after the other.

    The order and the cuts depend on the rows alone, not on the files that they came in. Only a
    few files and one row group are in memory at a time.
    """
    schema = staging.check_table(table)

    @lru_cache(maxsize=_SOURCES_KEPT)
    def load(source: _Source) -> pa.Table | None:
        return source.load(table)

    def rows_of(source: _Source) -> pa.Table:
        rows = load(source)
        assert rows is not None
        return rows

    def content(place: _Place) -> bytes:
        row = rows_of(place.source).slice(place.row, 1).to_pylist()
        return hashlib.sha256(repr(row).encode()).digest()

    places: list[_Place] = []
    for source in _sources(root, table):
        if (rows := load(source)) is not None:
            places.extend(_places(rows, source, SORT_KEYS[table]))
    places.sort(key=attrgetter("split", "key"))
    order: list[_Place] = []
    for _, equal in groupby(places, key=attrgetter("split", "key")):
        ties = list(equal)
        order.extend(sorted(ties, key=content) if len(ties) > 1 else ties)

    for group in _groups(order, _GROUP_BYTES[table in BLOB_TABLES]):
        by_source: dict[_Source, list[int]] = {}
        for index, place in enumerate(group):
            by_source.setdefault(place.source, []).append(index)
        parts = [
            rows_of(source).take([group[index].row for index in indices])
            for source, indices in by_source.items()
        ]
        target = [index for indices in by_source.values() for index in indices]
        back = sorted(range(len(target)), key=target.__getitem__)
        merged = pa.concat_tables(parts).take(back)
        size = sum(place.size for place in group)
        yield Group(SPLITS[group[0].split], _encoded(merged, schema), size)


def _groups(order: list[_Place], limit: int) -> Iterator[list[_Place]]:
    group: list[_Place] = []
    size = 0
    for place in order:
        full = size + place.size > limit or len(group) >= _GROUP_ROWS
        if group and (full or place.split != group[0].split):
            yield group
            group, size = [], 0
        group.append(place)
        size += place.size
    if group:
        yield group
