"""Data faults reach training as if the script had made its data so."""

from functools import partial
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows, rows_of
from faultloom.datasets.errors import TrainingFailed
from faultloom.datasets.program import content_hash
from faultloom.datasets.transforms import apply_transforms
from faultloom.generator.streams import Streams
from faultloom.operators import Mutation, Site, mutate

pytestmark = pytest.mark.tf

STREAMS = Streams(5, 0)
SITE = Site("/transforms")


def table(rows: int = 72, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, (rows, 4)).astype("float32")
    return Rows((x,), ((x[:, 0] * 3).astype("int64"),))


def dense() -> keras.Model:
    layers = [keras.layers.Dense(8, "relu"), keras.layers.Dense(3, "softmax")]
    return keras.Sequential([keras.Input((4,)), *layers])


def roles_of(lab: Any, program: Any) -> dict[str, Rows]:
    """Every role's rows after the program's transforms."""
    document = program.document()
    records = {role: record for role, record in document["data"].items() if record is not None}
    stored = {role: rows_of(record, lab.arrays) for role, record in records.items()}
    seeds = [
        partial(STREAMS.generator, "data", content_hash(entry)) for entry in document["transforms"]
    ]
    return {
        role: apply_transforms(
            rows, document["transforms"], role, lambda n: seeds[n](), stored.__getitem__
        ).materialized()
        for role, rows in stored.items()
    }


@pytest.mark.parametrize(
    ("code", "parameters", "rows"),
    [
        ("DRP", {"percentage": 150.0, "task": "classification", "which": "all"}, 180),
        ("TCO", {"percentage": 50.0, "task": "classification"}, None),
        ("VLK", {"percentage": 50.0}, 82),
        ("PUS", {}, 72),
        ("PMN", {"input": 0}, 72),
        ("PTM", {"input": 0, "mismatch": "own"}, 72),
    ],
)
def test_training_is_that_of_a_script_with_such_data(
    lab: Any, code: str, parameters: dict[str, Any], rows: int | None
) -> None:
    held = {"validation": table(20, 1), "held": table(24, 2)}
    clean = lab.program(dense(), table(), **held)
    faulty = mutate(clean, [Mutation(code, SITE, parameters)])
    roles = roles_of(lab, faulty)
    assert rows is None or len(roles["train"]) == rows
    setting = {"shuffle": faulty.document()["fit"]["shuffle"]}
    written = lab.program(
        dense(),
        roles["train"],
        validation=roles["validation"],
        held=roles["judge"],
        fit=setting,
    )
    trainer = lab.trainer(clean)
    (ours,), (theirs,) = (trainer.train(one, [STREAMS]) for one in (faulty, written))
    assert ours.steps == theirs.steps == 3 * -(-len(roles["train"]) // 16)
    assert lab.difference(ours.weights, theirs.weights) <= 1e-6
    assert lab.difference(ours.outputs["judge"], theirs.outputs["judge"]) <= 1e-6
    assert ours.metric["judge"] == theirs.metric["judge"]
    (right,) = trainer.train(clean, [STREAMS])
    assert lab.difference(ours.outputs["judge"], right.outputs["judge"]) > 1e-3


def test_one_hot_labels_are_refused_by_a_loss_of_class_numbers(lab: Any) -> None:
    faulty = mutate(lab.program(dense(), table()), [Mutation("POH", SITE, {})])
    with pytest.raises(TrainingFailed):
        lab.trainer(faulty).train(faulty, [STREAMS])


def test_one_hot_labels_of_one_unit_are_learned_by_a_loss_of_distances(lab: Any) -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, "sigmoid")])
    rows = Rows(table().x, ((table().y[0] > 0).astype("int64"),))
    clean = lab.program(model, rows, loss="mean_squared_error")
    faulty = mutate(clean, [Mutation("POH", SITE, {})])
    trainer = lab.trainer(clean)
    (right,), (wrong,) = (trainer.train(one, [STREAMS]) for one in (clean, faulty))
    assert wrong.outcome == "completed"
    assert lab.difference(right.weights, wrong.weights) > 1e-3


def test_classes_that_are_not_there_are_refused(lab: Any) -> None:
    shift = Mutation("PLO", SITE, {"shift": 1, "wrap": False})
    faulty = mutate(lab.program(dense(), table()), [shift])
    with pytest.raises(TrainingFailed, match=r"expected 0 to 2 .* received 3"):
        lab.trainer(faulty).train(faulty, [STREAMS])


def test_without_validation_rows_early_stopping_never_stops(lab: Any) -> None:
    stopping = {"monitor": "val_loss", "patience": 0, "min_delta": 9.0}
    clean = lab.program(
        dense(),
        table(),
        validation=table(20, 1),
        fit={"epochs": 6},
        callbacks=[{"class_name": "EarlyStopping", "config": stopping}],
    )
    faulty = mutate(clean, [Mutation("VRM", Site("/data/validation"), {})])
    (stopped,) = lab.trainer(clean).train(clean, [STREAMS])
    with pytest.warns(UserWarning, match="val_loss"):
        (result,) = lab.trainer(clean).train(faulty, [STREAMS])
    assert (stopped.epochs, result.epochs) == (2, 6)
    assert set(result.metric) == {"train", "judge"}
