import numpy as np
import pytest
from faultloom.localizers.spectrum.activation import active, flatten_neurons, sample_neurons
from faultloom.localizers.spectrum.aggregation import gini, gini_mean, mean
from faultloom.localizers.spectrum.counts import Spectrum, count, weigh
from faultloom.localizers.spectrum.formulas import FORMULAS, suspiciousness
from faultloom.localizers.spectrum.verdicts import confidence, passed


def test_activation_is_strict_and_nan_is_inactive():
    found = active(np.array([[0.1, 0.11, np.nan, np.inf]]), 0.1)
    assert found.tolist() == [[False, True, False, True]]
    assert flatten_neurons(np.zeros((2, 3, 4)), 2).shape == (2, 12)
    assert flatten_neurons(np.zeros(2), 2).shape == (2, 1)


@pytest.mark.parametrize("rng", [np.random.RandomState(1), np.random.default_rng(1)])
def test_sampling_is_sorted_with_replacement(rng):
    assert sample_neurons(4, 4, rng).tolist() == [0, 1, 2, 3]
    drawn = sample_neurons(21, 20, rng)
    assert drawn.tolist() == sorted(drawn.tolist())
    assert len(drawn) == 20
    assert len(set(drawn.tolist())) < 20


def test_verdicts_of_odd_shapes():
    two = np.array([[0.2, 0.8], [0.7, 0.3]])
    assert passed("classification", np.array([1, 1]), two).tolist() == [True, False]
    assert passed("classification", np.eye(2), two).tolist() == [False, False]
    assert passed("classification", np.eye(3)[:2], two).tolist() == [False, False]
    assert passed("classification", np.eye(2), np.ones(2)).tolist() == [False, False]
    rounded = passed("classification", np.array([0, 2, 2, 1]), np.array([0.5, 1.5, 2.5, 1.6]))
    assert rounded.tolist() == [True, True, True, False]
    assert passed("regression", np.zeros(3), np.array([1e-3, 2e-3, np.nan])).tolist() == [
        True,
        False,
        False,
    ]
    assert passed("regression", np.zeros((2, 2)), np.zeros(2)).tolist() == [False, False]


def test_confidence():
    assert confidence("classification", np.zeros(3), np.array([0.0, 0.5, 1.0])).tolist() == [
        0.0,
        0.5,
        1.0,
    ]
    assert confidence("classification", np.zeros(2), np.full(2, np.nan)).tolist() == [0.0, 0.0]
    assert confidence("classification", np.zeros(2), np.array([0.0, np.inf])).tolist() == [0, 0]
    assert confidence("regression", np.zeros(2), np.array([0.0, 2.0])).tolist() == [1.0, 0.0]
    assert confidence("regression", np.zeros((2, 3)), np.zeros(2)).tolist() == [1.0, 1.0]


def test_counts_by_hand():
    weights = weigh(np.array([True, False, False]), np.array([0.0, 1.0, 0.5]))
    found = count(np.array([[1, 0], [1, 1], [0, 1]], dtype=bool), weights)
    assert found.ef.tolist() == [2.0, 3.5]
    assert found.ep.tolist() == [1.0, 0.0]
    assert (found.failing, found.passing) == (3.5001, 1.0001)


@pytest.mark.parametrize("formula", FORMULAS)
def test_zero_rule(formula):
    silent = Spectrum(np.zeros(2), np.zeros(2), 1e-4, 1e-4)
    assert suspiciousness(formula, silent).tolist() == [0.0, 0.0]


def test_gini():
    assert gini(np.array([0.0, 0.0, 3.0])) == pytest.approx(2 / 3)
    assert gini(np.full(5, 0.3)) == pytest.approx(0.0, abs=1e-12)
    assert gini_mean(np.array([0.0, 0.0, 3.0])) == pytest.approx(1 / 3)
    for nothing in (np.zeros(0), np.zeros(3)):
        assert np.isnan(gini(nothing))
        assert np.isnan(gini_mean(nothing))
    assert np.isnan(mean(np.zeros(0)))
