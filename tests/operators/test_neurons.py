"""Operators on trained weights: where they apply, and which neurons their truth names."""

from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.errors import ConfigError, NotApplicable
from faultloom.datasets.program import TrainingProgram
from faultloom.operators import (
    Mutation,
    Site,
    faults_of,
    mutate,
    operator,
    operators,
    revert_faults,
)
from faultloom.operators.cases import small_program
from faultloom.operators.neuron_effects import FIXES_ZERO, MOVES_ZERO, blocking_layers
from faultloom.operators.neuron_layers import chosen, neuron_layers
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.tf

layers = keras.layers
OF_NEURONS = [found.code for found in operators() if found.granularity == "neuron"]


def program_of(model: keras.Model) -> TrainingProgram:
    document = small_program().document()
    return canonicalize({**document, "architecture": canonical_model(model)})


def chain(shape: tuple[int | None, ...], *parts: Any) -> TrainingProgram:
    return program_of(keras.Sequential([keras.Input(shape), *parts]))


def sites(code: str, program: TrainingProgram) -> list[str | None]:
    return [site.layer for site in operator(code).sites(program)]


def images() -> TrainingProgram:
    return chain(
        (8, 8, 2),
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.DepthwiseConv2D(3, depth_multiplier=2),
        layers.SeparableConv2D(5, 3),
        layers.Flatten(),
        layers.Dense(3, "softmax"),
    )


def test_codes() -> None:
    assert OF_NEURONS == ["NAI", "NEB", "NGF", "NNI", "NST", "NSW", "NWI", "NWS"]


def test_neurons_are_units_and_output_channels() -> None:
    found = {one.layer.name: (one.units, one.incoming) for one in neuron_layers(images())}
    assert found == {
        "conv2d": (4, 18),
        "depthwise_conv2d": (8, 9),
        "separable_conv2d": (5, 8),
        "dense": (3, None),
    }


def test_recurrent_neurons_are_units() -> None:
    program = chain(
        (6, 6, 1),
        layers.Reshape((6, 6, 1, 1)),
        layers.ConvLSTM2D(3, (2, 1)),
        layers.Reshape((5, 3)),
        layers.SimpleRNN(5, return_sequences=True),
        layers.LSTM(1, return_sequences=True),
        layers.GRU(2),
    )
    found = {one.layer.name: (one.units, one.incoming) for one in neuron_layers(program)}
    # What a Reshape gives is not read.
    assert found == {
        "conv_lstm2d": (3, None),
        "simple_rnn": (5, None),
        "lstm": (1, 5),
        "gru": (2, 2),
    }


def test_a_convolutional_recurrent_neuron_sees_its_own_layer_through_the_kernel() -> None:
    (found,) = neuron_layers(chain((3, 4, 4, 2), layers.ConvLSTM2D(5, (3, 2))))
    model = keras.Sequential([keras.Input((3, 4, 4, 2)), layers.ConvLSTM2D(5, (3, 2))])
    sizes = [np.prod(w.shape[:-1]) for w in model.layers[0].weights if w.name != "bias"]
    assert found.incoming == max(sizes) == 30


def test_kernel_sizes_may_be_one_number() -> None:
    document = chain((8, 8, 3), layers.Conv2D(4, 3)).document()
    document["architecture"]["config"]["layers"][1]["config"]["kernel_size"] = 2
    (found,) = neuron_layers(canonicalize(document))
    assert found.incoming == 12


def test_channels_that_come_first_are_not_counted() -> None:
    document = chain((8, 8, 3), layers.DepthwiseConv2D(3), layers.Conv2D(4, 3)).document()
    for entry in document["architecture"]["config"]["layers"][1:]:
        entry["config"]["data_format"] = "channels_first"
    (found,) = neuron_layers(canonicalize(document))
    assert (found.layer.name, found.units, found.incoming) == ("conv2d", 4, None)
    assert blocking_layers(found) == ()


def test_grouped_convolutions_have_fewer_incoming_weights() -> None:
    program = chain((8, 4), layers.Conv1D(4, 3, groups=2), layers.Dropout(0.1), layers.Dense(2))
    assert [one.incoming for one in neuron_layers(program)] == [6, 4]


def test_wrapped_and_unknown_layers_have_no_site() -> None:
    program = chain(
        (6, 4),
        layers.TimeDistributed(layers.Dense(4)),
        layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
        layers.DepthwiseConv1D(2),
        layers.Conv1DTranspose(3, 2),
        layers.LayerNormalization(),
        layers.Flatten(),
        layers.Dense(2),
    )
    for code in (*OF_NEURONS, "NQT"):
        assert sites(code, program) == ["dense"]


def test_a_depthwise_layer_counts_the_channels_through_what_keeps_them() -> None:
    program = chain(
        (None, 3),
        layers.Dropout(0.5),
        layers.DepthwiseConv1D(2, depth_multiplier=2),
        layers.MaxPooling1D(2),
        layers.DepthwiseConv1D(2),
        layers.GlobalMaxPooling1D(),
        layers.Dense(2),
    )
    assert [one.units for one in neuron_layers(program)] == [6, 6, 2]


def test_neurons_are_drawn_by_layer_units_and_share_alone() -> None:
    assert chosen("dense", 8, 0.5) == chosen("dense", 8, 0.5) == sorted(chosen("dense", 8, 0.5))
    assert [len(chosen("dense", 8, share)) for share in (0.01, 0.1, 0.5, 1.0)] == [1, 1, 4, 8]
    assert len({tuple(chosen(f"dense_{n}", 40, 0.1)) for n in range(20)}) > 15
    counts = np.bincount([n for k in range(400) for n in chosen(str(k), 8, 0.25)], minlength=8)
    assert counts.sum() == 800 and (abs(counts - 100) < 45).all()


def test_candidates_are_few_and_name_the_same_neurons() -> None:
    program = images()
    for code in (*OF_NEURONS, "NQT"):
        acting = operator(code)
        for site in acting.sites(program):
            variants = acting.variants(program, site)
            assert 1 <= len(variants) <= 4
            if code in OF_NEURONS and code != "NSW":
                fuzzed = operator("NGF").variants(program, site)
                drawn = [tuple(v["neurons"]) for v in (*variants, *fuzzed)]
                assert set(drawn) == {tuple(v["neurons"]) for v in fuzzed}


@pytest.mark.parametrize("code", OF_NEURONS)
def test_the_truth_names_layer_and_neurons(code: str) -> None:
    program, acting = images(), operator(code)
    for site in acting.sites(program):
        for parameters in acting.variants(program, site):
            mutation = Mutation(code, site, parameters)
            faulty = mutate(program, [mutation])
            (fault,) = faults_of(program, faulty, [mutation])
            assert fault.fault_type == code and fault.granularity == "neuron"
            assert (fault.layer, fault.clean_layer) == (site.layer, site.layer)
            assert fault.neurons == tuple(sorted(parameters["neurons"]))
            (edit,) = faulty.document()["weight_edits"]
            assert edit["name"] == acting.edit  # type: ignore[attr-defined]
            assert edit["parameters"]["neurons"] == list(fault.neurons)


def test_a_quantised_layer_is_the_fault_and_none_of_its_neurons() -> None:
    program = images()
    mutation = Mutation("NQT", Site("/weight_edits", "conv2d", 0), {"bits": 3})
    (fault,) = faults_of(program, mutate(program, [mutation]), [mutation])
    assert (fault.granularity, fault.layer, fault.neurons) == ("layer", "conv2d", ())
    assert fault.layer_localisable and fault.position == "first"


def test_a_shuffle_needs_two_weights_to_shuffle() -> None:
    program = chain((5, 1), layers.Conv1D(2, 1), layers.Conv1D(1, 2), layers.LSTM(1))
    assert sites("NGF", program) == ["conv1d", "conv1d_1", "lstm"]
    assert sites("NWS", program) == ["conv1d_1"]


def test_a_switch_needs_two_neurons_and_takes_pairs() -> None:
    program = chain((5,), layers.Dense(1), layers.Dense(2), layers.Dense(9))
    assert sites("NSW", program) == ["dense_1", "dense_2"]
    acting = operator("NSW")
    for site in acting.sites(program):
        sizes = [len(variant["neurons"]) for variant in acting.variants(program, site)]
        assert sizes == ([2] if site.layer == "dense_1" else [2, 4])
    site = acting.sites(program)[1]
    with pytest.raises(ConfigError, match=r"expected pairs of neurons; received \[0, 1, 2\]"):
        acting.apply(program, site, {"neurons": [0, 1, 2]})


def test_neurons_are_stuck_by_their_biases() -> None:
    program = chain((5,), layers.Dense(3, use_bias=False), layers.Dense(2))
    assert sites("NST", program) == ["dense_1"]


@pytest.mark.parametrize(
    ("code", "wrong", "message"),
    [
        ("NAI", {"neurons": [8]}, r"dense has the neurons 0 to 7; received \[8\]"),
        ("NAI", {"neurons": [-1]}, "0 to 7"),
        ("NAI", {"neurons": [1.0]}, "0 to 7"),
        ("NAI", {"neurons": [True]}, "0 to 7"),
        ("NGF", {"neurons": [1], "magnitude": -1}, "expected a magnitude from 0.0 to 1000000.0"),
        ("NWI", {"neurons": [1], "share": 1.5}, "expected a share from 0.0 to 1.0; received 1.5"),
        ("NNI", {"neurons": [1], "share": "all"}, "expected a share .* received 'all'"),
        ("NST", {"neurons": [1], "value": float("nan")}, "expected a value .* received nan"),
        ("NQT", {"bits": 1}, "expected bits from 2 to 16; received 1"),
        ("NQT", {"bits": 2.5}, "received 2.5"),
    ],
)
def test_parameters_without_a_meaning_are_refused(
    code: str, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        operator(code).apply(small_program(), Site("/weight_edits", "dense", 0), wrong)


@pytest.mark.parametrize(
    ("code", "parameters"),
    [
        ("NAI", {"neurons": []}),
        ("NGF", {"neurons": [1], "magnitude": 0}),
        ("NWI", {"neurons": [1], "share": 0}),
        ("NNI", {"neurons": [1], "share": 0.0}),
    ],
)
def test_changing_nothing_is_refused(code: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(NotApplicable, match="would change nothing"):
        operator(code).apply(small_program(), Site("/weight_edits", "dense", 0), parameters)


def test_activations_are_sorted_by_what_they_make_of_zero() -> None:
    known = keras.activations
    rows = np.array([[0.0, 1.0, -1.0]], "float32")
    mixing = {"softmax", "log_softmax", "sparsemax", "glu"}
    aliases = {"swish", "hard_swish"}
    needing_arguments = {"threshold"}
    names = {name for name in dir(known) if name[0] != "_"} - {"get", "serialize", "deserialize"}
    assert names == FIXES_ZERO | MOVES_ZERO | mixing | aliases | needing_arguments
    for name in FIXES_ZERO | MOVES_ZERO:
        function = known.get(name)
        assert known.serialize(function) == name
        whole = np.asarray(function(rows))
        single = [float(np.asarray(function(rows[:, [i]]))[0, 0]) for i in range(3)]
        assert np.allclose(whole[0], single)
        assert (whole[0, 0] == 0) == (name in FIXES_ZERO)


def blocking(program: TrainingProgram) -> dict[str, tuple[str, ...] | None]:
    return {one.layer.name: blocking_layers(one) for one in neuron_layers(program)}


def test_neurons_are_blocked_in_the_layers_that_they_feed_where_zero_is_not_kept() -> None:
    inner = keras.Sequential([keras.Input((5, 5, 4)), layers.Conv2D(4, 3, activation="softplus")])
    program = chain(
        (7, 7, 1),
        layers.Conv2D(4, 3, activation="sigmoid"),
        layers.BatchNormalization(),
        inner,
        layers.Activation("relu"),
        layers.MaxPooling2D(2, 1),
        layers.Flatten(),
        layers.Dense(4, "sigmoid"),
        layers.Dense(3, "tanh"),
        layers.Dense(2, "softmax"),
    )
    assert blocking(program) == {
        "conv2d": ("sequential/conv2d_1",),
        "sequential/conv2d_1": ("dense",),
        "dense": ("dense_1",),
        "dense_1": (),
        "dense_2": None,
    }
    acting = operator("NEB")
    (site, *_) = acting.sites(program)
    faulty = acting.apply(program, site, {"neurons": [2]})
    (edit,) = faulty.document()["weight_edits"]
    assert edit["parameters"] == {
        "layer": "conv2d",
        "neurons": [2],
        "outgoing": ["sequential/conv2d_1"],
        "units": 4,
    }
    assert [site.layer for site in acting.sites(program)][-1] == "dense_1"


def branched(join: str) -> TrainingProgram:
    inputs = keras.Input((4,))
    hidden = layers.Dense(6, "sigmoid")(inputs)
    one = layers.Dense(3)(hidden)
    outputs = {
        "apart": [one, layers.Dense(3)(layers.Dropout(0.2)(hidden))],
        "seen": [one, hidden],
        "added": [one, layers.Dense(2)(layers.Add()([hidden, layers.Dense(6)(inputs)]))],
        "softmax": [one, layers.Dense(2)(layers.Softmax()(hidden))],
        "reshaped": [one, layers.Conv1D(2, 1)(layers.Reshape((2, 3))(hidden))],
        "repeated": [one, layers.LSTM(2)(layers.RepeatVector(3)(hidden))],
    }
    return program_of(keras.Model(inputs, outputs[join]))


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("apart", {"dense_1", "dense_2"}),
        ("repeated", {"dense_1", "lstm"}),
        ("seen", None),
        ("added", None),
        ("softmax", None),
        ("reshaped", None),
    ],
)
def test_all_that_neurons_feed_must_take_them_in_by_weights(
    join: str, expected: set[str] | None
) -> None:
    found = blocking(branched(join))["dense"]
    assert (found and set(found)) == expected


def test_a_layer_that_is_called_twice_is_blocked_by_its_own_weights_alone() -> None:
    for activation, expected in (("sigmoid", None), ("relu", ())):
        shared, inputs = layers.Dense(4, activation), keras.Input((4,))
        program = program_of(keras.Model(inputs, layers.Dense(2)(shared(shared(inputs)))))
        assert blocking(program)["dense"] == expected


def test_grouped_convolutions_do_not_say_which_rows_are_a_channels() -> None:
    program = chain(
        (8, 4), layers.Conv1D(4, 1, activation="sigmoid"), layers.Conv1D(4, 1, groups=2)
    )
    assert blocking(program) == {"conv1d": None, "conv1d_1": ()}


def test_recurrent_units_are_blocked_where_states_begin_at_zero() -> None:
    inputs = keras.Input((5, 3))
    sequence, *states = layers.LSTM(2, return_sequences=True, return_state=True)(inputs)
    given = layers.LSTM(2, return_sequences=True)(sequence, initial_state=states)
    odd = layers.SimpleRNN(2, activation="sigmoid", return_sequences=True)(given)
    kept = layers.GRU(2, recurrent_activation="relu")(odd)
    found = blocking(program_of(keras.Model(inputs, layers.Dense(2)(kept))))
    assert found == {"lstm": (), "lstm_1": None, "simple_rnn": None, "gru": (), "dense": ()}
    stateful = keras.Sequential([keras.Input(batch_shape=(2, 5, 3)), layers.GRU(2, stateful=True)])
    assert blocking(program_of(stateful)) == {"gru": None}


ACTIVATIONS = st.sampled_from(["relu", "sigmoid", "tanh", "softmax", "linear"])
SIZES = st.integers(1, 4)


def kinds(kind: Any, *given: Any, **named: Any) -> Any:
    """Return layers to be made in the test, for Keras draws a seed for each."""
    return st.tuples(st.just(kind), st.tuples(*given), st.fixed_dictionaries(named))


PARTS = st.one_of(
    kinds(layers.Dense, SIZES, ACTIVATIONS, st.booleans()),
    kinds(layers.Conv1D, SIZES, st.just(1), activation=ACTIVATIONS),
    kinds(layers.DepthwiseConv1D, st.just(1), depth_multiplier=SIZES),
    kinds(layers.SeparableConv1D, SIZES, st.just(1)),
    kinds(layers.GRU, SIZES, ACTIVATIONS, return_sequences=st.just(True)),
    kinds(layers.Dropout, st.just(0.1)),
    kinds(layers.BatchNormalization),
    kinds(layers.LayerNormalization),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=5))
def test_any_chain_of_layers_is_mutated_and_reverted(parts: list[Any]) -> None:
    program = chain((3, 2), *(kind(*given, **named) for kind, given, named in parts))
    plain = [kind for kind, _, _ in parts if kind in (layers.Dense, layers.GRU)]
    assert len(operator("NGF").sites(program)) >= len(plain)
    for code in (*OF_NEURONS, "NQT"):
        acting = operator(code)
        for site in acting.sites(program):
            variants = acting.variants(program, site)
            assert variants
            mutation = Mutation(code, site, variants[0])
            faulty = mutate(program, [mutation])
            faults = faults_of(program, faulty, [mutation])
            assert [fault.layer for fault in faults] == [site.layer]
            assert revert_faults(faulty, faults) == program
