"""From command-line arguments to captured subjects and a plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...datasets.capture import capture, load_subject
from ...datasets.corpus.writer import check_or_create
from ...datasets.errors import ConfigError
from ...datasets.subjects.catalogue import subject_info, subjects
from ...operators.registry import operator, operators
from ..campaign import Planned, check_config, plan_subject
from ..config import CampaignConfig
from ..plan import plan_mutants
from .quiet import import_keras

SUBJECTS = "subjects"


def prepare(root: Path, config: CampaignConfig) -> tuple[Planned, ...]:
    """Open or make a corpus, capture its subjects once and plan them."""
    import_keras()
    codes = _codes(config)
    scripts = [_script(name) for name in config.subjects]
    check_config(check_or_create(root, config.resolved()), config)
    planned = []
    for name, script in scripts:
        folder = root / SUBJECTS / name
        if (folder / "subject.json").exists():
            subject = load_subject(folder)
        else:
            subject = capture(script, folder, name=name)
        mutants = plan_mutants(
            subject, codes, limit=config.limit, shams=config.sham_mutants, seed=config.seed
        )
        planned.append(plan_subject(subject, folder, mutants, config))
    return tuple(planned)


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
