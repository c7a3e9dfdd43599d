"""Finished work survives full disks, failed calls and kills."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faultloom.datasets.corpus import merging, shards, staging, writer
from faultloom.datasets.corpus.reader import read, rows
from faultloom.datasets.corpus.schema import TABLES
from faultloom.datasets.corpus.writer import (
    CONFIG_NAME,
    StagingWriter,
    check_or_create,
    compact,
    write_corpus_json,
)
from faultloom.datasets.errors import CorpusError


def environment(name: str) -> dict[str, list[dict[str, Any]]]:
    return {"environments": [{"environment_id": name}]}


def found(root: Path) -> list[str]:
    return [row["environment_id"] for row in rows(root, "environments")]


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def failing(number: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A corpus with one finished unit."""
    folder = tmp_path / "corpus"
    check_or_create(folder, {"seed": 1})
    assert StagingWriter(folder).commit("first", environment("a"))
    return folder


def test_a_done_unit_is_left_alone(root: Path) -> None:
    before = tree(root)
    assert not StagingWriter(root).commit("first", environment("other"))
    assert tree(root) == before
    assert StagingWriter(root).done() == {"first"}


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x"])
def test_a_unit_is_named_by_a_hash(root: Path, name: str) -> None:
    with pytest.raises(CorpusError, match="cannot name"):
        StagingWriter(root).commit(name, environment("b"))


@pytest.mark.parametrize("call", ["replace", "fsync", "write", "open"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failed_commit_leaves_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    before = tree(root)
    with monkeypatch.context() as patch:
        patch.setattr(writer.os, call, failing(number))
        with pytest.raises(CorpusError, match="finished work is intact") as caught:
            StagingWriter(root).commit("second", environment("b"))
    assert "\n" not in str(caught.value)
    assert ("disk is full" in str(caught.value)) == (number == errno.ENOSPC)
    assert tree(root) == before
    assert StagingWriter(root).commit("second", environment("b"))
    assert found(root) == ["a", "b"]


def test_a_disk_that_fills_in_the_middle_of_a_file(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(root)
    real = os.write

    def short(descriptor: int, data: Any) -> int:
        monkeypatch.setattr(writer.os, "write", failing(errno.ENOSPC))
        return real(descriptor, data[:10])

    monkeypatch.setattr(writer.os, "write", short)
    with pytest.raises(CorpusError, match="disk is full"):
        StagingWriter(root).commit("second", environment("b"))
    assert tree(root) == before


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
@pytest.mark.parametrize("drop", [False, True])
def test_a_failed_compaction_changes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str, drop: bool
) -> None:
    compact(root, drop_staging=drop)
    StagingWriter(root).commit("second", environment("b"))
    before = tree(root)
    with monkeypatch.context() as patch:
        patch.setattr(writer.os, call, failing(errno.ENOSPC))
        with pytest.raises(CorpusError, match="disk is full"):
            compact(root, drop_staging=drop)
    assert tree(root) == before
    assert found(root) == ["a", "b"]


def test_dropped_staging_is_remembered(root: Path) -> None:
    compact(root, drop_staging=True)
    assert staging.units(root) == []
    assert found(root) == ["a"]
    again = StagingWriter(root)
    assert not again.commit("first", environment("a"))
    assert again.done() == {"first"}
    assert again.commit("second", environment("b"))
    assert again.done() == {"first", "second"}
    assert found(root) == ["a", "b"]
    compact(root)
    compact(root)
    assert found(root) == ["a", "b"]
    assert StagingWriter(root).done() == {"first", "second"}


_KILLED = """
import os, signal, sys
from pathlib import Path
from faultloom.datasets.corpus import staging, writer

root, point, at = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
target = {"unlink": Path, "replace": os, "fsync": os}[point]
real, calls = getattr(target, point), 0

def dying(*args, **kwargs):
    global calls
    calls += 1
    if calls == at:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)

setattr(target, point, dying)
writer.compact(root, drop_staging=True)
"""

#: os.replace is called for the list of units, for the old shards and for the new ones; a shard and
#: a folder are synced per table; the two units of staging are unlinked at the end.
_POINTS = [
    *(("replace", at) for at in (1, 2, 3)),
    *(("fsync", at) for at in (1, 5, 2 * len(TABLES) + 3, 2 * len(TABLES) + 4)),
    *(("unlink", at) for at in (1, 2)),
]


@pytest.mark.parametrize(("point", "at"), _POINTS)
def test_a_kill_during_compaction_loses_nothing(root: Path, point: str, at: int) -> None:
    compact(root, drop_staging=True)
    for name in ("b", "c"):
        StagingWriter(root).commit(f"unit-{name}", environment(name))
    command = [sys.executable, "-c", _KILLED, str(root), point, str(at)]
    ended = subprocess.run(command, check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert found(root) == ["a", "b", "c"]
    assert StagingWriter(root).done() == {"first", "unit-b", "unit-c"}
    assert compact(root, drop_staging=True)["environments"] == 3
    assert found(root) == ["a", "b", "c"]
    assert sorted(path.name for path in root.iterdir()) == [CONFIG_NAME, "data", "staging"]


def test_a_kill_during_a_commit_leaves_no_unit(root: Path) -> None:
    (staging.folder(root) / ".second.parquet.0123.tmp").write_bytes(b"half")
    assert StagingWriter(root).done() == {"first"}
    assert found(root) == ["a"]


def test_nothing_to_compact(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nothing to compact"):
        compact(tmp_path)


def test_a_folder_is_created_once_and_accepted_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "corpus"
    assert check_or_create(folder, {"seed": 1}) == {"seed": 1}
    assert check_or_create(folder, {"seed": 2}) == {"seed": 1}


def test_another_schema_version(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SCHEMA_VERSION", "0")
    write_corpus_json(root, {})
    monkeypatch.undo()
    for use in (lambda: check_or_create(root, {}), lambda: read(root, "environments")):
        with pytest.raises(CorpusError, match=r"expected '1', received '0'") as caught:
            use()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "{}"])
def test_an_unusable_corpus_json(root: Path, text: str) -> None:
    (root / CONFIG_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=CONFIG_NAME):
        check_or_create(root, {})


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    stranger = tmp_path / "thesis.tex"
    stranger.write_text("x", encoding="utf-8")
    for place in (tmp_path, stranger):
        with pytest.raises(CorpusError, match="expected"):
            check_or_create(place, {})
    with pytest.raises(CorpusError, match="not a corpus"):
        read(tmp_path, "runs")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_files_that_cannot_be_read_are_named(root: Path) -> None:
    compact(root)
    (shard,) = shards.paths(root, "environments")
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-9])
    with pytest.raises(CorpusError, match=shard.name):
        rows(root, "environments")
    shard.unlink()
    with pytest.raises(CorpusError, match="environments holds no shards"):
        rows(root, "environments")
    compact(root)
    assert shard.read_bytes() == whole
    path = staging.path_of(root, "second")
    path.write_bytes(b"no parquet")
    with pytest.raises(CorpusError, match=r"second\.parquet"):
        rows(root, "environments")


def test_shards_without_their_list_are_never_replaced(root: Path) -> None:
    compact(root, drop_staging=True)
    (root / "data" / shards.UNITS_NAME).unlink()
    assert found(root) == ["a"]
    staging.folder(root).mkdir(exist_ok=True)
    staging.path_of(root, "second").write_bytes(staging.encode(environment("b")))
    for use in (compact, lambda place: list(merging.ordered(place, "environments"))):
        with pytest.raises(CorpusError, match=shards.UNITS_NAME):
            use(root)
