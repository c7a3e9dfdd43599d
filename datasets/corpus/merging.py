"""The rows of a corpus in one order, whatever files they are in."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from . import shards, staging
from .schema import SORT_KEYS, SPLITS

_GROUP_BYTES = 4 << 20
_GROUP_ROWS = 100_000
_KEPT_BYTES = 8 << 20

_Ints = NDArray[np.int64]


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


class _Loaded:
    """The files that were read last, up to a number of bytes: neighbours are often in one file."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._kept: OrderedDict[_Source, tuple[pa.Table | None, int]] = OrderedDict()
        self._size = 0

    def __getitem__(self, source: _Source) -> pa.Table | None:
        if source in self._kept:
            self._kept.move_to_end(source)
            return self._kept[source][0]
        rows = source.load(self._table)
        size = 0 if rows is None else int(rows.nbytes)
        self._kept[source] = rows, size
        self._size += size
        while len(self._kept) > 1 and self._size > _KEPT_BYTES:
            self._size -= self._kept.popitem(last=False)[1][1]
        return rows

    def rows(self, source: _Source, positions: _Ints) -> pa.Table:
        rows = self[source]
        assert rows is not None
        return rows.take(positions)


class _Index(NamedTuple):
    """Where the rows of a table are, in the order of the table."""

    split: _Ints
    source: _Ints
    row: _Ints
    size: _Ints


def _sizes(rows: pa.Table) -> _Ints:
    """About how many bytes each row takes; a function of the row alone."""
    total = np.zeros(rows.num_rows, np.int64)
    for column in rows.columns:
        kind: Any = column.type
        values: Any = column
        if pa.types.is_string(kind) or pa.types.is_large_binary(kind):
            total += _filled(pc.binary_length(values))
        elif pa.types.is_list(kind):
            width = 64 if pa.types.is_nested(kind.value_type) else 8
            total += width * _filled(pc.list_value_length(values))
        else:
            total += 8
    return total


def _filled(lengths: Any) -> _Ints:
    return np.asarray(pc.fill_null(lengths, 0).to_numpy(), np.int64)


def _index(sources: list[_Source], loaded: _Loaded, keys: tuple[str, ...]) -> _Index | None:
    """Sort a table by its keys, nulls last; rows with equal keys by the hash of their content."""
    parts: list[pa.Table] = []
    for number, source in enumerate(sources):
        rows = loaded[source]
        if rows is None or not rows.num_rows:
            continue
        count = rows.num_rows
        # Taken, and so copied: a column as it was read holds on to its whole file.
        own: Any = rows.select(list(keys)).take(np.arange(count))
        columns: dict[str, Any] = {
            "split": pa.array(_splits(rows)),
            "source": pa.array(np.full(count, number)),
            "row": pa.array(np.arange(count)),
            "size": pa.array(_sizes(rows)),
        }
        columns |= {f"key {key}": own.column(key) for key in keys}
        parts.append(pa.table(columns))
    if not parts:
        return None
    whole = pa.concat_tables(parts)
    ranks = np.stack([_rank(whole.column(f"key {key}")) for key in keys])
    found = _Index(
        *(np.asarray(whole.column(name).to_numpy(), np.int64) for name in _Index._fields)
    )
    order = np.lexsort([*ranks[::-1], found.split])
    ranks = np.vstack([ranks, found.split])[:, order]
    starts = np.flatnonzero(np.r_[True, (ranks[:, 1:] != ranks[:, :-1]).any(axis=0), True])
    for first, end in pairwise(starts.tolist()):
        if end - first > 1:
            ties = order[first:end]
            content = [
                _content(loaded, sources[found.source[at]], int(found.row[at])) for at in ties
            ]
            order[first:end] = ties[np.argsort(np.array(content), kind="stable")]
    return _Index(*(column[order] for column in found))


def _splits(rows: pa.Table) -> list[int]:
    if "split" not in rows.column_names:
        return [0] * rows.num_rows
    return [SPLITS.index(split or "train") for split in rows.column("split").to_pylist()]


def _rank(column: Any) -> _Ints:
    """Place of each value among the different values; nulls come last."""
    encoded: Any = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary
    places = np.empty(len(values) + 1, np.int64)
    places[pc.sort_indices(values).to_numpy()] = np.arange(len(values))
    places[-1] = len(values)
    codes: _Ints = pc.fill_null(encoded.indices, len(values)).to_numpy()
    return places[codes]


def _content(loaded: _Loaded, source: _Source, row: int) -> str:
    rows = loaded.rows(source, np.array([row])).to_pylist()
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def ordered(root: Path, table: str) -> Iterator[Group]:
    """Yield a table's rows, sorted, one row group after the other.

    The order and the cuts depend on the rows alone, not on the files that they came in. Beside
    the keys of all rows, a few files and one row group are in memory at a time.
    """
    schema = staging.check_table(table)
    loaded = _Loaded(table)
    sources = _sources(root, table)
    index = _index(sources, loaded, SORT_KEYS[table])
    if index is None:
        return
    for first, end in _groups(index):
        came_from, rows = index.source[first:end], index.row[first:end]
        parts, places = [], []
        for number in np.unique(came_from):
            here = np.flatnonzero(came_from == number)
            parts.append(loaded.rows(sources[number], rows[here]))
            places.append(here)
        back = np.argsort(np.concatenate(places))
        merged = pa.concat_tables(parts).take(back)
        size = int(index.size[first:end].sum())
        yield Group(SPLITS[index.split[first]], _encoded(merged, schema), size)


def _groups(index: _Index) -> Iterator[tuple[int, int]]:
    """Cut the rows: at the end of a split, and before a group becomes too large."""
    first, total = 0, 0
    for place, (split, size) in enumerate(
        zip(index.split.tolist(), index.size.tolist(), strict=True)
    ):
        full = total + size > _GROUP_BYTES or place - first >= _GROUP_ROWS
        if place > first and (full or split != index.split[first]):
            yield first, place
            first, total = place, 0
        total += size
    yield first, len(index.split)
