"""What every registered operator must do, whatever it is."""

import json

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.build import build
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.errors import ConfigError, NotApplicable
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import difference, get
from faultloom.operators import (
    Mutation,
    Operator,
    Site,
    faults_of,
    mutant_id,
    mutate,
    operator,
    operators,
    revert_faults,
)
from faultloom.operators.cases import small_program

pytestmark = pytest.mark.tf

ROWS = Rows((np.zeros((320, 4), "float32"),), (np.arange(320) % 3,))


def program_of(model: keras.Model, **fields: object) -> TrainingProgram:
    document = small_program(**fields).document()
    record = ROWS.record()
    roles = dict.fromkeys(("train", "validation", "judge", "test"), record)
    return canonicalize({**document, "architecture": canonical_model(model), "data": roles})


def four_dense(kind: str) -> TrainingProgram:
    dense = keras.layers.Dense
    layers = [dense(8, "relu"), dense(8, "tanh"), dense(8, "elu"), dense(3, "softmax")]
    inputs = keras.Input((4,))
    if kind == "sequential":
        return program_of(keras.Sequential([inputs, *layers]))
    x = inputs
    for layer in layers:
        x = layer(x)
    return program_of(keras.Model(inputs, x))


def rich() -> TrainingProgram:
    layers = keras.layers
    head = keras.Sequential([keras.Input((6,)), layers.Dense(3, "softmax")])
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(
                4, 3, activation="relu", kernel_initializer=keras.initializers.HeNormal(3)
            ),
            layers.SpatialDropout2D(0.25),
            layers.Reshape((6, 24)),
            layers.TimeDistributed(layers.Dense(5, kernel_regularizer="l2")),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.GRU(6, use_bias=False),
            layers.Activation("tanh"),
            layers.Dropout(0.5),
            head,
        ]
    )
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    optimizer = keras.saving.serialize_keras_object(keras.optimizers.SGD(schedule, name="sgd"))
    return program_of(model, optimizer=optimizer)


def watched() -> TrainingProgram:
    """A program with all that the operators of compile and fit look for."""
    dense = keras.layers.Dense
    hidden = dense(8, "relu", use_bias=False, kernel_regularizer="l2")
    return program_of(
        keras.Sequential([keras.Input((4,)), hidden, dense(3)]),
        callbacks=[
            {"class_name": "ReduceLROnPlateau", "config": {"monitor": "val_accuracy"}},
            {
                "class_name": "EarlyStopping",
                "config": {"patience": 5, "restore_best_weights": True},
            },
        ],
        fit={
            "batch_size": 32,
            "class_weight": {"0": 2.0, "1": 1.0, "2": 0.5},
            "epochs": 20,
            "shuffle": True,
        },
        loss={"class_name": "SparseCategoricalCrossentropy", "config": {"from_logits": True}},
        optimizer={
            "class_name": "SGD",
            "config": {"clipnorm": 1.0, "learning_rate": 0.1, "momentum": 0.9},
        },
    )


PROGRAMS = {
    "small": small_program(),
    "sequential": four_dense("sequential"),
    "functional": four_dense("functional"),
    "rich": rich(),
    "regression": small_program(loss="mean_squared_error", metrics=[]),
    "watched": watched(),
}
ALL = [pytest.param(found, id=found.code) for found in operators(reserved=True)]
FAULTY = [pytest.param(found, id=found.code) for found in operators()]
NOT_ON_DENSE = {
    # A linear activation, dropout, a penalty, no bias: none of the four layers has them.
    *("AAL", "RCD", "RCW", "RRW", "WAB"),
    *("BNE", "BNF", "BNM", "BNP", "BNR", "LCD", "LCF", "LCP", "LCS", "LDP", "LKS", "LWS"),
    *("RGA", "RGB", "RMK", "RRA", "RRS", "RST", "RVO"),
}
"""Layer operators that are about other layers than Dense."""
RESHAPING = {"LAD", "LCD", "LCF", "LCN", "LCP", "LCS", "LKS", "LRM", "LWS", "RRS"}
"""Operators whose mutants need not build: a campaign finds them incompetent."""
every_program = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())


def mutations_of(acting: Operator, program: TrainingProgram) -> list[Mutation]:
    return [
        Mutation(acting.code, site, parameters)
        for site in acting.sites(program)
        for parameters in acting.variants(program, site)
    ]


@every_program
def test_the_programs_of_these_tests_are_canonical(program: TrainingProgram) -> None:
    assert canonicalize(program.document()).program_id == program.program_id


@pytest.mark.parametrize("acting", ALL)
def test_examples(acting: Operator) -> None:
    examples = acting.examples()
    assert examples
    for example in examples:
        (site, *_) = [s for s in acting.sites(example.program) if s.slot == example.slot]
        mutant = acting.apply(example.program, site, example.parameters)
        assert difference(example.program, mutant) == example.changes


@pytest.mark.parametrize("acting", FAULTY)
@every_program
def test_every_variant(acting: Operator, program: TrainingProgram) -> None:
    text, ids = program.text, set()
    for mutation in mutations_of(acting, program):
        parameters = json.dumps(mutation.parameters)
        mutant = mutate(program, [mutation])
        assert mutate(program, [mutation]) == mutant
        assert program.text == text and json.dumps(mutation.parameters) == parameters
        assert canonicalize(mutant.document()) == mutant
        again = Mutation.from_dict(json.loads(json.dumps(mutation.to_dict())))
        assert again == mutation
        assert mutant_id(program.program_id, [again]) == mutant_id(program.program_id, [mutation])
        ids.add((mutation.site, mutant.program_id))
        faults = faults_of(program, mutant, [mutation])
        assert faults
        for fault in faults:
            assert fault.old != fault.new
            assert (fault.layer is not None) == (acting.granularity in ("layer", "neuron"))
            if acting.structural:
                assert fault.layer_index in fault.acceptable and len(faults) == 1
                assert fault.clean_layer in (None, mutation.site.layer)
                continue
            assert (fault.layer, fault.layer_index) == (
                mutation.site.layer,
                mutation.site.layer_index,
            )
            assert fault.acceptable == (() if fault.layer is None else (fault.layer_index,))
            assert bool(fault.neurons) == (acting.granularity == "neuron")
        assert revert_faults(mutant, faults).program_id == program.program_id
    assert len(ids) == len(mutations_of(acting, program))


@pytest.mark.parametrize("acting", FAULTY)
@every_program
def test_sites_that_are_offered_have_variants(acting: Operator, program: TrainingProgram) -> None:
    for site in acting.sites(program):
        assert acting.variants(program, site)
        for name, range_ in acting.ranges(program, site).items():
            assert name in acting.parameters and range_.low < range_.high


@pytest.mark.parametrize("acting", [p for p in FAULTY if p.values[0].granularity == "layer"])
@pytest.mark.parametrize("kind", ["sequential", "functional"])
def test_layer_operators_reach_every_legal_layer(acting: Operator, kind: str) -> None:
    expected = [] if acting.code in NOT_ON_DENSE else [0, 1, 2, 3]
    assert [site.layer_index for site in acting.sites(PROGRAMS[kind])] == expected


@pytest.mark.parametrize("kind", ["sequential", "functional"])
def test_positions_are_counted_among_weighted_layers(kind: str) -> None:
    program, acting = PROGRAMS[kind], operator("WRB")
    positions = []
    for mutation in mutations_of(acting, program):
        (fault,) = faults_of(program, mutate(program, [mutation]), [mutation])
        positions.append(fault.position)
    assert positions == ["first", "middle", "middle", "last"]


def test_sites_of_wrapped_nested_and_recurrent_layers() -> None:
    def layers(code: str) -> list[str | None]:
        return [site.layer for site in operator(code).sites(PROGRAMS["rich"])]

    nested = "sequential/dense"
    wrapped = ["time_distributed", "bidirectional", "gru"]
    assert layers("WCI") == ["conv2d", *wrapped, nested]
    assert layers("ARM") == ["conv2d", "bidirectional", "gru", "activation", nested]
    assert layers("RAW") == ["conv2d", "bidirectional", "gru", nested]
    assert layers("WRB") == ["conv2d", "time_distributed", "bidirectional", nested]
    assert layers("RCD") == ["spatial_dropout2d", "dropout"]
    assert layers("NGF") == ["conv2d", "gru", nested]
    assert layers("HLR") == []


def test_both_directions_of_a_bidirectional_layer_change() -> None:
    program, acting = PROGRAMS["rich"], operator("ARM")
    (site,) = [s for s in acting.sites(program) if s.layer == "bidirectional"]
    assert len(difference(program, acting.apply(program, site, {}))) == 2


@pytest.mark.parametrize("acting", [p for p in FAULTY if p.values[0].code not in RESHAPING])
def test_mutants_build(acting: Operator) -> None:
    program = PROGRAMS["rich" if acting.stage == "architecture" else "watched"]
    built: set[str | None] = set()
    for mutation in mutations_of(acting, program):
        if acting.stage == "architecture" and mutation.site.layer in built:
            continue
        built.add(mutation.site.layer)
        assert build(mutate(program, [mutation])).built


@pytest.mark.parametrize(
    ("code", "slot", "parameters"),
    [
        ("ACH", "/architecture/config/layers/1/config/activation", {"activation": "relu"}),
        ("HBS", "/fit/batch_size", {"batch_size": 32}),
        ("HNE", "/fit/epochs", {"epochs": 20}),
        ("HLR", "/optimizer/config/learning_rate", {"learning_rate": 0.001}),
        ("LCH", "/loss", {"loss": "sparse_categorical_crossentropy"}),
        ("OCH", "/optimizer", {"learning_rate": "keep", "optimizer": "Adam"}),
        ("RCD", "/architecture/config/layers/2/config/rate", {"rate": 0.5}),
        ("TCL", "/transforms", {"percentage": 0, "task": "classification"}),
        ("TRD", "/transforms", {"percentage": 0, "task": "classification"}),
        (
            "WCI",
            "/architecture/config/layers/1/config/kernel_initializer",
            {"initializer": "GlorotUniform", "value": None},
        ),
    ],
)
def test_changing_nothing_is_refused(code: str, slot: str, parameters: dict[str, object]) -> None:
    program = small_program()
    (site,) = [s for s in operator(code).sites(program) if s.slot == slot]
    with pytest.raises(NotApplicable, match="would change nothing"):
        operator(code).apply(program, site, parameters)


def test_another_seed_is_not_another_initializer() -> None:
    acting, program = operator("WCI"), PROGRAMS["rich"]
    (site, *_) = acting.sites(program)
    names = [parameters["initializer"] for parameters in acting.variants(program, site)]
    assert "HeNormal" not in names and len(names) == 12


def test_a_site_of_another_program_is_refused() -> None:
    with pytest.raises(NotApplicable, match="does not apply at elsewhere"):
        operator("ARM").apply(small_program(), Site("/fit", "elsewhere", 7), {})


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected the parameters epochs; received epoch"):
        operator("HNE").apply(small_program(), Site("/fit/epochs"), {"epoch": 1})


def test_the_losses_written_as_classes_are_recognised() -> None:
    loss = {"class_name": "KLDivergence", "config": {}}
    variants = operator("LCH").variants(small_program(loss=loss), Site("/loss"))
    assert {"loss": "kl_divergence"} not in variants and len(variants) == 12


def test_default_learning_rates_are_those_of_keras() -> None:
    from faultloom.operators.optimizers import DEFAULT_RATES

    for name, rate in DEFAULT_RATES.items():
        config = getattr(keras.optimizers, name)().get_config()
        assert config["learning_rate"] == pytest.approx(rate)


def test_one_optimizer_with_one_rate_is_planned_once() -> None:
    variants = operator("OCH").variants(small_program(), Site("/optimizer"))
    assert [v["learning_rate"] for v in variants if v["optimizer"] == "Nadam"] == ["keep"]
    assert [v["learning_rate"] for v in variants if v["optimizer"] == "SGD"] == ["keep", "default"]


def test_conflicting_mutations_are_refused() -> None:
    program = small_program()
    rate = Mutation("HLR", Site("/optimizer/config/learning_rate"), {"learning_rate": 0.1})
    other = Mutation("OCH", Site("/optimizer"), {"learning_rate": "default", "optimizer": "SGD"})
    with pytest.raises(ConfigError, match="HLR and OCH conflict"):
        mutate(program, [rate, other])


def test_several_faults_are_told_apart_and_reverted() -> None:
    program = PROGRAMS["functional"]
    chosen = [mutations_of(operator(code), program)[0] for code in ("ACH", "TCL", "TRD", "NGF")]
    faulty = mutate(program, chosen)
    faults = faults_of(program, faulty, chosen)
    assert sorted(fault.fault_type for fault in faults) == ["ACH", "NGF", "TCL", "TRD"]
    assert revert_faults(faulty, faults).program_id == program.program_id
    order = mutant_id(program.program_id, chosen)
    assert order != mutant_id(program.program_id, chosen[::-1])


def test_an_absent_slot_is_not_a_null() -> None:
    mutation = mutations_of(operator("RAW"), small_program())[0]
    (fault,) = faults_of(small_program(), mutate(small_program(), [mutation]), [mutation])
    assert fault.old is None and get(small_program().document(), "/initial_weights") is None


def test_sham_changes_nothing_and_is_not_refused() -> None:
    program = small_program()
    (mutation,) = mutations_of(operator("SHAM"), program)
    assert mutate(program, [mutation]) == program
    assert faults_of(program, program, [mutation]) == ()
    assert mutant_id(program.program_id, [mutation]) != mutant_id(program.program_id, [])


def test_mutants_keep_the_callbacks_of_their_program():
    stopping = {"class_name": "EarlyStopping", "config": {"monitor": "val_loss", "patience": 3}}
    clean = program_of(
        keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, activation="softmax")]),
        callbacks=[stopping],
    )
    epochs = operator("HNE")
    site = epochs.sites(clean)[0]
    mutant = epochs.apply(clean, site, epochs.variants(clean, site)[0])
    assert mutant.document()["callbacks"] == clean.document()["callbacks"] == [stopping]
    assert {change.slot for change in difference(clean, mutant)} == {"/fit/epochs"}
