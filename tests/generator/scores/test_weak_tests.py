"""Weak test sets, both constructions, on inputs worked by hand."""

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.scores.weak_tests import confident, most_confident, varied


def test_inputs_that_a_model_is_sure_of_stay() -> None:
    confidence = np.array([1.0, 0.99999, 1.0, 0.2])
    assert confident(confidence).tolist() == [True, False, True, False]
    assert confident(confidence, 0.9).tolist() == [True, True, True, False]


def test_the_most_confident_share_stays() -> None:
    confidence = np.array([0.5, 0.9, 0.7, 0.9, 0.6])
    assert most_confident(confidence, 0.4).tolist() == [False, True, False, True, False]
    assert most_confident(confidence, 0.2).tolist() == [False, True, False, False, False]
    assert most_confident(confidence, 1.0).all()
    assert most_confident(confidence, 0.01).sum() == 1
    with pytest.raises(ConfigError, match=r"share: expected .* received 0"):
        most_confident(confidence, 0.0)


def test_inputs_whose_loss_hardly_varies_go_first() -> None:
    losses = np.array([[1.0, 5.0, 2.0, 0.0], [1.0, 9.0, 3.0, 0.5]])
    assert varied(losses, 2).tolist() == [False, True, True, False]
    assert varied(losses, 4).all()
    with pytest.raises(ConfigError, match="received 1 runs and 2 inputs"):
        varied(losses[:1], 2)
    with pytest.raises(ConfigError, match="1 to 4 inputs to keep, received 2 runs and 5 inputs"):
        varied(losses, 5)
