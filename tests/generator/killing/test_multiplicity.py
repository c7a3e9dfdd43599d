import math
from collections.abc import Callable, Sequence

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing.multiplicity import benjamini_hochberg, holm
from scipy.stats import false_discovery_control

Adjust = Callable[[Sequence[float | None]], tuple[float | None, ...]]
P = [0.01, None, 0.04, 0.03, 0.005, None]


def test_holm_worked_by_hand() -> None:
    # sorted .005 .01 .03 .04 times 4 3 2 1, made increasing
    assert holm(P) == (
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
        pytest.approx(0.06),
        pytest.approx(0.02),
        None,
    )


def test_benjamini_hochberg_worked_by_hand() -> None:
    # sorted .005 .01 .03 .04 times 4/1 4/2 4/3 4/4, made increasing from the end
    found = benjamini_hochberg(P)
    assert found == (
        pytest.approx(0.02),
        None,
        pytest.approx(0.04),
        pytest.approx(0.04),
        pytest.approx(0.02),
        None,
    )
    known = [p for p in P if p is not None]
    expected = false_discovery_control(known, method="bh")
    assert [p for p in found if p is not None] == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_one_or_no_p_value_is_left_alone(adjust: Adjust) -> None:
    assert adjust([]) == ()
    assert adjust([None, None]) == (None, None)
    assert adjust([None, 0.04]) == (None, 0.04)
    assert adjust([0.0, 1.0]) == (0.0, 1.0)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ConfigError, match="expected numbers from 0 to 1"):
            adjust([0.5, bad])
