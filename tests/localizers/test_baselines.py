import numpy as np
import pytest
from faultloom.localizers.base import Case, LayerInfo
from faultloom.localizers.guider import Guider
from faultloom.localizers.registry import LOCALIZERS


def make_case(case_id="a", params=(0, 8, 20, 8), units=(1, 4, 9, 4)):
    rng = np.random.default_rng(0)
    outputs = [rng.normal(size=(30, 5)) for _ in params]
    layers = tuple(
        LayerInfo(f"layer_{i}", i, "Dense", p, {"name": f"layer_{i}", "units": u, "bias": True})
        for i, (p, u) in enumerate(zip(params, units, strict=True))
    )
    predictions = rng.random((30, 1))
    return Case(
        case_id,
        "classification",
        layers,
        rng.integers(0, 2, 30),
        predictions,
        outputs.__getitem__,
    )


def scores(name, case):
    diagnosis = LOCALIZERS.create(name).localize(case)
    return {suspect.layer: suspect.score for suspect in diagnosis.suspects}


def order(name, case):
    found = scores(name, case)
    return sorted(found, key=lambda layer: -found[layer])


def test_positions_and_sizes():
    case = make_case()
    assert order("first-layer", case) == [0, 1, 2, 3]
    assert order("last-layer", case) == [3, 2, 1, 0]
    assert scores("largest-layer", case) == {0: 0.0, 1: 8.0, 2: 20.0, 3: 8.0}


def test_random_is_a_tie_of_all_layers():
    assert scores("random", make_case()) == {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0}


def test_random_among_weighted_names_only_layers_with_weights():
    assert scores("random-among-weighted", make_case()) == {1: 0.0, 2: 0.0, 3: 0.0}
    bare = LOCALIZERS.create("random-among-weighted").localize(make_case(params=(0, 0, 0, 0)))
    assert bare.status == "abstained"


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ((4, 4, 9, 4), [0, 0, 0.5, 0]),
        ((1, 2, 3, 4), [0, 0, 0, 0]),
        ((4, 4, 4, 4), [0, 0, 0, 0]),
        ((1, 4, 9, 4), [0.25, 0, 0.25, 0]),
    ],
)
def test_odd_one_out(units, expected):
    assert list(scores("odd-one-out", make_case(units=units)).values()) == expected


def test_odd_one_out_compares_layers_of_one_class_and_missing_settings():
    layers = (
        LayerInfo("layer_0", 0, "Dense", 1, {"rate": 1}),
        LayerInfo("layer_1", 1, "Dense", 1, {}),
        LayerInfo("layer_2", 2, "Dense", 1, {}),
        LayerInfo("layer_3", 3, "Conv2D", 1, {"rate": 3}),
    )
    case = Case("c", "regression", layers, np.zeros(1), np.zeros(1), lambda _: np.zeros(1))
    assert scores("odd-one-out", case) == {0: pytest.approx(1 / 3), 1: 0.0, 2: 0.0, 3: 0.0}


def test_label_shuffle_is_guider_on_permuted_verdicts():
    case = make_case()
    shuffled = LOCALIZERS.create("label-shuffle")
    true = Guider().verdicts(case)
    permuted = shuffled.verdicts(case)
    assert permuted.sum() == true.sum()
    assert permuted.tolist() != true.tolist()
    assert permuted.tolist() == shuffled.verdicts(case).tolist()

    class Permuted(Guider):
        def verdicts(self, case):
            return permuted

    assert shuffled.layer_scores(case) == Permuted().layer_scores(case)
    assert shuffled.layer_scores(case) != Guider().layer_scores(case)
