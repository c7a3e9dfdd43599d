"""The configuration of a campaign: a TOML file, command line options over it, one line for errors.

The same model is what the corpus records (:meth:`CampaignConfig.resolved`).
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from ..datasets.errors import ConfigError
from .killing import CRITERIA, Sequential

__all__ = ["CampaignConfig", "load_config", "parse_duration"]

_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0}
_DURATION: Final = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")


def parse_duration(value: Any) -> Any:
    """Seconds of a duration such as "2h", "30m", "1h30m" or "90s"; anything but text as it is."""
    if not isinstance(value, str):
        return value
    text = value.strip().lower()
    found = _DURATION.fullmatch(text)
    if not text or found is None:
        raise ValueError("not a duration")
    return sum(float(n) * s for n, s in zip(found.groups(), _UNITS.values(), strict=True) if n)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not finite")
    return value


_Name = Annotated[str, Field(min_length=1)]
_Names = Annotated[tuple[_Name, ...], Field(min_length=1)]
_Duration = Annotated[
    float, BeforeValidator(_finite), BeforeValidator(parse_duration), Field(gt=0.0)
]
_Positive = Annotated[int, Field(ge=1)]
_Replicates = Annotated[int, Field(ge=2)]
_Count = Annotated[int, Field(ge=0)]


class CampaignConfig(BaseModel):
    """Everything that decides what a campaign does; a seed and these fields reproduce it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    subjects: Annotated[_Names, BeforeValidator(_as_tuple)]
    operators: Annotated[_Names | Literal["all"], BeforeValidator(_as_tuple)] = "all"
    criterion: _Name = "sequential"
    clean_replicates: _Replicates
    """Runs of each clean program; by default as many as the criterion asks for."""
    faulty_replicates: _Replicates
    """Runs of each mutant, at most; by default as many as the criterion asks for."""
    keep_models: _Count = 3
    seed: _Count = 0
    limit: _Positive | None = None
    """Mutants for each operator and subject; none is all."""
    budget_s: _Duration | None = None
    """Wall-clock time after which no further unit is started."""
    deadline_s: _Duration = 600.0
    """Time for one unit of work."""
    workers: _Count | None = None
    """Units at once; 0 stays in one process, none is as many as there are processors."""
    address: _Name | None = None
    """A Ray cluster to use instead of a private local one."""
    sham_mutants: _Count = 3
    search: Literal["none", "bisection", "deepcrime"] = "none"
    """How parameters with a range are searched for the mildest value that kills."""

    @model_validator(mode="before")
    @classmethod
    def _replicates_of_the_criterion(cls, values: Any) -> Any:
        name = values.get("criterion", cls.model_fields["criterion"].default)
        known = CRITERIA.get(name if isinstance(name, str) else "", Sequential)()
        wanted = {"clean_replicates": known.n_clean, "faulty_replicates": known.n_faulty}
        return wanted | values

    def resolved(self) -> dict[str, Any]:
        """All values, the defaults among them, as JSON."""
        return self.model_dump(mode="json")


_DURATION_TEXT: Final = "a duration above 0 such as '2h', '30m', '90s' or a number of seconds"
_EXPECTED: Final = {
    "subjects": "a list of one or more subject names",
    "operators": "'all' or a list of one or more operator codes",
    "criterion": "the name of a criterion",
    "clean_replicates": "a whole number of at least 2",
    "faulty_replicates": "a whole number of at least 2",
    "keep_models": "a whole number of at least 0",
    "seed": "a whole number of at least 0",
    "limit": "a whole number of at least 1",
    "budget_s": _DURATION_TEXT,
    "deadline_s": _DURATION_TEXT,
    "workers": "a whole number of at least 0",
    "address": "the address of a Ray cluster",
    "sham_mutants": "a whole number of at least 0",
    "search": "'none', 'bisection' or 'deepcrime'",
}


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def _read(path: Path) -> dict[str, Any]:
    wanted = f"configuration {path}: expected a readable TOML file"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(f"{wanted}, received '{reason}'; check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{wanted}, received bytes that are not UTF-8; save it as UTF-8"
        ) from error
    except tomllib.TOMLDecodeError as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{wanted}, received '{reason}'; correct that line") from error


def _unknown(where: str, key: str) -> str:
    near = difflib.get_close_matches(key, _EXPECTED, n=1)
    expected = "one of " + ", ".join(_EXPECTED)
    advice = f"did you mean {near[0]!r}?" if near else "remove it"
    return f"{where}: expected {expected}, received the unknown key {key!r}; {advice}"


def load_config(path: Path | None = None, **overrides: Any) -> CampaignConfig:
    """The configuration of a file with options over it; an option that is ``None`` is ignored.

    Raises ``ConfigError`` in one line for a file that cannot be read, an unknown key or a value
    that cannot be used.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    source = "configuration" if path is None else f"configuration {path}"
    values = ({} if path is None else _read(path)) | given
    try:
        return CampaignConfig.model_validate(values)
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False, include_context=False)
        first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
        key = str(first["loc"][0])
        where = "options" if key in given else source
        if first["type"] == "extra_forbidden":
            message = _unknown(where, key)
        elif first["type"] == "missing":
            message = f"{where}: {key}: expected {_EXPECTED[key]}, received nothing; add it"
        else:
            message = (
                f"{where}: {key}: expected {_EXPECTED[key]}, "
                f"received {_shown(values[key])}; correct it"
            )
        others = len({str(e["loc"][0]) for e in errors}) - 1
        if others:
            message += f" (and {others} more to correct)"
        raise ConfigError(message) from invalid
