"""Rows come back as they went in, from staging and from shards, whatever units they came in."""

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from faultloom.datasets.corpus import merging, shards, writer
from faultloom.datasets.corpus.reader import read, rows
from faultloom.datasets.corpus.schema import (
    SCHEMA_VERSION,
    SCHEMAS,
    SORT_KEYS,
    SPLITS,
    TABLES,
    VOLATILE_COLUMNS,
)
from faultloom.datasets.corpus.writer import StagingWriter, compact
from faultloom.datasets.errors import CorpusError
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = st.text(st.characters(codec="utf-8"), max_size=4)


def values(kind: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return TEXT
    if pa.types.is_int32(kind):
        return st.integers(-(2**31), 2**31 - 1)
    if pa.types.is_int64(kind):
        return st.integers(-(2**63), 2**63 - 1)
    if pa.types.is_boolean(kind):
        return st.booleans()
    if pa.types.is_float32(kind):
        return st.floats(width=32, allow_nan=False)
    if pa.types.is_float64(kind):
        return st.floats(allow_nan=False)
    if pa.types.is_large_binary(kind):
        return st.binary(max_size=8)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({f.name: st.none() | values(f.type) for f in kind})
    assert pa.types.is_list(kind), kind
    return st.lists(values(kind.value_type), max_size=3)


def a_row(table: str) -> st.SearchStrategy[dict[str, Any]]:
    columns = {}
    for field in SCHEMAS[table]:
        value = st.sampled_from(SPLITS) if field.name == "split" else values(field.type)
        columns[field.name] = st.none() | value if field.nullable else value
    return st.fixed_dictionaries(columns)


def plain(value: Any) -> Any:
    """A value without the order of its keys, which a generated row may have in any order."""
    if isinstance(value, dict):
        return sorted((key, plain(item)) for key, item in value.items())
    return [plain(item) for item in value] if isinstance(value, list) else value


def unordered(found: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(plain(row)) for row in found)


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in (root / "data").rglob("*.parquet")}


def commit(root: Path, table: str, units: list[list[dict[str, Any]]], prefix: str = "u") -> None:
    staging = StagingWriter(root)
    for index, unit in enumerate(units):
        assert staging.commit(f"{prefix}{index}", {table: unit})


def minimal(table: str, **given_values: Any) -> dict[str, Any]:
    """The smallest row that the table takes."""
    empty = {pa.bool_(): False, pa.int32(): 0, pa.int64(): 0, pa.large_binary(): b""}
    row = {f.name: empty.get(f.type, "x") for f in SCHEMAS[table] if not f.nullable}
    return row | given_values


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_rows_come_back(table: str, data: st.DataObject) -> None:
    written = data.draw(st.lists(a_row(table), max_size=6))
    cut = data.draw(st.integers(0, len(written)))
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        root, other = Path(one), Path(two)
        commit(root, table, [written[:cut], written[cut:]])
        staged = rows(root, table)
        assert unordered(staged) == unordered(written)
        assert compact(root)[table] == len(written)
        assert rows(root, table) == staged
        assert read(root, table).schema.equals(SCHEMAS[table], check_metadata=True)
        # The same rows in other units, in another order, with the first ones dropped from staging.
        commit(other, table, [written[::-1][:cut]])
        compact(other, drop_staging=True)
        commit(other, table, [written[::-1][cut:]], "v")
        assert rows(other, table) == staged
        compact(other, drop_staging=True)
        assert files(other) == files(root)


@pytest.mark.parametrize("table", TABLES)
def test_every_table_opens_in_pandas_and_arrow(tmp_path: Path, table: str) -> None:
    row = minimal(table)
    StagingWriter(tmp_path).commit("u", {table: [row]})
    compact(tmp_path)
    for name in TABLES:
        folder = tmp_path / "data" / name
        expected = 1 if name == table else 0
        frame = pd.read_parquet(folder)
        assert len(frame) == expected
        assert list(frame.columns) == SCHEMAS[name].names
        assert ds.dataset(folder).to_table().num_rows == expected
        metadata = pq.read_schema(folder / "train-00000-of-00001.parquet").metadata
        assert metadata[b"schema_version"].decode() == SCHEMA_VERSION


def test_every_column_is_described_and_named_columns_exist() -> None:
    for table, schema in SCHEMAS.items():
        assert all(field.metadata[b"description"] for field in schema)
        assert set(SORT_KEYS[table]) | VOLATILE_COLUMNS[table] <= set(schema.names)
    assert VOLATILE_COLUMNS["runs"] == {"wall_s", "cpu_s", "worker", "attempts"}


def test_bytes_do_not_depend_on_units(tmp_path: Path) -> None:
    """Many rows, so that pages end inside of the parts that the units make."""
    written = [
        minimal("runs", run_id=f"{i * 7919 % 5000:05d}", k=i, metric_judge=i / 7, operator="HLR")
        for i in range(5000)
    ]
    one, many = tmp_path / "one", tmp_path / "many"
    commit(one, "runs", [written])
    commit(many, "runs", [written[i::50] for i in range(50)])
    compact(one)
    compact(many)
    assert files(one) == files(many)
    compact(many)
    assert files(one) == files(many)


def test_non_finite_numbers_come_back(tmp_path: Path) -> None:
    row = minimal("runs", loss_judge=math.nan, loss_train=math.inf)
    StagingWriter(tmp_path).commit("u", {"runs": [row]})
    compact(tmp_path)
    (found,) = rows(tmp_path, "runs")
    assert math.isnan(found["loss_judge"])
    assert found["loss_train"] == math.inf


def test_a_split_has_its_own_shards_and_large_ones_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_SHARD_BYTES", 2000)
    monkeypatch.setattr(merging, "_GROUP_BYTES", 1000)
    written = [
        minimal("models", run_id=f"r{i}", weights=bytes(1500), split=split)
        for i, split in enumerate(["test", "train", "train", None, "validation"])
    ]
    commit(tmp_path, "models", [written])
    compact(tmp_path)
    names = [path.name for path in shards.paths(tmp_path, "models")]
    assert names == [
        *(f"train-{i:05d}-of-00003.parquet" for i in range(3)),
        "validation-00000-of-00001.parquet",
        "test-00000-of-00001.parquet",
    ]
    assert len(rows(tmp_path, "models")) == 5


def test_blob_row_groups_and_page_index(tmp_path: Path) -> None:
    blob = bytes(range(256)) * (5 << 10)
    commit(tmp_path, "models", [[minimal("models", run_id=f"r{i}", weights=blob)] for i in "abcde"])
    compact(tmp_path)
    metadata = pq.read_metadata(shards.paths(tmp_path, "models")[0])
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    assert [group.num_rows for group in groups] == [3, 2]
    assert all(group.total_byte_size <= 4 << 20 for group in groups)
    column = groups[0].column(0)
    assert column.compression == "ZSTD"
    assert column.has_offset_index
    assert column.has_column_index


@pytest.mark.parametrize("compacted", [False, True])
def test_columns_and_filters(tmp_path: Path, compacted: bool) -> None:
    written = [minimal("runs", run_id=r, role=o) for r, o in (("a", "clean"), ("b", "faulty"))]
    commit(tmp_path, "runs", [written])
    if compacted:
        compact(tmp_path)
    for filters in ([("role", "==", "faulty")], pc.field("role") == "faulty"):
        assert read(tmp_path, "runs", ["run_id"], filters).to_pylist() == [{"run_id": "b"}]
    for arguments in (("nosuch",), ("runs", ["nosuch"]), ("runs", None, [("nosuch", "==", 1)])):
        with pytest.raises(CorpusError, match="nosuch"):
            read(tmp_path, *arguments)


@pytest.mark.parametrize(
    ("table", "row", "message"),
    [
        ("nosuch", {}, "no table 'nosuch'"),
        ("runs", {"nosuch": 1}, "unknown column 'nosuch'"),
        ("runs", {}, "lacks 'run_id'"),
        ("runs", {"k": "many"}, "do not fit"),
        ("runs", {"k": 2**40}, "do not fit"),
        ("runs", {"split": "dev"}, "split 'dev'"),
    ],
)
def test_rows_that_do_not_fit(tmp_path: Path, table: str, row: Any, message: str) -> None:
    if row and "nosuch" not in row:
        row = minimal(table) | row
    with pytest.raises(CorpusError, match=message):
        StagingWriter(tmp_path).commit("u", {table: [row]})
    assert StagingWriter(tmp_path).done() == frozenset()
