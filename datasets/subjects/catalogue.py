"""The bundled subjects: ordinary Keras scripts, and what is known about their data."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Literal

from ..errors import SubjectError
from ..program import Json

ENTRY_POINTS = "faultloom.subjects"
"""Entry points of this group name a `SubjectInfo` or a list of them."""


@dataclass(frozen=True)
class SubjectInfo:
    """A script that can be captured, and its data set.

    Args:
        name: the subject's name.
        script: path of the script.
        data_group: subjects on the same data share it.
        data_set: what the data set is called where it comes from.
        origin: ``real`` or ``synthetic`` data.
        licence: of the data set.
        task: ``classification`` or ``regression``.
        summary: one sentence.
    """

    name: str
    script: Path
    data_group: str
    data_set: str
    origin: Literal["real", "synthetic"]
    licence: str
    task: Literal["classification", "regression"]
    summary: str


_HERE = Path(__file__).parent
_UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
_DIGITS = "Optical Recognition of Handwritten Digits (scikit-learn load_digits)"


def _digits(name: str, summary: str) -> SubjectInfo:
    script = _HERE / f"{name.replace('-', '_')}.py"
    return SubjectInfo(name, script, "digits", _DIGITS, "real", _UCI, "classification", summary)


BUNDLED = (
    _digits("digits-mlp", "A dense network that reads 8x8 handwritten digits."),
    _digits("digits-cnn", "A convolutional network that reads 8x8 handwritten digits."),
    _digits("digits-lstm", "A recurrent network that reads digits row by row."),
    _digits("digits-deep", "Nine dense layers with batch normalisation, on digits."),
    SubjectInfo(
        "breast-cancer-mlp",
        _HERE / "breast_cancer_mlp.py",
        "breast-cancer",
        "Breast Cancer Wisconsin (Diagnostic) (scikit-learn load_breast_cancer)",
        "real",
        _UCI,
        "classification",
        "A dense network with one sigmoid unit that tells malignant tumours from benign ones.",
    ),
    SubjectInfo(
        "diabetes-mlp",
        _HERE / "diabetes_mlp.py",
        "diabetes",
        "Diabetes, Efron et al. 2004 (scikit-learn load_diabetes)",
        "real",
        "public; no licence stated (as scikit-learn ships it)",
        "regression",
        "A dense network that predicts the progress of diabetes within a year.",
    ),
    SubjectInfo(
        "wine-logits",
        _HERE / "wine_logits.py",
        "wine",
        "Wine recognition (scikit-learn load_wine)",
        "real",
        _UCI,
        "classification",
        "A dense network without softmax that stops early and weighs its classes, on wines.",
    ),
)


def subjects() -> dict[str, SubjectInfo]:
    """Return all subjects by name: the bundled ones and those of installed packages.

    Raises:
        SubjectError: a name is taken twice.
    """
    found = {info.name: info for info in BUNDLED}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        loaded = point.load()
        for info in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
            if found.setdefault(info.name, info) != info:
                raise SubjectError(f"subject {info.name}: named twice; {point.value} names it too")
    return found


def subject_info(name: str) -> SubjectInfo:
    """Look up a subject.

    Raises:
        SubjectError: there is none of that name.
    """
    known = subjects()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
    raise SubjectError(f"subject {name!r}: unknown; {hint}")


def data_set_of_script(script: Path) -> Mapping[str, Json] | None:
    """Return what is known about the data of a bundled or installed script."""
    for info in subjects().values():
        if info.script.resolve() == script.resolve():
            return {
                "name": info.data_set,
                "group": info.data_group,
                "version": None,
                "origin": info.origin,
                "licence": info.licence,
            }
    return None
