"""What the tests of single operators share."""

from collections.abc import Callable
from typing import Any

import pytest
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import get
from faultloom.operators import operator

Values = Callable[..., list[list[Any]]]


@pytest.fixture
def new_values() -> Values:
    """Return what stands at the slot of each site in the variants of an operator, in order."""

    def values(code: str, program: TrainingProgram) -> list[list[Any]]:
        acting = operator(code)
        return [
            [
                get(acting.apply(program, site, parameters).document(), site.slot)
                for parameters in acting.variants(program, site)
            ]
            for site in acting.sites(program)
        ]

    return values
