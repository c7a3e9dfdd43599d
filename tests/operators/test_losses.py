"""Losses that are computed in a wrong way."""

import inspect
import warnings
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.build import build_loss
from faultloom.datasets.canonical import canonicalize
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.keras_classes import loss_class
from faultloom.datasets.program import Json
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf

X = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
Y = (X[:, 0] > 0).astype("int32") + (X[:, 1] > 0)


def as_class(name: str, **config: Json) -> Json:
    return {"class_name": name, "config": config}


def trained(loss: Json, activation: str | None) -> list[Any]:
    keras.utils.set_random_seed(7)
    layers = [keras.layers.Dense(8, "relu"), keras.layers.Dense(3, activation)]
    model = keras.Sequential([keras.Input((4,)), *layers])
    model.compile(keras.optimizers.SGD(0.1), build_loss(loss))
    y = Y if "parse" in str(loss) else keras.utils.to_categorical(Y, 3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*received `from_logits=True`")
        model.fit(X, y, epochs=3, shuffle=False, verbose=0)
    weights: list[Any] = model.get_weights()
    return weights


def equal(one: list[Any], other: list[Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_every_loss_function_has_a_class() -> None:
    names = {f.__name__ for f in vars(keras.losses).values() if inspect.isfunction(f)}
    names -= {"deserialize", "get", "serialize"}
    assert len(names) > 20
    for name in names:
        kind = getattr(keras.losses, loss_class(name))
        assert issubclass(kind, keras.losses.Loss)
    assert loss_class("kl_divergence") == "KLDivergence"
    with pytest.raises(SubjectError, match="loss nonsense: expected a function of Keras's own"):
        loss_class("nonsense")


def test_logits_are_taken_for_probabilities(new_values: Any) -> None:
    crossentropy = as_class("CategoricalCrossentropy", from_logits=True, label_smoothing=0.1)
    less = as_class("CategoricalCrossentropy", label_smoothing=0.1)
    assert new_values("LFL", small_program(loss=crossentropy)) == [[less]]
    plain = as_class("BinaryCrossentropy", from_logits=True)
    assert new_values("LFL", small_program(loss=plain)) == [["binary_crossentropy"]]


def test_probabilities_are_taken_for_logits_by_focal_losses_only(new_values: Any) -> None:
    focal = small_program(loss="categorical_focal_crossentropy")
    wrong = as_class("CategoricalFocalCrossentropy", from_logits=True)
    assert new_values("LFL", focal) == [[wrong]]
    for loss in ("sparse_categorical_crossentropy", "mean_squared_error", "hinge"):
        assert new_values("LFL", small_program(loss=loss)) == []


@pytest.mark.parametrize("name", ["Categorical", "SparseCategorical"])
def test_keras_mends_logits_that_are_probabilities(name: str) -> None:
    right, wrong = (
        as_class(f"{name}Crossentropy"),
        as_class(f"{name}Crossentropy", from_logits=True),
    )
    assert equal(trained(right, "softmax"), trained(wrong, "softmax"))
    assert not equal(trained(right, None), trained(wrong, None))


def test_keras_does_not_mend_focal_losses() -> None:
    wrong = as_class("CategoricalFocalCrossentropy", from_logits=True)
    assert not equal(
        trained("categorical_focal_crossentropy", "softmax"), trained(wrong, "softmax")
    )


def test_losses_are_summed_whatever_they_are_called(new_values: Any) -> None:
    summed = as_class("MeanSquaredError", reduction="sum")
    assert new_values("LWR", small_program(loss="mean_squared_error")) == [[summed]]
    huber = as_class("Huber", delta=2.0)
    assert new_values("LWR", small_program(loss=huber)) == [
        [as_class("Huber", delta=2.0, reduction="sum")]
    ]
    assert new_values("LWR", small_program(loss=summed)) == []
    assert float(build_loss(summed)([[0.0], [0.0]], [[1.0], [3.0]])) == 10.0


def test_each_output_has_a_loss_of_its_own(new_values: Any) -> None:
    logits = as_class("BinaryCrossentropy", from_logits=True)
    program = canonicalize(small_program(loss=["mean_squared_error", logits]).document())
    assert new_values("LFL", program) == [["binary_crossentropy"]]
    assert [[one["class_name"] for one in site] for site in new_values("LWR", program)] == [
        ["MeanSquaredError"],
        ["BinaryCrossentropy"],
    ]
