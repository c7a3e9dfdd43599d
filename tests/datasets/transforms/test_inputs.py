from collections.abc import Callable

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.transforms import TransformResult

Table = Callable[..., Rows]
Transformed = Callable[..., TransformResult]


def test_noise_is_as_strong_as_the_row_varies(table: Table, transformed: Transformed) -> None:
    spread = np.random.default_rng(0).normal(size=(200, 400))
    x = (spread * np.linspace(1, 9, 200)[:, None] + 50).astype("float32")
    rows = table(np.zeros(200, int), x)
    result = transformed(rows, "add_noise", percentage=40.0)
    noise = result.rows.x[0].astype("float64") - x
    assert np.array_equal(result.touched, np.flatnonzero(noise.any(axis=1)))
    assert len(result.touched) == 80 and result.rows.x[0].dtype == x.dtype
    ratio = noise[result.touched].std(axis=1) / x[result.touched].std(axis=1)
    assert ratio == pytest.approx(np.full(80, 0.4), rel=0.15)
    assert result.rows.y[0] is rows.y[0] and result.index is None


def test_rows_that_do_not_vary_get_no_noise(table: Table, transformed: Transformed) -> None:
    rows = table([0, 1, 0], [[4.0, 4.0], [1.0, 3.0], [7.0, 7.0]])
    result = transformed(rows, "add_noise", percentage=100.0)
    assert result.touched.tolist() == [1]


@pytest.mark.parametrize("dtype", ["uint8", "int64", "bool"])
def test_noisy_integers_are_integers_of_the_same_range(
    table: Table, transformed: Transformed, dtype: str
) -> None:
    high = 2 if dtype == "bool" else 200
    x = np.random.default_rng(0).integers(0, high, (50, 4, 3)).astype(dtype)
    result = transformed(table(np.zeros(50), x), "add_noise", percentage=100.0)
    noisy = result.rows.x[0]
    assert noisy.dtype == x.dtype and noisy.min() >= x.min() and noisy.max() <= x.max()
    assert np.array_equal(result.touched, np.flatnonzero((noisy != x).reshape(50, -1).any(axis=1)))
    assert len(result.touched) > 25


def test_only_the_first_input_gets_noise(transformed: Transformed) -> None:
    x = np.arange(12.0).reshape(4, 3)
    result = transformed(Rows((x, x), (np.zeros(4),)), "add_noise", percentage=100.0)
    assert result.rows.x[1] is x and not np.array_equal(result.rows.x[0], x)


@pytest.mark.parametrize(
    ("x", "factor", "scaled", "touched"),
    [
        (np.array([[0.0], [2.0]], "float32"), 10.0, [[0.0], [20.0]], [1]),
        (np.array([[3, 4], [1, 0]], "uint8"), 255.0, [[765.0, 1020.0], [255.0, 0.0]], [0, 1]),
        (np.array([[8.0]], "float64"), 0.125, [[1.0]], [0]),
    ],
)
def test_inputs_are_scaled(
    table: Table, undrawn: Transformed, x: np.ndarray, factor: float, scaled: object, touched: list
) -> None:
    result = undrawn(table(np.zeros(len(x)), x), "scale_inputs", factor=factor, input=0)
    assert np.array_equal(result.rows.x[0], scaled)
    assert result.rows.x[0].dtype == (x.dtype if x.dtype.kind == "f" else "float32")
    assert result.touched.tolist() == touched


def test_the_input_that_is_named_is_scaled(undrawn: Transformed) -> None:
    x = np.ones((2, 1), "float32")
    result = undrawn(Rows((x, x), (np.zeros(2),)), "scale_inputs", factor=3.0, input=1)
    assert result.rows.x[0] is x and result.rows.x[1].tolist() == [[3.0], [3.0]]


@pytest.mark.parametrize(
    ("order", "permuted"),
    [
        ("reversed", [[[2, 1], [4, 3]], [[5, 5], [5, 5]]]),
        ("rotated", [[[2, 1], [4, 3]], [[5, 5], [5, 5]]]),
        ("transposed", [[[1, 3], [2, 4]], [[5, 5], [5, 5]]]),
    ],
)
def test_features_come_in_another_order(
    table: Table, undrawn: Transformed, order: str, permuted: object
) -> None:
    rows = table([0, 1], [[[1, 2], [3, 4]], [[5, 5], [5, 5]]])
    result = undrawn(rows, "permute_features", order=order, input=0)
    assert np.array_equal(result.rows.x[0], permuted) and result.touched.tolist() == [0]


def test_rotation_is_by_one(table: Table, undrawn: Transformed) -> None:
    result = undrawn(table([0], [[1, 2, 3]]), "permute_features", order="rotated", input=0)
    assert result.rows.x[0].tolist() == [[3, 1, 2]]


def standardised(x: np.ndarray, over: np.ndarray, axis: object) -> np.ndarray:
    """The definition, slowly."""
    wide = x.astype("float64").copy()
    for position in np.ndindex(x.shape):
        sample = x[position[0]] if axis == "rows" else over[(slice(None), *position[1:])]
        width = sample.std(dtype="float64")
        wide[position] = (x[position] - sample.mean(dtype="float64")) / (width if width else 1)
    return wide


@pytest.mark.parametrize("shape", [(6, 3), (5, 2, 2, 2)])
@pytest.mark.parametrize(
    ("axis", "statistics"), [("rows", "train"), ("columns", "train"), ("columns", "own")]
)
def test_inputs_are_standardised_along_an_axis(
    table: Table, undrawn: Transformed, shape: tuple[int, ...], axis: str, statistics: str
) -> None:
    rng = np.random.default_rng(3)
    x, other = (rng.normal(9, 4, shape).astype("float32") for _ in range(2))
    other[..., 0] = 9.0  # a column without spread is centred only
    train, held = (table(np.zeros(shape[0]), array) for array in (other, x))
    setting = {"axis": axis, "statistics": statistics, "input": 0}
    result = undrawn(held, "standardize_inputs", stored={"train": train}.__getitem__, **setting)
    expected = standardised(x, other if statistics == "train" else x, axis)
    assert result.rows.x[0] == pytest.approx(expected, abs=1e-4)
    assert result.rows.x[0].dtype == x.dtype and len(result.touched) == shape[0]


def test_normalisation_is_that_of_the_training_rows(table: Table, undrawn: Transformed) -> None:
    # The held-out rows go beyond the range of the training rows, and are still of that scale.
    train, held = table([0, 0], [[0.0], [1.0]]), table([0, 0], [[1.25], [0.0]])
    setting = {"stored": {"train": train}.__getitem__, "input": 0}
    raw = undrawn(held, "renormalize_inputs", direction="undo", **setting)
    assert raw.rows.x[0].tolist() == [[318.75], [0.0]] and raw.touched.tolist() == [0]
    again = undrawn(held, "renormalize_inputs", direction="again", **setting)
    assert again.rows.x[0] == pytest.approx(np.array([[1.25 / 255], [0.0]]))


def test_inputs_that_show_no_normalisation_stay(table: Table, undrawn: Transformed) -> None:
    rows = table([0, 0], np.array([[0], [255]], "uint8"))
    setting = {"stored": {"train": rows}.__getitem__, "input": 0, "direction": "undo"}
    result = undrawn(rows, "renormalize_inputs", **setting)
    assert result.rows is rows and len(result.touched) == 0
