"""Programs that are called provably equivalent train to the same predictions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.program import TrainingProgram
from faultloom.generator.streams import Streams
from faultloom.operators.equivalence import RULES, provably_equivalent

pytestmark = [
    pytest.mark.tf,
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning:keras"),
]

N = 50
layers, initializers, regularizers = keras.layers, keras.initializers, keras.regularizers
Fields = dict[str, Any]


def rows_of(*shape: int) -> Rows:
    x = np.random.default_rng(5).normal(size=(N, *shape)).astype("float32")
    return Rows((x,), (np.abs(x.reshape(N, -1))[:, :3].argmax(1),))


@dataclass(frozen=True)
class Pair:
    """Two programs that differ in their hidden layers or in their other fields.

    `reason` says why they are equivalent; it is None where they are not.
    """

    reason: str | None
    clean: Callable[[], list[Any]]
    faulty: Callable[[], list[Any]]
    shape: tuple[int, ...] = (4,)
    before: Fields | None = None
    after: Fields | None = None


def dense(units: int = 6, activation: str = "relu", **arguments: Any) -> Any:
    return layers.Dense(units, activation=activation, **arguments)


def frozen(**arguments: Any) -> Any:
    return dense(trainable=False, **arguments)


def conv(kernel: int = 3, **arguments: Any) -> Any:
    return layers.Conv2D(3, kernel, activation="relu", **arguments)


def plain() -> list[Any]:
    return [dense()]


def stopping(**arguments: Any) -> Fields:
    return {"callbacks": [{"class_name": "EarlyStopping", "config": arguments}]}


def plateau(**arguments: Any) -> Fields:
    config = {"factor": 0.1, **arguments}
    return {"callbacks": [{"class_name": "ReduceLROnPlateau", "config": config}]}


def weighing(**weights: float) -> Fields:
    return {"fit": {"class_weight": {name[1:]: value for name, value in weights.items()}}}


IMAGE = (6, 6, 1)
NO_WEIGHTS = "the weights that differ in their settings do not exist"
FROZEN = "a frozen weight is neither penalised nor constrained"
FROZEN_BIAS = "a frozen bias stays at zero"
STATISTICS = "a frozen batch normalisation updates no statistics"
NO_PENALTY = "a penalty of factor zero is none"
SEEDS = "every run replaces the seeds"
CONSTANT = "the initializers give the same constant"
RATE = "a recurrent dropout of rate zero drops nothing"
WEIGHTS = "class weights of one weigh nothing"
PATIENCE = "the patience of a callback outlasts the training"
BLIND = "a callback watches validation rows that are not there"
UNWATCHED = "no callback watches the validation rows"
PADDING = "there is nothing to pad"
DROPOUT = "a dropout of rate zero drops nothing"
LINEAR = "a linear activation changes nothing"
MERGED = "the activation is applied once, within a layer or behind it"
RECTIFIED = "a rectifier changes no number that is not negative"
FLAT = "rows that are flat already are flattened"

VALIDATED: Fields = {"validation": rows_of(4)}

FITTING_POOL = Pair(
    PADDING,
    lambda: [conv(padding="same"), layers.MaxPooling2D(2), layers.Flatten()],
    lambda: [conv(padding="same"), layers.MaxPooling2D(2, padding="same"), layers.Flatten()],
    IMAGE,
)
EQUIVALENT = {
    "bias that is not there": Pair(
        NO_WEIGHTS,
        lambda: [dense(use_bias=False)],
        lambda: [dense(use_bias=False, bias_initializer="ones")],
    ),
    "offset that is not there": Pair(
        NO_WEIGHTS,
        lambda: [dense(), layers.BatchNormalization(center=False)],
        lambda: [dense(), layers.BatchNormalization(center=False, beta_initializer="ones")],
    ),
    "open gates without bias": Pair(
        NO_WEIGHTS,
        lambda: [layers.LSTM(3, use_bias=False)],
        lambda: [layers.LSTM(3, use_bias=False, unit_forget_bias=False)],
        (5, 2),
    ),
    "penalty and constraint of frozen weights": Pair(
        FROZEN,
        lambda: [frozen()],
        lambda: [frozen(kernel_regularizer="l2", kernel_constraint="non_neg")],
    ),
    "frozen bias": Pair(FROZEN_BIAS, lambda: [frozen()], lambda: [frozen(use_bias=False)]),
    "frozen statistics": Pair(
        STATISTICS,
        lambda: [dense(), layers.BatchNormalization(trainable=False)],
        lambda: [dense(), layers.BatchNormalization(trainable=False, momentum=0.5)],
    ),
    "penalty of nothing": Pair(
        NO_PENALTY,
        plain,
        lambda: [
            dense(
                kernel_regularizer=regularizers.L2(0.0),
                bias_regularizer=regularizers.L1(0.0),
                activity_regularizer=regularizers.L1L2(),
            )
        ],
    ),
    "seeds": Pair(
        SEEDS,
        lambda: [dense(), layers.Dropout(0.5, seed=3)],
        lambda: [
            dense(kernel_initializer=initializers.GlorotUniform(seed=1)),
            layers.Dropout(0.5),
        ],
    ),
    "constants": Pair(
        CONSTANT,
        lambda: [dense(bias_initializer=initializers.Constant(1.0))],
        lambda: [dense(bias_initializer="ones")],
    ),
    "a constant that is the default": Pair(
        CONSTANT, plain, lambda: [dense(bias_initializer=initializers.Constant(0.0))]
    ),
    "class weights of one": Pair(
        WEIGHTS, plain, plain, before=weighing(_0=1.0, _2=1.0), after={"fit": {}}
    ),
    "early stopping that is too patient": Pair(
        PATIENCE, plain, plain, before=stopping(monitor="loss", patience=3), after={}
    ),
    "reduction that is too patient": Pair(
        PATIENCE, plain, plain, before=plateau(monitor="loss", patience=3), after={}
    ),
    "unwatched validation rows": Pair(UNWATCHED, plain, plain, before=VALIDATED, after={}),
    "unwatched by what watches the loss": Pair(
        UNWATCHED,
        plain,
        plain,
        before=VALIDATED | stopping(monitor="loss", patience=1),
        after=stopping(monitor="loss", patience=1),
    ),
    "padding of points": Pair(
        PADDING,
        lambda: [conv(1, strides=4), layers.Flatten()],
        lambda: [conv(1, strides=4, padding="same"), layers.Flatten()],
        IMAGE,
    ),
    "padding of pools that fit": FITTING_POOL,
    "causal padding of points": Pair(
        PADDING,
        lambda: [layers.Conv1D(3, 1), layers.Flatten()],
        lambda: [layers.Conv1D(3, 1, padding="causal"), layers.Flatten()],
        (5, 2),
    ),
    "dropout of nothing": Pair(DROPOUT, plain, lambda: [dense(), layers.Dropout(0.0)]),
    "linear activation": Pair(LINEAR, plain, lambda: [dense(), layers.Activation("linear")]),
    "an activation behind": Pair(
        MERGED,
        lambda: [dense(activation="tanh")],
        lambda: [dense(activation="linear"), layers.Activation("tanh")],
    ),
    "an activation in both": Pair(
        f"{MERGED}; {RECTIFIED}",
        lambda: [dense(activation="linear"), layers.Activation("relu")],
        lambda: [dense(activation="relu"), layers.Activation("relu")],
    ),
    **{
        f"{rectifier} behind {activation}": Pair(
            RECTIFIED,
            lambda activation=activation: [dense(activation=activation)],
            lambda activation=activation, rectifier=rectifier: [
                dense(activation=activation),
                layers.Activation(rectifier),
            ],
        )
        for activation, rectifier in (
            *(("relu", name) for name in ("relu", "elu", "leaky_relu")),
            *((name, "relu") for name in ("sigmoid", "softmax", "softplus", "hard_sigmoid")),
        )
    },
    "a rectifier behind pooling": Pair(
        RECTIFIED,
        lambda: [conv(), layers.AveragePooling2D(2), layers.Dropout(0.3), layers.Flatten()],
        lambda: [
            conv(),
            layers.AveragePooling2D(2),
            layers.Dropout(0.3),
            layers.ReLU(),
            layers.Flatten(),
        ],
        IMAGE,
    ),
    "flattened twice": Pair(
        FLAT,
        lambda: [conv(), layers.Flatten(), dense()],
        lambda: [conv(), layers.Flatten(), dense(), layers.Flatten()],
        IMAGE,
    ),
}

DIFFERENT = {
    "a bias before batch normalisation": Pair(
        None,
        lambda: [dense(activation="linear"), layers.BatchNormalization()],
        lambda: [dense(activation="linear", use_bias=False), layers.BatchNormalization()],
    ),
    "a bias that is there": Pair(None, plain, lambda: [dense(bias_initializer="ones")]),
    "a frozen bias of ones": Pair(
        None,
        lambda: [frozen(bias_initializer="ones")],
        lambda: [frozen(bias_initializer="ones", use_bias=False)],
    ),
    "a bias of zero that is trained": Pair(None, plain, lambda: [dense(use_bias=False)]),
    "trained statistics": Pair(
        None,
        lambda: [dense(), layers.BatchNormalization()],
        lambda: [dense(), layers.BatchNormalization(momentum=0.5)],
    ),
    "a small penalty": Pair(
        None, plain, lambda: [dense(kernel_regularizer=regularizers.L1L2(l2=0.05))]
    ),
    "penalised activity of a frozen layer": Pair(
        None, lambda: [dense(), frozen()], lambda: [dense(), frozen(activity_regularizer="l2")]
    ),
    "a constant of a tenth": Pair(
        None, plain, lambda: [dense(bias_initializer=initializers.Constant(0.1))]
    ),
    "class weights of two": Pair(
        None, plain, plain, before=weighing(_0=1.0, _1=2.0), after={"fit": {}}
    ),
    "early stopping that may act": Pair(
        None, plain, plain, before=stopping(monitor="loss", patience=1, mode="max"), after={}
    ),
    "early stopping that restores": Pair(
        None,
        plain,
        plain,
        before=stopping(monitor="loss", mode="max", patience=9, restore_best_weights=True),
        after={},
    ),
    "a reduction that acts": Pair(
        None, plain, plain, before=plateau(monitor="loss", mode="max", patience=1), after={}
    ),
    "watched validation rows": Pair(
        None,
        plain,
        plain,
        before=VALIDATED | stopping(monitor="val_loss", mode="max", patience=1),
        after=stopping(monitor="loss", mode="min", patience=1),
    ),
    "padding of pools that do not fit": Pair(
        None,
        lambda: [conv(), layers.MaxPooling2D(3), layers.Flatten(), dense()],
        lambda: [conv(), layers.MaxPooling2D(3, padding="same"), layers.Flatten(), dense()],
        IMAGE,
    ),
    "dropout of little": Pair(None, plain, lambda: [dense(), layers.Dropout(0.1)]),
    "a rectifier behind tanh": Pair(
        None,
        lambda: [dense(activation="tanh")],
        lambda: [dense(activation="tanh"), layers.ReLU()],
    ),
    "a rectifier behind normalisation": Pair(
        None,
        lambda: [dense(), layers.BatchNormalization()],
        lambda: [dense(), layers.BatchNormalization(), layers.ReLU()],
    ),
    "a saturating rectifier": Pair(
        None, lambda: [dense()], lambda: [dense(), layers.ReLU(max_value=0.1)]
    ),
    "an activation twice": Pair(
        None,
        lambda: [dense(activation="tanh")],
        lambda: [dense(activation="tanh"), layers.Activation("tanh")],
    ),
}


def functional(parts: list[Any], shape: tuple[int, ...]) -> Any:
    start = tensor = keras.Input(shape)
    for part in parts:
        tensor = part(tensor)
    return keras.Model(start, tensor)


def program_of(lab: Any, parts: list[Any], pair: Pair, form: str, fields: Fields | None) -> Any:
    parts = [*parts, layers.Dense(3, activation="softmax", name="head")]
    model = (
        keras.Sequential([keras.Input(pair.shape), *parts])
        if form == "sequential"
        else functional(parts, pair.shape)
    )
    rows = rows_of(*pair.shape)
    return lab.program(model, rows, optimizer=keras.optimizers.Adam(0.01), **(fields or {}))


def both(lab: Any, pair: Pair, form: str) -> tuple[TrainingProgram, TrainingProgram]:
    clean = program_of(lab, pair.clean(), pair, form, pair.before)
    return clean, program_of(lab, pair.faulty(), pair, form, pair.after)


def apart(lab: Any, *programs: TrainingProgram) -> float:
    """Return the largest difference of predictions after the same run of two programs."""
    ours, theirs = (
        lab.trainer(program).train(program, [Streams(7, 3)])[0].outputs["judge"]
        for program in programs
    )
    return float(lab.difference(ours, theirs))


@pytest.mark.parametrize("form", ["sequential", "functional"])
@pytest.mark.parametrize("pair", EQUIVALENT.values(), ids=EQUIVALENT)
def test_the_reason_is_told_in_either_order(lab: Any, pair: Pair, form: str) -> None:
    clean, faulty = both(lab, pair, form)
    assert clean.program_id != faulty.program_id
    # How many numbers a pool takes is followed through stacks only.
    told = None if pair is FITTING_POOL and form == "functional" else pair.reason
    assert provably_equivalent(clean, faulty) == told
    assert provably_equivalent(faulty, clean) == told


@pytest.mark.parametrize("pair", EQUIVALENT.values(), ids=EQUIVALENT)
def test_equivalent_programs_train_to_the_same_predictions(lab: Any, pair: Pair) -> None:
    assert apart(lab, *both(lab, pair, "sequential")) < 1e-6


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_a_little_is_not_claimed(lab: Any, pair: Pair) -> None:
    clean, faulty = both(lab, pair, "sequential")
    assert provably_equivalent(clean, faulty) is None
    assert apart(lab, clean, faulty) > 1e-6


def test_every_rule_has_a_case() -> None:
    told = {part for pair in EQUIVALENT.values() for part in str(pair.reason).split("; ")}
    assert {rule.reason for rule in RULES} - told == {RATE, BLIND}


def test_a_recurrent_dropout_written_as_a_whole_number_is_none(lab: Any, edited: Any) -> None:
    pair = Pair(RATE, lambda: [layers.GRU(3)], lambda: [], (5, 2))
    clean = program_of(lab, pair.clean(), pair, "sequential", None)
    slot = "/architecture/config/layers/1/config/recurrent_dropout"
    assert provably_equivalent(clean, edited(clean, slot, 0)) == RATE
    assert provably_equivalent(clean, edited(clean, slot, 0.1)) is None


def test_callbacks_blind_to_missing_rows_do_nothing(lab: Any) -> None:
    pair = Pair(BLIND, plain, plain, before=stopping(patience=1))
    clean, faulty = both(lab, pair, "sequential")
    assert provably_equivalent(clean, faulty) == BLIND
    with pytest.warns(UserWarning, match="not available"):
        assert apart(lab, clean, faulty) == 0


def test_what_is_named_by_weight_edits_stays(lab: Any) -> None:
    edits = {"weight_edits": [{"name": "block", "parameters": {"layer": "dense"}}]}
    pair = Pair(None, plain, lambda: [dense(), layers.Dropout(0.0)], before=edits, after=edits)
    assert provably_equivalent(*both(lab, pair, "sequential")) is None
