"""Operators that change the list of layers: the edit, its truth, and the way back."""

from collections.abc import Callable

import keras
import pytest
from faultloom.datasets.build import build_model
from faultloom.datasets.canonical import canonical_model, canonicalize
from faultloom.datasets.errors import ConfigError, SubjectError
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import difference, get
from faultloom.operators import Mutation, faults_of, mutate, operator, operators, revert_faults
from faultloom.operators.base import Parameters
from faultloom.operators.cases import small_program
from faultloom.operators.mutants import Fault
from faultloom.operators.structure import entry_at

pytestmark = pytest.mark.tf

L = keras.layers
CANNOT_BUILD = {("recurrent", "LRM", "embedding")}
STRUCTURAL = [found.code for found in operators() if found.structural]


def program_of(model: keras.Model) -> TrainingProgram:
    document = small_program().document()
    return canonicalize({**document, "architecture": canonical_model(model)})


def sequential() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            L.Conv2D(4, 3, activation="relu"),
            L.BatchNormalization(),
            L.MaxPooling2D(),
            L.Flatten(),
            L.Dense(8, "relu", name="hidden"),
            L.Dropout(0.5),
            L.Dense(3, "softmax"),
        ]
    )


def residual() -> keras.Model:
    start = keras.Input((6,))
    stem = L.Dense(6, "relu")(start)
    side = L.Dense(6)(stem)
    main = L.Dropout(0.1)(L.Dense(6, "tanh")(L.BatchNormalization()(stem)))
    return keras.Model(start, L.Dense(3, "softmax")(L.Add()([main, side])))


def shared() -> keras.Model:
    one, other = keras.Input((4,)), keras.Input((4,))
    dense, drop = L.Dense(4), L.Dropout(0.2)
    joined = L.Concatenate()([dense(drop(dense(one))), drop(dense(other))])
    return keras.Model([one, other], L.Dense(3)(joined))


def nested() -> keras.Model:
    inner = keras.Sequential([keras.Input((6,)), L.Dense(6, "relu"), L.Dropout(0.1), L.Dense(5)])
    inside = keras.Input((6,))
    middle = keras.Model(inside, L.Dense(6)(L.BatchNormalization()(L.Dense(6)(inside))))
    start = keras.Input((6,))
    return keras.Model(start, L.Dense(3)(inner(middle(start))))


def ending_in_models() -> keras.Model:
    inside = keras.Input((6,))
    first = keras.Model(inside, L.Dense(2)(L.Dropout(0.1)(inside)), name="first")
    second = keras.Sequential([keras.Input((6,)), L.Dense(4), L.Dense(3)])
    start = keras.Input((6,))
    stem = L.Dense(6)(start)
    return keras.Model(start, [first(stem), second(stem), L.Dense(1)(stem)])


def recurrent() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((5,), dtype="int32"),
            L.Embedding(20, 4, mask_zero=True),
            L.Bidirectional(L.LSTM(4, return_sequences=True)),
            L.GRU(4, return_sequences=True, name="encoder"),
            L.LSTM(4),
            L.Dense(3, "softmax"),
        ]
    )


MODELS = (sequential, residual, shared, nested, ending_in_models, recurrent)


@pytest.fixture(scope="module", params=MODELS, ids=lambda make: make.__name__)
def named(request: pytest.FixtureRequest) -> tuple[str, TrainingProgram]:
    make: Callable[[], keras.Model] = request.param
    return make.__name__, program_of(make())


def mutations(code: str, program: TrainingProgram) -> list[Mutation]:
    acting = operator(code)
    return [
        Mutation(code, site, parameters)
        for site in acting.sites(program)
        for parameters in acting.variants(program, site)
    ]


@pytest.mark.parametrize("code", STRUCTURAL)
def test_a_mutant_is_what_keras_would_write_and_can_be_undone(
    code: str, named: tuple[str, TrainingProgram]
) -> None:
    name, program = named
    for mutation in mutations(code, program):
        faulty = mutate(program, [mutation])
        faults = faults_of(program, faulty, [mutation])
        assert revert_faults(faulty, faults).program_id == program.program_id
        architecture = faulty.document()["architecture"]
        if (name, code, mutation.site.layer) in CANNOT_BUILD:
            with pytest.raises(ValueError, match="expected ndim=3"):
                build_model(architecture)
        else:
            assert canonical_model(build_model(architecture)) == architecture


def fault(
    code: str, program: TrainingProgram, layer: str, parameters: Parameters | None = None
) -> tuple[Fault, TrainingProgram]:
    (site,) = [site for site in operator(code).sites(program) if site.layer == layer]
    mutation = Mutation(code, site, parameters or {})
    faulty = mutate(program, [mutation])
    (found,) = faults_of(program, faulty, [mutation])
    return found, faulty


def names(faulty: TrainingProgram, found: Fault) -> list[str]:
    layers = faulty.layers()
    return [layers[index].name for index in found.acceptable]


def test_a_removed_layer_is_found_by_both_neighbours() -> None:
    found, faulty = fault("LRM", program_of(sequential()), "hidden")
    assert names(faulty, found) == ["flatten", "dropout"]
    assert (found.layer, found.clean_layer, found.layer_index) == ("dropout", "hidden", 4)
    assert (found.position, found.layer_localisable) == ("middle", True)
    assert found.slot == "/architecture/config/layers"


@pytest.mark.parametrize(
    ("layer", "neighbour", "position"),
    [("conv2d", "batch_normalization", "first"), ("dense", "dropout", "last")],
)
def test_a_layer_at_the_end_has_one_neighbour(layer: str, neighbour: str, position: str) -> None:
    found, faulty = fault("LRM", program_of(sequential()), layer)
    assert names(faulty, found) == [neighbour]
    assert found.position == position


def test_neighbours_are_those_of_the_graph() -> None:
    found, faulty = fault("LRM", program_of(residual()), "dense_2")
    assert names(faulty, found) == ["dense", "add"]
    found, faulty = fault("LRM", program_of(residual()), "dense")
    assert names(faulty, found) == ["batch_normalization", "dense_1"]
    assert (found.clean_layer, found.position) == ("dense", "first")


def test_neighbours_are_found_through_nested_models() -> None:
    found, faulty = fault("LRM", program_of(nested()), "functional/dense_1")
    assert names(faulty, found) == ["functional/batch_normalization", "sequential/dense_1"]
    assert (found.layer, found.clean_layer) == ("sequential/dense_1", "functional/dense_1")
    found, faulty = fault("LRM", program_of(ending_in_models()), "dense")
    assert names(faulty, found) == ["first/dropout", "sequential/dense_1", "dense_3"]


def test_an_inserted_layer_answers_for_itself() -> None:
    program = program_of(sequential())
    found, faulty = fault("LAD", program, "max_pooling2d", {"inserted": "BatchNormalization"})
    assert names(faulty, found) == [found.layer] == ["batch_normalization_1"]
    assert (found.clean_layer, found.layer_index, found.position) == (None, 3, "middle")


def test_of_two_equal_layers_either_is_the_redundant_one() -> None:
    found, faulty = fault("LAD", program_of(residual()), "dense_2", {"inserted": "copy"})
    assert names(faulty, found) == ["dense_2", "dense_3"]
    one, other = (entry_at(faulty.document(), name) for name in ("dense_2", "dense_3"))
    one["config"].pop("name"), other["config"].pop("name")
    assert one["config"] == other["config"]
    assert get(other, "/inbound_nodes/0/args/0/config/keras_history") == ["dense_2", 0, 0]


def test_a_recurrent_layer_feeds_its_copy_with_sequences() -> None:
    _, faulty = fault("LAD", program_of(recurrent()), "lstm", {"inserted": "copy"})
    assert entry_at(faulty.document(), "lstm")["config"]["return_sequences"] is True
    assert "return_sequences" not in entry_at(faulty.document(), "lstm_1")["config"]


def test_inserted_names_look_like_keras_made_them_up() -> None:
    program = program_of(sequential())
    _, faulty = fault("LAD", program, "hidden", {"inserted": "copy"})
    assert [layer.name for layer in faulty.layers()][4:] == [
        "hidden",
        "dense",
        "dropout",
        "dense_1",
    ]


def test_a_layer_of_another_type_keeps_its_place_and_shared_settings() -> None:
    program = program_of(sequential())
    found, faulty = fault("LWS", program, "max_pooling2d", {"class_name": "AveragePooling2D"})
    assert (found.layer, found.clean_layer) == ("average_pooling2d", "max_pooling2d")
    assert found.slot == "/architecture/config/layers/3"
    assert entry_at(faulty.document(), "average_pooling2d")["config"]["pool_size"] == [2, 2]
    found, faulty = fault("LWS", program_of(recurrent()), "encoder", {"class_name": "LSTM"})
    config = entry_at(faulty.document(), "encoder")["config"]
    assert config == {"name": "encoder", "return_sequences": True, "units": 4}


def test_both_directions_get_another_type() -> None:
    _, faulty = fault("LWS", program_of(recurrent()), "bidirectional", {"class_name": "GRU"})
    config = entry_at(faulty.document(), "bidirectional")["config"]
    assert config["layer"]["class_name"] == config["backward_layer"]["class_name"] == "GRU"
    assert config["layer"]["config"]["name"] == "forward_gru"


def test_layers_that_join_tensors_or_are_alone_cannot_be_removed() -> None:
    removed = [site.layer for site in operator("LRM").sites(program_of(residual()))]
    assert removed == ["dense", "dense_1", "dense_2", "dense_3"]
    alone = program_of(keras.Sequential([keras.Input((4,)), L.Dense(3)]))
    assert operator("LRM").sites(alone) == ()


def test_structural_mutations_conflict_with_others_in_the_same_list_only() -> None:
    program = program_of(nested())
    removal = Mutation("LDP", operator("LDP").sites(program)[0], {})
    activations = {site.layer: site for site in operator("ACH").sites(program)}
    relu = {"activation": "relu"}
    inside = Mutation("ACH", activations["sequential/dense_3"], relu)
    with pytest.raises(ConfigError, match="ACH and LDP conflict"):
        mutate(program, [inside, removal])
    outside = Mutation("ACH", activations["functional/dense_1"], relu)
    faulty = mutate(program, [outside, removal])
    faults = faults_of(program, faulty, [outside, removal])
    assert [(fault.fault_type, fault.layer, fault.acceptable) for fault in faults] == [
        ("ACH", "functional/dense_1", (2,)),
        ("LDP", "sequential/dense_3", (3, 4)),
    ]
    assert revert_faults(faulty, faults).program_id == program.program_id


def test_weights_are_edited_last_and_of_layers_that_stay() -> None:
    program = program_of(nested())
    removal = Mutation("LDP", operator("LDP").sites(program)[0], {})
    without = mutate(program, [removal])

    def fuzzed(trained: TrainingProgram, layer: str) -> Mutation:
        (site,) = [site for site in operator("NGF").sites(trained) if site.layer == layer]
        return Mutation("NGF", site, {"magnitude": 0.5, "neurons": [0]})

    with pytest.raises(ConfigError, match="LDP changes the layers around sequential/dense_3"):
        mutate(program, [removal, fuzzed(without, "sequential/dense_3")])
    both = [removal, fuzzed(without, "dense_4")]
    faults = faults_of(program, mutate(program, both), both)
    assert [(fault.layer, fault.clean_layer) for fault in faults if fault.neurons] == [
        ("dense_4", "dense_4")
    ]
    edited = mutate(program, [fuzzed(program, "dense_4")])
    assert operator("LDP").sites(edited) == ()


def test_the_record_of_a_structural_fault_holds_every_difference() -> None:
    found, faulty = fault("LRM", program_of(nested()), "functional/dense")
    changes = difference(program_of(nested()), faulty)
    assert len(changes) > 1
    assert all(change.slot.startswith(found.slot + "/") for change in changes)
    assert found.slot == "/architecture/config"


def test_a_layer_that_is_not_there_is_refused() -> None:
    with pytest.raises(SubjectError, match="expected one of input_layer, dense, dropout, dense_1"):
        entry_at(small_program().document(), "elsewhere")
