import json

import keras
import pytest
from faultloom.datasets.canonical import canonical_model
from faultloom.datasets.errors import SubjectError
from faultloom.operators.cases import small_program
from faultloom.operators.flow import Flow, flow_of

pytestmark = pytest.mark.tf

layers = keras.layers


def flow(model: keras.Model) -> Flow:
    return flow_of(small_program(architecture=canonical_model(model)))


def test_a_sequential_model_is_a_chain() -> None:
    found = flow_of(small_program())
    assert found.calls == {
        "dense": (("input_layer",),),
        "dropout": (("dense",),),
        "dense_1": (("dropout",),),
    }
    assert found.outputs == ("dense_1",)
    assert list(found.entries) == ["input_layer", "dense", "dropout", "dense_1"]
    assert found.consumers("dense") == ("dropout",) and found.source("dropout") == "dense"


def test_branches_and_joints_of_a_functional_model() -> None:
    inputs = keras.Input((4,))
    left, right = layers.Dense(3)(inputs), layers.Dense(3)(inputs)
    joined = layers.Concatenate()([left, right])
    found = flow(keras.Model(inputs, [joined, layers.Dense(2)(left)]))
    assert found.calls["concatenate"] == (("dense", "dense_1"),)
    assert sorted(found.consumers("dense")) == ["concatenate", "dense_2"]
    assert found.source("concatenate") is None and found.source("dense_2") == "dense"
    assert found.outputs == ("concatenate", "dense_2")


def test_nested_models_are_entered() -> None:
    inner = keras.Sequential(
        [keras.Input((4,)), layers.Dense(3, name="low"), layers.Dense(5, name="high")]
    )
    a, b = keras.Input((5,)), keras.Input((2,))
    of_b, of_a = layers.Dense(2, name="of_b")(b), layers.Dense(2, name="of_a")(a)
    pair = keras.Model([a, b], [of_b, of_a], name="pair")
    inputs, other = keras.Input((4,), name="first"), keras.Input((2,), name="second")
    one, two = pair([inner(inputs), other])
    ends = [layers.Dense(1, name="end_b")(one), layers.Dense(1, name="end_a")(two)]
    found = flow(keras.Model([inputs, other], ends))
    assert found.calls == {
        "sequential/low": (("first",),),
        "sequential/high": (("sequential/low",),),
        "pair/of_a": (("sequential/high",),),
        "pair/of_b": (("second",),),
        "end_a": (("pair/of_a",),),
        "end_b": (("pair/of_b",),),
    }
    assert found.outputs == ("end_b", "end_a")


def test_a_layer_that_is_called_twice_has_no_one_source() -> None:
    shared, inputs = layers.Dense(4), keras.Input((4,))
    found = flow(keras.Model(inputs, layers.Dense(2)(shared(shared(inputs)))))
    assert found.calls["dense"] == (("input_layer",), ("dense",))
    assert found.source("dense") is None
    assert sorted(found.consumers("dense")) == ["dense", "dense_1"]


def test_a_shared_layer_may_stand_before_what_feeds_it() -> None:
    shared, middle = layers.Dense(4), layers.Dense(4)
    inputs = keras.Input((4,))
    model = keras.Model(inputs, shared(middle(shared(inputs))))
    architecture = canonical_model(model)
    found = architecture["config"]["layers"]
    by_class = [entry for entry in found if entry["class_name"] == "Dense"]
    for order in (by_class, by_class[::-1]):
        architecture["config"]["layers"] = [found[0], *order]
        program = small_program(architecture=json.loads(json.dumps(architecture)))
        outer = architecture["config"]["output_layers"][0]
        assert len(flow_of(program).calls[outer]) == 2


def test_states_of_a_recurrent_layer_are_outputs_of_it() -> None:
    inputs = keras.Input((5, 3))
    sequence, *states = layers.LSTM(2, return_sequences=True, return_state=True)(inputs)
    found = flow(keras.Model(inputs, layers.LSTM(2)(sequence, initial_state=states)))
    assert found.calls["lstm_1"] == (("lstm", "lstm", "lstm"),)
    assert found.source("lstm_1") is None and found.consumers("lstm") == ("lstm_1",)


def test_layers_that_feed_each_other_are_refused() -> None:
    inputs = keras.Input((4,))
    architecture = canonical_model(keras.Model(inputs, layers.Dense(4)(layers.Dense(4)(inputs))))
    first = architecture["config"]["layers"][1]
    tensor = first["inbound_nodes"][0]["args"][0]
    tensor["config"]["keras_history"] = ["dense_1", 0, 0]
    with pytest.raises(SubjectError, match="run in circles"):
        flow_of(small_program(architecture=architecture))
