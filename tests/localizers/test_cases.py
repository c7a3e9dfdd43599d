"""A case shows a model, its tests and nothing of what was done to it."""

import json
from dataclasses import asdict, fields, replace
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows, by_hash
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.errors import CorpusError
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import replaced
from faultloom.datasets.transforms import TRANSFORMS, TransformResult
from faultloom.localizers.base import Case
from faultloom.localizers.cases import make_case
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf

layers = keras.layers
RNG = np.random.default_rng(2)


def program_of(model: Any, test: Rows) -> TrainingProgram:
    other = Rows(tuple(a[:3] for a in test.x), tuple(a[:3] for a in test.y)).record()
    data = {"train": other, "validation": None, "judge": other, "test": test.record()}
    architecture = canonical_model(model)
    return canonicalize({**small_program().document(), "architecture": architecture, "data": data})


def case_of(model: Any, test: Rows, weights: Any = None) -> Case:
    weights = model.get_weights() if weights is None else weights
    arrays = by_hash([test])
    return make_case(program_of(model, test), weights, arrays, "classification", "4711")


def rows(*shape: int) -> Rows:
    return Rows((RNG.normal(size=(12, *shape)).astype("float32"),), (RNG.integers(0, 3, 12),))


def deep() -> Any:
    inner = keras.Sequential(
        [keras.Input((6,)), layers.Dense(5, "relu", name="inserted"), layers.BatchNormalization()],
        name="mutant",
    )
    seeded = keras.initializers.HeNormal(seed=4711)
    model = keras.Sequential(
        [
            keras.Input((8, 2)),
            layers.Conv1D(4, 3, kernel_initializer=seeded, kernel_regularizer="l1"),
            layers.Dropout(0.5, seed=4242),
            layers.Bidirectional(layers.LSTM(3, recurrent_initializer=seeded, name="culprit")),
            inner,
            layers.Dense(3, "softmax", activity_regularizer="l2", bias_initializer="ones"),
        ]
    )
    for variable in model.weights:
        if "moving" not in variable.path:
            variable.assign(RNG.normal(size=variable.shape))
    return model


def test_layers_are_named_by_position() -> None:
    found = case_of(deep(), rows(8, 2)).layers
    assert [(layer.name, layer.index, layer.class_name) for layer in found] == [
        ("layer_0", 0, "Conv1D"),
        ("layer_1", 1, "Dropout"),
        ("layer_2", 2, "Bidirectional"),
        ("layer_3", 3, "Dense"),
        ("layer_4", 4, "BatchNormalization"),
        ("layer_5", 5, "Dense"),
    ]
    assert [layer.n_params for layer in found] == [28, 0, 2 * 4 * 3 * (4 + 3 + 1), 35, 20, 18]


def test_settings_are_blinded_down_to_the_innermost_layer() -> None:
    found = case_of(deep(), rows(8, 2)).layers
    assert [dict(layer.config) for layer in found] == [
        {"dilation_rate": [1], "filters": 4, "kernel_size": [3], "strides": [1]},
        {"rate": 0.5},
        {
            "layer": {"class_name": "LSTM", "config": {"units": 3}},
            "backward_layer": {
                "class_name": "LSTM",
                "config": {"go_backwards": True, "units": 3},
            },
        },
        {"activation": "relu", "units": 5},
        {},
        {"activation": "softmax", "units": 3},
    ]


def test_nothing_in_a_case_betrays_the_mutation() -> None:
    case = case_of(deep(), rows(8, 2))
    text = json.dumps([asdict(layer) for layer in case.layers])
    for secret in ("mutant", "inserted", "culprit", "HeNormal", "seed", "4711", "4242", "Ones"):
        assert secret not in text
    assert "initializer" not in text and "regularizer" not in text
    assert {field.name for field in fields(Case)} == {
        "case_id",
        "task",
        "layers",
        "labels",
        "predictions",
        "activations",
    }


def test_programs_that_differ_in_what_is_hidden_have_equal_settings() -> None:
    clean = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")])
    faulty = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(3, "softmax", kernel_initializer="zeros", kernel_regularizer="l2"),
        ]
    )
    test = rows(4)
    assert case_of(clean, test).layers == case_of(faulty, test).layers


def test_activations_and_predictions_are_those_of_keras() -> None:
    model, test = deep(), rows(8, 2)
    case = case_of(model, test)
    *outer, inner, last = model.layers
    between = keras.Model(model.inputs, [layer.output for layer in outer])
    expected = between.predict(test.x[0], verbose=0)
    nested = keras.Model(inner.inputs, [layer.output for layer in inner.layers])
    expected += nested.predict(expected[-1], verbose=0)
    expected.append(last(expected[-1]).numpy())
    assert len(expected) == len(case.layers)
    for index, layer_output in enumerate(expected):
        assert case.activations(index) == pytest.approx(layer_output, abs=1e-5)
    assert case.predictions == pytest.approx(model.predict(test.x[0], verbose=0), abs=1e-5)
    assert np.array_equal(case.predictions, case.activations(5))
    assert np.array_equal(case.activations(1), case.activations(0))


def test_branches_and_several_inputs() -> None:
    a, b = keras.Input((4,)), keras.Input((2,))
    joined = layers.Concatenate()([layers.Dense(3, "relu")(a), layers.Dense(2, "tanh")(b)])
    first = layers.Dense(3, "softmax")(joined)
    model = keras.Model([a, b], [first, layers.Dense(1)(joined)])
    x = (rows(4).x[0], rows(2).x[0])
    test = Rows(x, (RNG.integers(0, 3, 12), x[0][:, :1]))
    case = case_of(model, test)
    expected = keras.Model(model.inputs, [layer.output for layer in model.layers[2:]])
    outputs = expected.predict(list(x), verbose=0)
    assert [layer.class_name for layer in case.layers] == [
        type(layer).__name__ for layer in model.layers[2:]
    ]
    for index, output in enumerate(outputs):
        assert case.activations(index) == pytest.approx(output, abs=1e-5)
    assert case.predictions == pytest.approx(first_of(model.predict(list(x), verbose=0)), abs=1e-5)
    assert case.predictions.shape == (12, 3)


def first_of(outputs: list[Any]) -> Any:
    return outputs[0]


def test_tests_are_the_test_rows_alone_and_as_they_are() -> None:
    model, test = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")]), rows(4)
    clean = program_of(model, test)
    transform = {"name": "change_labels", "parameters": {"percentage": 100.0}, "roles": ["train"]}
    program = TrainingProgram.of(replaced(clean.document(), "/transforms", [transform]))
    case = make_case(program, model.get_weights(), by_hash([test]), "classification", "4711")
    assert (case.case_id, case.task) == ("4711", "classification")
    assert np.array_equal(case.labels, test.y[0])
    assert len(case.predictions) == len(test) == 12


def shifted(test: Rows, *_: Any) -> TransformResult:
    return TransformResult(replace(test, x=(test.x[0] + 1,)), None, np.arange(len(test)))


def test_tests_are_transformed_as_the_program_transforms_its_test_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(TRANSFORMS, "shift", shifted)
    model, test = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")]), rows(4)
    transform = {"name": "shift", "parameters": {}, "roles": ["test"]}
    document = replaced(program_of(model, test).document(), "/transforms", [transform])
    program = TrainingProgram.of(document)
    case = make_case(program, model.get_weights(), by_hash([test]), "classification", "4711")
    wanted = model.predict(test.x[0] + 1, verbose=0)
    assert case.predictions == pytest.approx(wanted, abs=1e-5)
    assert np.array_equal(case.labels, test.y[0])


def test_randomly_transformed_test_rows_are_refused() -> None:
    model, test = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")]), rows(4)
    parameters = {"percentage": 50.0}
    transform = {"name": "change_labels", "parameters": parameters, "roles": ["train", "test"]}
    document = replaced(program_of(model, test).document(), "/transforms", [transform])
    program = TrainingProgram.of(document)
    with pytest.raises(CorpusError, match="transform 0 of the program draws random test rows"):
        make_case(program, model.get_weights(), by_hash([test]), "classification", "4711")


@pytest.mark.parametrize("change", ["fewer", "other shape"])
def test_weights_that_do_not_fit_are_refused(change: str) -> None:
    model = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")])
    kernel, bias = model.get_weights()
    weights = [kernel] if change == "fewer" else [kernel.T, bias]
    with pytest.raises(CorpusError, match="the stored weights do not fit"):
        case_of(model, rows(4), weights)


def test_tests_are_normalised_by_the_training_rows() -> None:
    model, test = keras.Sequential([keras.Input((4,)), layers.Dense(3, "softmax")]), rows(4)
    train = Rows((RNG.uniform(0, 1, (9, 4)).astype("float32"),), (np.arange(9) % 3,))
    parameters = {"direction": "undo", "input": 0}
    transform = {"name": "renormalize_inputs", "parameters": parameters, "roles": ["test"]}
    document = replaced(program_of(model, test).document(), "/transforms", [transform])
    document["data"]["train"] = train.record()
    program = TrainingProgram.of(document)
    arrays = by_hash([test, train])
    case = make_case(program, model.get_weights(), arrays, "classification", "4711")
    wanted = model.predict(test.x[0] * 255, verbose=0)
    assert case.predictions == pytest.approx(wanted, abs=1e-5)
