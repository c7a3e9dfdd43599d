"""Reading a corpus: its shards, or its staging files where no shards exist."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import CorpusError
from . import merging, shards, staging
from .writer import CONFIG_NAME, read_corpus_json


def read(
    root: str | os.PathLike[str],
    table: str,
    columns: Sequence[str] | None = None,
    filters: Any = None,
) -> pa.Table:
    """Return a table, or the named columns of the rows that pass the filters.

    Filters are what `pyarrow.parquet.read_table` takes: an expression or lists of triples. The
    rows come in the same order and types from shards and from staging.

    Raises:
        CorpusError: no corpus, an unknown table, column or filter, or a file that cannot be read.
    """
    root = Path(root)
    schema = staging.check_table(table)
    names = list(schema.names if columns is None else columns)
    if unknown := [name for name in names if name not in schema.names]:
        raise CorpusError(
            f"the table {table} has no column {unknown[0]!r}; expected one of "
            f"{', '.join(schema.names)}; use one of these names"
        )
    expression = _expression(schema, filters)
    if (root / CONFIG_NAME).exists():
        read_corpus_json(root)
    if _use_shards(root):
        parts = [shards.read(path, table, names, expression) for path in shards.paths(root, table)]
    else:
        parts = [
            (rows if expression is None else rows.filter(expression)).select(names)
            for _, rows, _ in merging.ordered(root, table)
        ]
    metadata: Any = schema.metadata
    wanted = pa.schema([schema.field(name) for name in names], metadata=metadata)
    parts = [part.cast(wanted) for part in parts]
    return pa.concat_tables([wanted.empty_table(), *parts]).unify_dictionaries()


def rows(root: str | os.PathLike[str], table: str) -> list[dict[str, Any]]:
    """Return all rows of a table as dictionaries."""
    return read(root, table).to_pylist()


def _expression(schema: pa.Schema, filters: Any) -> Any:
    if filters is None:
        return None
    try:
        expression = (
            filters if isinstance(filters, pc.Expression) else pq.filters_to_expression(filters)
        )
        schema.empty_table().filter(expression)
    except (pa.ArrowException, ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"cannot filter by {filters}: {error}; expected an expression or triples "
            "(column, operator, value) over the table's columns; correct the filter"
        ) from error
    return expression


def _use_shards(root: Path) -> bool:
    """Whether the shards hold all that staging holds; without staging they are all there is."""
    staged = staging.units(root)
    if shards.exist(root):
        return not staged or frozenset(staged) <= (shards.units(root) or frozenset())
    if not staged and not (root / CONFIG_NAME).exists():
        raise CorpusError(
            f"{root} is not a corpus; expected a folder with {CONFIG_NAME} and data, received "
            "neither; name the folder of a corpus"
        )
    return False
