"""Wrong preprocessing of inputs.

What a script does to all of its inputs changes the rows of every role, those that faults are
judged on too; what sets training apart from use changes the held-out rows alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

from ..datasets.program import Json, TrainingProgram
from .base import Example, Parameters, Range, Site
from .inputs import Input, number_inputs
from .transforming import TransformOperator

EVERYWHERE = ("train", "validation", "judge", "test")
HELD_OUT = ("judge", "test")
FACTORS = (0.01, 0.1, 10.0, 100.0)


class _Inputs(TransformOperator):
    """A transform of one input of numbers, chosen by its position."""

    source = "faultloom"
    group = "preprocessing"
    fault_type = "CPP"
    requires = ("input of numbers",)
    parameters: ClassVar[tuple[str, ...]] = ("input",)
    roles: ClassVar[tuple[str, ...]] = EVERYWHERE

    @abstractmethod
    def points(self, found: Input) -> Iterable[Parameters]:
        """Return the parameters of one input but for its position."""

    def candidates(self, program: TrainingProgram, site: Site) -> Iterator[Parameters]:
        """All points of all inputs that hold numbers; numbers of words are left alone."""
        for found in number_inputs(program):
            for point in self.points(found):
                yield {"input": found.position, **point}


class MissingNormalization(_Inputs):
    """Leave inputs as raw as they were before they were normalised.

    Acts where the training rows visibly went through a normalisation. Their raw scale is not
    known, so it is assumed: bytes for pixels, unlike scales for measurements.
    """

    code = "PMN"
    name = "missing-normalization"
    transform = "renormalize_inputs"
    fixed: ClassVar[Parameters] = {"direction": "undo"}

    def points(self, found: Input) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def examples(self) -> tuple[Example, ...]:
        """Undo the normalisation."""
        return (self.example({"input": 0}),)


class DoubleNormalization(_Inputs):
    """Normalise inputs a second time, with the constants of the first.

    Acts where the training rows visibly went through a normalisation; its constants are assumed
    as for missing normalisation.
    """

    code = "PDN"
    name = "double-normalization"
    transform = "renormalize_inputs"
    fixed: ClassVar[Parameters] = {"direction": "again"}

    def points(self, found: Input) -> Iterable[Parameters]:
        """There is one way."""
        return ({},)

    def examples(self) -> tuple[Example, ...]:
        """Normalise twice."""
        return (self.example({"input": 0}),)


class WrongScale(_Inputs):
    """Scale inputs by a wrong factor, in training and in use."""

    code = "PWS"
    name = "wrong-scale"
    parameters = ("factor", "input")
    transform = "scale_inputs"

    def points(self, found: Input) -> Iterable[Parameters]:
        """Powers of ten; 255 and its inverse are those of missing and double normalisation."""
        return ({"factor": factor} for factor in FACTORS)

    def ranges(self, program: TrainingProgram, site: Site) -> dict[str, Range]:
        """Search upwards, by ratios."""
        return {"factor": Range(1.0, 1000.0, "log", "increasing", 1.25)}

    def edited(self, program: TrainingProgram, site: Site, parameters: Parameters) -> Json:
        """Append the transform; a factor of 1 is none."""
        if parameters["factor"] == 1:
            return program.document()
        return super().edited(program, site, parameters)

    def entry(self, parameters: Parameters) -> Json:
        """Return the transform as a program stores it."""
        return super().entry(parameters | {"factor": float(parameters["factor"])})

    def examples(self) -> tuple[Example, ...]:
        """Feed pixels of 0 to 255 where 0 to 1 was meant."""
        return (self.example({"factor": 255.0, "input": 0}),)


class WrongAxis(_Inputs):
    """Standardise each row by itself, or each column, on top of what the script does."""

    code = "PWA"
    name = "wrong-axis"
    parameters = ("axis", "input")
    transform = "standardize_inputs"
    fixed: ClassVar[Parameters] = {"statistics": "train"}

    def points(self, found: Input) -> Iterable[Parameters]:
        """Both axes; a row of one value has no spread."""
        axes = ("columns",) if found.shape == (1,) else ("rows", "columns")
        return ({"axis": axis} for axis in axes)

    def examples(self) -> tuple[Example, ...]:
        """Lose what tells rows apart by size."""
        return (self.example({"axis": "rows", "input": 0}),)


class TrainTestMismatch(_Inputs):
    """Normalise inputs in use otherwise than in training.

    They stay raw (``missing``), are normalised ``twice``, or by statistics of their own
    (``own``). The first two act where the training rows are visibly normalised.
    """

    code = "PTM"
    name = "train-test-mismatch"
    parameters = ("input", "mismatch")
    roles = HELD_OUT

    def points(self, found: Input) -> Iterable[Parameters]:
        """All three."""
        return ({"mismatch": mismatch} for mismatch in _MISMATCHES)

    def entry(self, parameters: Parameters) -> Json:
        """Return the transform that stands for the mismatch."""
        name, settings = _MISMATCHES[parameters["mismatch"]]
        settings = settings | {"input": parameters["input"]}
        return {"name": name, "parameters": settings, "roles": list(self.roles)}

    def examples(self) -> tuple[Example, ...]:
        """Forget in use what was done in training."""
        return (self.example({"input": 0, "mismatch": "missing"}),)


_MISMATCHES: dict[str, tuple[str, Parameters]] = {
    "missing": ("renormalize_inputs", {"direction": "undo"}),
    "own": ("standardize_inputs", {"axis": "columns", "statistics": "own"}),
    "twice": ("renormalize_inputs", {"direction": "again"}),
}


class PermutedFeatures(_Inputs):
    """Feed features in use in another order than in training, as RGB for BGR."""

    code = "PCH"
    name = "permuted-features"
    requires = ("input of several features or of a square shape",)
    parameters = ("input", "order")
    roles = HELD_OUT
    transform = "permute_features"

    def points(self, found: Input) -> Iterator[Parameters]:
        """Orders that differ from the present one: of the last axis, and of rows and columns."""
        last = found.shape[-1] if found.shape else None
        if last is not None and last > 1:
            yield {"order": "reversed"}
        if last is not None and last > 2:
            yield {"order": "rotated"}
        height, width = (*found.shape, None, None)[:2]
        if height is not None and height > 1 and height == width:
            yield {"order": "transposed"}

    def examples(self) -> tuple[Example, ...]:
        """Feed the last feature first."""
        return (self.example({"input": 0, "order": "reversed"}),)


OPERATORS = (
    MissingNormalization,
    DoubleNormalization,
    WrongScale,
    WrongAxis,
    TrainTestMismatch,
    PermutedFeatures,
)
