"""What a run depends on, and what it does not: streams, traces and what ran earlier."""

import hashlib
import os
import subprocess
import sys
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.program import TrainingProgram, content_hash
from faultloom.datasets.weight_edits import apply_weight_edit
from faultloom.generator.graph_key import graph_key
from faultloom.generator.streams import Streams

pytestmark = pytest.mark.tf

layers = keras.layers
UNIT = "/architecture/config/layers/1/config"


def rows(n: int = 70, seed: int = 1) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype("float32")
    return Rows((x,), (np.abs(x).argmax(1) % 3,))


def dense(rate: float = 0.0) -> Any:
    dropout = [layers.Dropout(rate)] if rate else []
    return keras.Sequential(
        [keras.Input((4,)), layers.Dense(8, "relu"), *dropout, layers.Dense(3, "softmax")]
    )


def eventful() -> Any:
    hidden = [layers.Dense(6), layers.BatchNormalization(), layers.Dropout(0.3)]
    return keras.Sequential([keras.Input((4,)), *hidden, layers.Dense(3, "softmax")])


def same(one: Any, other: Any) -> bool:
    weights = [(a.tobytes(), b.tobytes()) for a, b in zip(one.weights, other.weights, strict=True)]
    outputs = [
        (a.tobytes(), b.tobytes())
        for role in ("judge", "test")
        for a, b in zip(one.outputs[role], other.outputs[role], strict=True)
    ]
    return all(a == b for a, b in weights + outputs) and (one.metric, one.loss, one.epochs) == (
        other.metric,
        other.loss,
        other.epochs,
    )


PROGRAM = """
import hashlib, json, sys
import numpy as np
from faultloom.datasets.program import TrainingProgram
from faultloom.generator.scoring import Judge
from faultloom.generator.streams import Streams
from faultloom.generator.trainer import Trainer, pin_threads

pin_threads()
program = TrainingProgram(open(sys.argv[1]).read())
trainer = Trainer(dict(np.load(sys.argv[2])), Judge.of(program, "classification"))
for result in trainer.train(program, [Streams(5, 0), Streams(5, 1), Streams(6, 0)]):
    digest = hashlib.sha256()
    for weight in result.weights:
        digest.update(weight.tobytes())
    print(digest.hexdigest())
"""


def test_two_processes_train_the_same_bits(lab: Any, tmp_path: Any) -> None:
    program = lab.program(eventful(), rows(), optimizer="adam")
    names = [tmp_path / name for name in ("train.py", "program.json", "arrays.npz")]
    names[0].write_text(PROGRAM)
    names[1].write_text(program.text)
    np.savez(names[2], **lab.arrays)
    command = [sys.executable, *map(str, names)]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "random"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    runs = [subprocess.Popen(command, env=environment, **pipes) for _ in range(2)]
    hashes = []
    for run in runs:
        found, complaint = run.communicate(timeout=300)
        assert run.returncode == 0, complaint
        hashes.append(found.split())
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0])) == 3 and len(hashes[0][0]) == hashlib.sha256().digest_size * 2


def test_nothing_that_ran_earlier_matters(lab: Any, edited: Any) -> None:
    plateau = {"class_name": "ReduceLROnPlateau", "config": {"monitor": "loss", "min_delta": 9.0}}
    stop = {"class_name": "EarlyStopping", "config": {"restore_best_weights": True}}
    momentum = keras.optimizers.SGD(0.05, momentum=0.9)
    program = lab.program(eventful(), rows(), optimizer=momentum, validation=rows(30, 2))
    callbacks = edited(program, "/callbacks", [plateau, stop])
    others = [
        edited(program, "/optimizer/config/learning_rate", 5.0),
        edited(callbacks, "/fit/epochs", 6),
        edited(program, f"{UNIT}/kernel_initializer", {"class_name": "Ones", "config": {}}),
        edited(program, "/fit/class_weight", {"0": 7.0}),
        edited(program, "/weight_edits", [fuzzing("dense", [0, 1], 6)]),
        lab.program(dense(0.5), rows(), optimizer="adam"),
    ]
    assert len({graph_key(other) for other in others}) == 2
    trainer = lab.trainer(program)
    first, second = trainer.train(program, [Streams(0, 0), Streams(0, 1)])
    for other in others:
        with_warnings_of_keras(trainer, other)
        again = trainer.train(program, [Streams(0, 1), Streams(0, 0)])
        assert same(again[1], first) and same(again[0], second)
    assert not same(first, second)
    assert same(lab.trainer(program, keep=1).train(program, [Streams(0, 1)])[0], second)


def with_warnings_of_keras(trainer: Any, program: TrainingProgram) -> None:
    import warnings

    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        trainer.train(program, [Streams(0, 0)])


@pytest.mark.parametrize("name", ["Adamax", "Nadam", "RMSprop", "Ftrl", "Adagrad", "Lion"])
def test_optimizers_forget(lab: Any, name: str) -> None:
    program = lab.program(dense(), rows(40), optimizer=name, fit={"epochs": 2})
    trainer = lab.trainer(program)
    first, _, again = trainer.train(program, [Streams(0, 0), Streams(0, 1), Streams(0, 0)])
    assert same(first, again)


def test_a_model_that_was_dropped_comes_back_the_same(lab: Any, edited: Any) -> None:
    program = lab.program(dense(), rows(), fit={"epochs": 1})
    trainer = lab.trainer(program, keep=1)
    (first,) = trainer.train(program, [Streams(0, 0)])
    kept = trainer.compiled(program)
    trainer.train(edited(program, "/fit/batch_size", 8), [Streams(0, 0)])
    assert trainer.compiled(program) is not kept
    assert same(trainer.train(program, [Streams(0, 0)])[0], first)


def test_programs_with_one_graph_key_share_one_trace(lab: Any, edited: Any) -> None:
    program = lab.program(dense(), rows(), optimizer="adam")
    stop = {"class_name": "EarlyStopping", "config": {"monitor": "loss", "patience": 2}}
    zeros = {"class_name": "Zeros", "config": {}}
    parameters = {"percentage": 50.0, "task": "classification"}
    delete = {"name": "delete_rows", "parameters": parameters, "roles": ["train"]}
    trainer = lab.trainer(program)
    mutants = [
        program,
        edited(program, "/fit/epochs", 2),
        edited(program, "/fit/shuffle", False),
        edited(program, "/optimizer/config/learning_rate", 0.5),
        edited(program, f"{UNIT}/bias_initializer", {"class_name": "Ones", "config": {}}),
        edited(program, f"{UNIT}/kernel_initializer", zeros),
        edited(program, "/callbacks", [stop]),
        edited(program, "/transforms", [delete]),
        edited(program, "/transforms", [{**delete, "name": "change_labels"}]),
        edited(program, "/weight_edits", [fuzzing("dense_1", [0], 3)]),
        lab.program(dense(), rows(seed=9), optimizer="adam"),
    ]
    results = [trainer.train(mutant, [Streams(0, k) for k in (0, 1)]) for mutant in mutants]
    compiled = trainer.compiled(program)
    assert all(trainer.compiled(mutant) is compiled for mutant in mutants)
    assert compiled._epoch.experimental_get_tracing_count() == 1
    assert compiled._forward.experimental_get_tracing_count() == 1
    weights = {b"".join(w.tobytes() for w in result.weights) for result, _ in results}
    assert len(weights) >= len(mutants) - 1


def test_dropout_follows_its_stream(lab: Any) -> None:
    program = lab.program(dense(0.5), rows(), fit={"shuffle": False})
    one, again, other = lab.trainer(program).train(
        program, [Streams(0, 0), Streams(0, 0), Streams(0, 1)]
    )
    assert same(one, again) and not same(one, other)


class OneSeedForDropout(Streams):
    """Streams of which the one for dropout is that of another run."""

    def keras_seed(self, stream: Any, key: str) -> int:
        found = Streams(0, self.campaign_seed) if stream == "dropout" else Streams(0, 0)
        return found.keras_seed(stream, key)


def test_dropout_alone_tells_runs_apart(lab: Any) -> None:
    program = lab.program(dense(0.5), rows(), fit={"shuffle": False})
    one, other = lab.trainer(program).train(
        program, [OneSeedForDropout(1, 0), OneSeedForDropout(2, 0)]
    )
    assert not same(one, other)


@pytest.mark.parametrize(("steps", "epochs"), [(8, 1), (1, 8)])
def test_every_step_drops_other_values(lab: Any, steps: int, epochs: int) -> None:
    """Weights that start at zero and whose input was never kept are zero still."""
    output = layers.Dense(1, use_bias=False, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input((64,)), layers.Dropout(0.5), output])
    fit = {"batch_size": 1, "epochs": epochs}
    ones = Rows((np.ones((steps, 64), "float32"),), (np.ones((steps, 1), "float32"),))
    options = {"loss": "mean_squared_error", "metrics": [], "held": ones}
    program = lab.program(model, ones, fit=fit, **options)
    single = lab.program(model, ones.take(np.arange(1)), fit=fit | {"epochs": 1}, **options)
    trained = [
        np.count_nonzero(lab.trainer(one).train(one, [Streams(0, 0)])[0].weights[0])
        for one in (single, program)
    ]
    assert 16 < trained[0] < 48 and trained[1] > 56


def fuzzing(layer: str, neurons: list[int], units: int) -> dict[str, Any]:
    parameters = {"layer": layer, "magnitude": 2.0, "neurons": neurons, "units": units}
    return {"name": "gaussian_fuzzing", "parameters": parameters}


def test_weight_edits_act_on_the_clean_run(lab: Any, edited: Any) -> None:
    clean = lab.program(eventful(), rows(), optimizer="adam")
    edit = fuzzing("dense_1", [0, 2], 3)
    program = edited(clean, "/weight_edits", [edit])
    trainer = lab.trainer(clean)
    for k in (0, 1):
        streams = Streams(3, k)
        (right,), (faulty,) = (trainer.train(one, [streams]) for one in (clean, program))
        names = [variable.path for variable in trainer.compiled(clean).model.weights]
        changed = [
            name
            for name, a, b in zip(names, right.weights, faulty.weights, strict=True)
            if a.tobytes() != b.tobytes()
        ]
        assert len(changed) == 1 and changed[0].endswith("dense_1/kernel")
        at = names.index(changed[0])
        generator = streams.generator("data", content_hash(edit))
        before = {"dense_1/kernel": right.weights[at]}
        expected = apply_weight_edit(edit, before, generator)["dense_1/kernel"]
        assert np.array_equal(faulty.weights[at], expected)
        assert np.array_equal(faulty.weights[at][:, 1], right.weights[at][:, 1])
        assert not np.array_equal(faulty.outputs["judge"][0], right.outputs["judge"][0])


@pytest.mark.parametrize("layer", ["gru", "conv1d", "sequential/dense"])
def test_weight_edits_find_every_kind_of_layer(lab: Any, edited: Any, layer: str) -> None:
    inner = keras.Sequential([keras.Input((2,)), layers.Dense(3, "softmax")])
    middle = [layers.Conv1D(2, 2), layers.GRU(2)]
    model = keras.Sequential([keras.Input((4, 1)), *middle, inner])
    found = rows(20)
    clean = lab.program(model, Rows((found.x[0][..., None],), found.y), fit={"epochs": 1})
    units = 3 if layer.endswith("dense") else 2
    program = edited(clean, "/weight_edits", [fuzzing(layer, [0], units)])
    trainer = lab.trainer(clean)
    (right,), (faulty,) = (trainer.train(one, [Streams(0, 0)]) for one in (clean, program))
    pairs = zip(right.weights, faulty.weights, strict=True)
    changed = [np.flatnonzero((a != b).any(tuple(range(a.ndim - 1)))) for a, b in pairs]
    # The kernel and the recurrent kernel of a GRU, in all three gates.
    columns = [[0, 2, 4]] * 2 if layer == "gru" else [[0]]
    assert [part.tolist() for part in changed if len(part)] == columns
