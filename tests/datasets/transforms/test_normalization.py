import numpy as np
import pytest
from faultloom.datasets.transforms.normalization import normalized_again, raw_again, visible
from hypothesis import given
from hypothesis import strategies as st

RNG = np.random.default_rng(5)
BYTES = RNG.integers(0, 256, (300, 4, 4)).astype("float32")
BYTES[0, 0, 0], BYTES[0, 0, 1] = 0, 255
NUMBERS = (RNG.normal(size=(300, 5)) * [1, 10, 100, 1000, 1] + [3, 30, 300, 3000, 3]).astype("f4")


def standard(x: np.ndarray, axis: int | None) -> np.ndarray:
    return (x - x.mean(axis=axis)) / x.std(axis=axis)


@pytest.mark.parametrize(
    ("x", "kind", "raw"),
    [
        (BYTES / 255, "unit", BYTES),
        (BYTES / 127.5 - 1, "signed", BYTES),
        (standard(BYTES.reshape(300, 16, 1), None), "whole", BYTES.reshape(300, 16, 1)),
        (standard(NUMBERS, 0), "standard", None),
    ],
    ids=["unit", "signed", "whole", "standard"],
)
def test_visible_normalisations_are_undone(
    x: np.ndarray, kind: str, raw: np.ndarray | None
) -> None:
    found = visible(x)
    assert found is not None and found.kind == kind
    if raw is not None:
        assert raw_again(x, found) == pytest.approx(raw, abs=1e-2)
    assert raw_again(x, found).dtype == x.dtype


def test_standardised_columns_get_unlike_scales() -> None:
    x = standard(NUMBERS, 0)
    raw = raw_again(x, visible(x))
    assert raw.std(axis=0) == pytest.approx(np.array([1, 10, 100, 1000, 1]), rel=1e-3)
    assert raw.mean(axis=0) == pytest.approx(np.array([3, 30, 300, 3000, 3]), rel=1e-3)


@pytest.mark.parametrize("x", [BYTES / 255, BYTES / 127.5 - 1, standard(NUMBERS, 0)])
def test_normalising_again_is_the_inverse_of_undoing(x: np.ndarray) -> None:
    found = visible(x)
    assert normalized_again(raw_again(x, found), found) == pytest.approx(x, abs=1e-5)


def test_what_was_normalised_twice_lies_where_raw_inputs_would_not_be() -> None:
    assert normalized_again(BYTES / 255, visible(BYTES / 255)).max() == pytest.approx(1 / 255)
    signed = BYTES / 127.5 - 1
    assert normalized_again(signed, visible(signed)).max() == pytest.approx(1 / 127.5 - 1)


def test_a_minority_of_other_columns_does_not_hide_standardisation() -> None:
    x = standard(NUMBERS, 0)
    x[:, 4], x[:, 3] = 7.0, 0.0
    assert visible(x).kind == "standard"


@pytest.mark.parametrize(
    "x",
    [
        BYTES,
        NUMBERS,
        np.array([[0, 1]], "uint8"),
        np.full((3, 2), 0.5),
        np.repeat([[0.0, 5.0]], 3, axis=0),
        np.zeros((0, 2)),
    ],
    ids=["bytes", "measurements", "integers", "constant", "constant columns", "no rows"],
)
def test_raw_inputs_show_no_normalisation(x: np.ndarray) -> None:
    assert visible(x) is None


@given(st.integers(2, 40), st.integers(2, 6), st.integers(0, 2**31))
def test_standardised_columns_are_recognised(rows: int, columns: int, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(2 * rows, columns))
    x = standard(x, 0)
    low, high = x.min(), x.max()
    found = visible(x)
    assert found is not None
    # Only columns of two alternating values lie within -1 and 1 once they are standardised.
    assert found.kind == ("standard" if low < -1 or high > 1 else "signed")
