import keras
import pytest
from faultloom.datasets.build import build, build_model
from faultloom.datasets.canonical import (
    canonical_float,
    canonical_model,
    canonical_object,
    canonicalize,
    effective_config,
)
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import content_hash

pytestmark = pytest.mark.tf

L = keras.layers


def sequential():
    return keras.Sequential(
        [
            L.Input((8,)),
            L.Dense(4, activation="relu", kernel_regularizer="l2"),
            L.BatchNormalization(),
            L.Dropout(0.25),
            L.Dense(2, activation="softmax"),
        ]
    )


def two_inputs():
    one, other = keras.Input((4,)), keras.Input((3,), name="extra")
    joined = L.Concatenate()([L.Dense(5)(one), other])
    return keras.Model([one, other], L.Dense(1, name="answer")(joined))


def nested():
    inner = keras.Sequential([L.Input((6,)), L.Dense(6, activation="relu"), L.Dense(3)])
    inside = keras.Input((6,))
    middle = keras.Model(inside, L.Dense(6)(inside), name="middle")
    start = keras.Input((6,))
    return keras.Model(start, L.Dense(2)(inner(middle(start))))


def shared():
    dense = L.Dense(4)
    one, other = keras.Input((4,)), keras.Input((4,))
    return keras.Model([one, other], L.Add()([dense(one), dense(other)]))


def lstm():
    return keras.Sequential(
        [L.Input((5, 3)), L.LSTM(4, return_sequences=True), L.LSTM(4, use_bias=False), L.Dense(1)]
    )


def wrapped():
    return keras.Sequential(
        [
            L.Input((5, 3)),
            L.Bidirectional(L.LSTM(4, return_sequences=True)),
            L.TimeDistributed(L.Dense(2, activation=L.LeakyReLU())),
            L.RNN([L.LSTMCell(3), L.LSTMCell(3)]),
        ]
    )


def embedding():
    return keras.Sequential(
        [
            L.Input((7,), dtype="int32"),
            L.Embedding(20, 4),
            L.GlobalAveragePooling1D(),
            L.Dense(1, activation="sigmoid"),
        ]
    )


def convolutional():
    return keras.Sequential(
        [L.Input((8, 8, 1)), L.Conv2D(3, 3), L.MaxPooling2D(), L.Flatten(), L.Dense(2)]
    )


MAKERS = [sequential, two_inputs, nested, shared, lstm, embedding, convolutional, wrapped]


@pytest.mark.parametrize("make", MAKERS)
def test_round_trip(make):
    model = make()
    form = canonical_model(model)
    again = build_model(form)
    assert canonical_model(again) == form
    assert [w.shape for w in again.weights] == [w.shape for w in model.weights]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_made_twice_in_one_process_is_the_same(make):
    assert canonical_model(make()) == canonical_model(make())


def test_optimizers_are_the_same_however_many_a_process_made():
    forms = [
        canonical_object(keras.optimizers.serialize(cls(0.01)))
        for cls in (keras.optimizers.Adam, keras.optimizers.RMSprop)
        for _ in range(2)
    ]
    assert forms[0] == forms[1] == {"class_name": "Adam", "config": {"learning_rate": 0.01}}
    assert forms[2] == forms[3] == {"class_name": "RMSprop", "config": {"learning_rate": 0.01}}


def names(model):
    return [layer["config"]["name"] for layer in canonical_model(model)["config"]["layers"]]


def test_automatic_names_are_numbered_anew():
    for _ in range(3):
        L.Dense(1)
    assert names(sequential()) == [
        "input_layer",
        "dense",
        "batch_normalization",
        "dropout",
        "dense_1",
    ]


def test_user_names_are_kept_and_not_taken():
    assert "extra" in names(two_inputs())
    assert names(two_inputs())[-1] == "answer"
    assert "middle" in names(nested())
    model = keras.Sequential([L.Input((2,)), L.Dense(2, name="first"), L.Dense(2)])
    assert names(model) == ["input_layer", "first", "dense"]


def test_nothing_that_keras_infers_is_stored_of_a_connection():
    inputs = keras.Input((4,))
    dropped = L.Dropout(0.5)(L.Dense(3)(inputs))
    form = canonical_model(keras.Model(inputs, L.BatchNormalization()(dropped)))
    nodes = [layer["inbound_nodes"] for layer in form["config"]["layers"]]
    tensor = {"class_name": "__keras_tensor__", "config": {"keras_history": ["dropout", 0, 0]}}
    assert nodes[-1] == [{"args": [tensor], "kwargs": {}}]
    assert nodes[-2][0]["kwargs"] == {}
    called = L.BatchNormalization()(inputs, training=True)
    form = canonical_model(keras.Model(inputs, called))
    assert form["config"]["layers"][-1]["inbound_nodes"][0]["kwargs"] == {"training": True}


def test_a_nested_model_may_use_the_names_of_the_outer_one():
    inside = keras.Input((4,))
    inner = keras.Model(inside, L.Dense(4, name="dense_1")(L.Dense(4, name="dense_9")(inside)))
    start = keras.Input((4,))
    model = keras.Model(start, L.Dense(2, name="dense")(inner(L.Dense(4, name="dense_5")(start))))
    form = canonical_model(model)
    assert canonical_model(build_model(form)) == form


def test_defaults_are_dropped_and_can_be_filled_in():
    dense = canonical_model(sequential())["config"]["layers"][1]
    assert set(dense["config"]) == {"name", "units", "activation", "kernel_regularizer"}
    full = effective_config("Dense", dense["config"])
    assert full["use_bias"] is True
    assert full["activation"] == "relu"
    assert full["kernel_initializer"]["class_name"] == "GlorotUniform"


def test_floats_are_the_shortest_that_mean_the_same_float32():
    assert canonical_float(float(keras.ops.convert_to_tensor(0.001))) == 0.001
    with pytest.raises(SubjectError, match="finite"):
        canonical_float(float("nan"))


def test_custom_layers_are_refused():
    class Mine(L.Layer):
        def call(self, value):
            return value

    with pytest.raises(SubjectError, match="Mine"):
        canonical_model(keras.Sequential([L.Input((2,)), Mine()]))


def program_of(model):
    empty = {"x": [content_hash("x")], "y": [content_hash("y")], "sample_weight": None}
    return canonicalize(
        {
            "architecture": canonical_model(model),
            "callbacks": [],
            "data": {"train": empty, "validation": None, "judge": empty, "test": empty},
            "fit": {"batch_size": 32, "class_weight": None, "epochs": 1, "shuffle": True},
            "initial_weights": None,
            "loss": "mean_squared_error",
            "metrics": ["accuracy"],
            "optimizer": {"class_name": "Adam", "config": {"learning_rate": 0.003}},
            "transforms": [],
            "weight_edits": [],
        }
    )


def test_canonicalizing_again_changes_nothing():
    program = program_of(nested())
    assert canonicalize(program.document()) == program
    assert build(program).optimizer.learning_rate.numpy() == pytest.approx(0.003)


@pytest.mark.parametrize(
    ("make", "program_id"),
    [
        (sequential, "4716c7810d0562fce2586da2835e37e804de7ee6f7cc12a7dcea7ac679dbbd28"),
        (two_inputs, "6c243c1fad22e8e833d047670760d5a1ab3efdd6bc12a84b88c9854a3e5703aa"),
    ],
)
def test_golden_program_ids(make, program_id):
    assert program_of(make()).program_id == program_id


def test_the_name_of_a_learning_rate_schedule_is_no_part_of_the_program():
    def schedule(**name):
        decay = keras.optimizers.schedules.ExponentialDecay(0.1, 20, 0.5, **name)
        return canonical_object(keras.optimizers.serialize(keras.optimizers.SGD(decay)))

    assert schedule() == schedule(name="mine")
    config = schedule()["config"]["learning_rate"]["config"]
    assert config == {"initial_learning_rate": 0.1, "decay_steps": 20, "decay_rate": 0.5}
