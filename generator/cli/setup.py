"""From command-line arguments to captured subjects and a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ...datasets.capture import Subject, capture, load_subject
from ...datasets.corpus.writer import check_or_create
from ...datasets.errors import ConfigError
from ...datasets.subjects.catalogue import subject_info, subjects
from ...operators.registry import operator, operators
from ..campaign import Planned, check_config, criterion_of, plan_subject
from ..config import CampaignConfig
from ..plan import plan_mutants

SUBJECTS = "subjects"


def prepare(root: Path, config: CampaignConfig) -> tuple[Planned, ...]:
    """Open or make a corpus, capture its subjects once and plan them."""
    criterion_of(config)
    codes = _codes(config)
    scripts = [_script(name) for name in config.subjects]
    for name, count in Counter(name for name, _ in scripts).items():
        if count > 1:
            raise ConfigError(
                f"subjects: expected different names; received {name!r} {count} times; "
                "leave one out or rename its script"
            )
    check_config(check_or_create(root, config.resolved()), config)
    planned = []
    for name, script in scripts:
        folder = root / SUBJECTS / name
        if (folder / "subject.json").exists():
            subject = load_subject(folder)
            _check_unchanged(subject, script)
        else:
            subject = capture(script, folder, name=name)
        mutants = plan_mutants(
            subject, codes, limit=config.limit, shams=config.sham_mutants, seed=config.seed
        )
        planned.append(plan_subject(subject, folder, mutants, config))
    return tuple(planned)


def _check_unchanged(subject: Subject, script: Path) -> None:
    if subject.script != script.read_text(encoding="utf-8"):
        raise ConfigError(
            f"subject {subject.name}: expected the script that this corpus was made from; "
            f"received another {script}; restore it to resume or name another folder"
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


def _script(name: str) -> tuple[str, Path]:
    """A bundled subject by name, or a script by path."""
    path = Path(name)
    if path.suffix == ".py" and name not in subjects():
        if not path.is_file():
            raise ConfigError(f"subject {name}: expected a bundled subject or a script; no file")
        return path.stem.replace("_", "-"), path
    return name, subject_info(name).script
