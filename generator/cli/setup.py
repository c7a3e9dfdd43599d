"""From command-line arguments to captured subjects and a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ...datasets.capture import Subject, capture, load_arrays, load_subject, save_subject
from ...datasets.corpus.writer import check_or_create
from ...datasets.errors import ConfigError
from ...datasets.subjects.catalogue import subject_info, subjects
from ...operators.registry import operator, operators
from ..campaign import check_config
from ..config import CampaignConfig
from ..schedule import Planned, criterion_of

SUBJECTS = "subjects"
CAPTURED = "subject.json"


def prepare(root: Path, config: CampaignConfig) -> tuple[Planned, ...]:
    """Open or make a corpus, capture its subjects once and plan them."""
    criterion_of(config)
    codes = tuple(_codes(config))
    sources = [_source(name) for name in config.subjects]
    for name, count in Counter(name for name, _ in sources).items():
        if count > 1:
            raise ConfigError(
                f"subjects: expected different names; received {name!r} {count} times; "
                "leave one out or rename its script"
            )
    check_config(check_or_create(root, config.resolved()), config)
    planned = []
    for name, source in sources:
        folder = root / SUBJECTS / name
        if (folder / CAPTURED).exists():
            subject = load_subject(folder)
            _check_unchanged(subject, source)
        elif source.is_dir():
            subject = load_subject(source)
            save_subject(subject, load_arrays(source), folder)
        else:
            subject = capture(source, folder, name=name)
        planned.append(Planned(subject, folder, codes, config))
    return tuple(planned)


def _check_unchanged(subject: Subject, source: Path) -> None:
    if source.is_dir():
        unchanged = subject == load_subject(source)
    else:
        unchanged = subject.script == source.read_text(encoding="utf-8", errors="replace")
    if not unchanged:
        raise ConfigError(
            f"subject {subject.name}: expected the one that this corpus was made from; "
            f"received another {source}; restore it to resume or name another folder"
        )


def _codes(config: CampaignConfig) -> Sequence[str]:
    if config.operators == "all":
        return [known.code for known in operators()]
    codes = [operator(name).code for name in config.operators]
    if "SHAM" in codes:
        raise ConfigError(
            "operator SHAM: it is planned by itself; set sham_mutants for the number of its mutants"
        )
    return codes


def _source(name: str) -> tuple[str, Path]:
    """A bundled subject by name, a script by path, or the folder of a captured subject."""
    path = Path(name)
    if name not in subjects():
        if (path / CAPTURED).is_file():
            return load_subject(path).name, path
        if path.suffix == ".py":
            if not path.is_file():
                raise ConfigError(
                    f"subject {name}: expected a bundled subject, a script, or the folder of a "
                    "captured subject; there is no such file"
                )
            return path.stem.replace("_", "-"), path
    return name, subject_info(name).script
