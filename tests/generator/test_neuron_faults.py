"""Faults of neurons in real trainings: what the intended neurons give changes, and no more."""

from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.program import TrainingProgram, content_hash
from faultloom.datasets.weight_edits import apply_weight_edit
from faultloom.generator.streams import Streams
from faultloom.generator.trainer import RunResult, Trainer
from faultloom.operators import Operator, operator

pytestmark = pytest.mark.tf

layers = keras.layers
STREAMS = Streams(5, 2)
RECURRENT = (layers.RNN, layers.ConvLSTM2D)
N = 40


def rows(*shape: int) -> Rows:
    x = np.random.default_rng(3).normal(size=(N, *shape)).astype("float32")
    return Rows((x,), ((x.reshape(N, -1).sum(1) > 0).astype("int64"),))


def tables() -> tuple[Any, Rows]:
    inner = keras.Sequential([keras.Input((6,)), layers.Dense(5, "elu", use_bias=False)])
    hidden = [layers.Dense(6, "tanh"), layers.BatchNormalization(), inner]
    return [keras.Input((4,)), *hidden, layers.Dense(2, "sigmoid")], rows(4)


def images() -> tuple[Any, Rows]:
    hidden = [
        layers.Conv2D(4, 3, activation="tanh"),
        layers.DepthwiseConv2D(2, depth_multiplier=2),
        layers.SeparableConv2D(3, 2, activation="elu"),
        layers.Reshape((4, 3)),
        layers.Conv1D(3, 2),
        layers.Flatten(),
    ]
    return [keras.Input((6, 6, 1)), *hidden, layers.Dense(2, "sigmoid")], rows(6, 6, 1)


def sequences() -> tuple[Any, Rows]:
    hidden = [
        layers.SimpleRNN(3, return_sequences=True),
        layers.LSTM(4, return_sequences=True),
        layers.GRU(3, return_sequences=True),
        layers.GRU(3, return_sequences=True, reset_after=False),
        layers.Flatten(),
    ]
    return [keras.Input((4, 3)), *hidden, layers.Dense(2, "sigmoid")], rows(4, 3)


def films() -> tuple[Any, Rows]:
    hidden = [layers.ConvLSTM2D(3, 2, return_sequences=True), layers.Flatten()]
    return [keras.Input((3, 4, 4, 1)), *hidden, layers.Dense(2, "sigmoid")], rows(3, 4, 4, 1)


@dataclass
class Trained:
    """A program, its trainer and its clean run."""

    program: TrainingProgram
    trainer: Trainer
    clean: RunResult
    rows: Rows

    def run(self, faulty: TrainingProgram) -> RunResult:
        """Train once."""
        (result,) = self.trainer.train(faulty, [STREAMS])
        return result

    def layer(self, path: str) -> Any:
        """Return the layer, whose weights are those that were set last."""
        return self.trainer.compiled(self.program).layers[path]

    def given(self, path: str, weights: list[Any], probe: Any) -> Any:
        """Return what a layer makes of its inputs with the weights of a run."""
        self.trainer.compiled(self.program).set_weights(weights)
        return np.asarray(self.layer(path)(probe))

    def probe(self, path: str) -> Any:
        """Return inputs of a layer."""
        shape = (8, *self.layer(path).input.shape[1:])
        return np.random.default_rng(1).normal(size=shape).astype("float32")

    def by_layer(self, weights: list[Any]) -> dict[str, list[bytes]]:
        """Return the weights of each layer as bytes."""
        self.trainer.compiled(self.program).set_weights(weights)
        found = self.trainer.compiled(self.program).layers
        return {
            path: [variable.numpy().tobytes() for variable in layer.weights]
            for path, layer in found.items()
        }


def trained_on(lab: Any, made: tuple[Any, Rows]) -> Trained:
    parts, found = made
    program = lab.program(keras.Sequential(parts), found, fit={"epochs": 1}, optimizer="adam")
    trainer = lab.trainer(program)
    (clean,) = trainer.train(program, [STREAMS])
    return Trained(program, trainer, clean, found)


@pytest.fixture(scope="module", params=[tables, images, sequences, films])
def trained(lab: Any, request: pytest.FixtureRequest) -> Trained:
    return trained_on(lab, request.param())


OF_NEURONS = ["NAI", "NEB", "NGF", "NNI", "NST", "NSW", "NWI", "NWS"]


def mutants(acting: Operator, program: TrainingProgram) -> list[tuple[str, Any, TrainingProgram]]:
    """Return layer, edit and program of the last variant at every site."""
    found = []
    for site in acting.sites(program):
        mutant = acting.apply(program, site, acting.variants(program, site)[-1])
        found.append((str(site.layer), mutant.document()["weight_edits"][0], mutant))
    return found


def first_step(layer: Any, output: Any) -> Any:
    """Leave the later steps of a recurrent layer out, where its units act on each other."""
    return output[:, 0] if isinstance(layer, RECURRENT) else output


@pytest.mark.parametrize("code", OF_NEURONS)
def test_the_intended_neurons_change_and_no_others(trained: Trained, code: str) -> None:
    acting, before = operator(code), trained.by_layer(trained.clean.weights)
    found = mutants(acting, trained.program)
    assert found
    for path, edit, mutant in found:
        faulty = trained.run(mutant)
        assert edit["parameters"].get("outgoing", []) == []
        after = trained.by_layer(faulty.weights)
        assert [layer for layer in before if before[layer] != after[layer]] == [path]
        probe, layer = trained.probe(path), trained.layer(path)
        right = first_step(layer, trained.given(path, trained.clean.weights, probe))
        wrong = first_step(layer, trained.given(path, faulty.weights, probe))
        moved = (right != wrong).any(tuple(range(right.ndim - 1)))
        assert np.flatnonzero(moved).tolist() == edit["parameters"]["neurons"]


@pytest.mark.parametrize("code", [*OF_NEURONS, "NQT"])
def test_the_weights_are_those_of_the_clean_run_after_the_edit(trained: Trained, code: str) -> None:
    for path, edit, mutant in mutants(operator(code), trained.program):
        layer = trained.layer(path)
        trained.trainer.compiled(trained.program).set_weights(trained.clean.weights)
        clean = {f"{path}/{variable.path}": variable.numpy() for variable in layer.weights}
        rng = STREAMS.generator("data", content_hash(edit))
        expected = apply_weight_edit(edit, clean, rng)
        faulty = trained.run(mutant)
        trained.trainer.compiled(trained.program).set_weights(faulty.weights)
        for variable in layer.weights:
            assert np.array_equal(variable.numpy(), expected[f"{path}/{variable.path}"])
        assert any(expected[name] is not clean[name] for name in clean)


def test_blocked_neurons_give_nothing(trained: Trained) -> None:
    for path, edit, mutant in mutants(operator("NEB"), trained.program):
        output = trained.given(path, trained.run(mutant).weights, trained.probe(path))
        neurons = edit["parameters"]["neurons"]
        assert (output[..., neurons] == 0).all()
        assert (np.delete(output, neurons, -1) != 0).any()


def test_stuck_neurons_give_the_same_for_all_inputs(trained: Trained) -> None:
    for path, edit, mutant in mutants(operator("NST"), trained.program):
        layer, value = trained.layer(path), np.float32([edit["parameters"]["value"]])
        output = trained.given(path, trained.run(mutant).weights, trained.probe(path))
        stuck = output[..., edit["parameters"]["neurons"]]
        assert np.ptp(stuck, axis=0).max() == 0
        if not isinstance(layer, RECURRENT):
            assert (stuck == np.asarray(layer.activation(value))).all()


def test_a_quantised_layer_has_few_weights_and_no_other_layer_changes(trained: Trained) -> None:
    before = trained.by_layer(trained.clean.weights)
    for path, edit, mutant in mutants(operator("NQT"), trained.program):
        assert edit["parameters"]["bits"] == 2
        after = trained.by_layer(trained.run(mutant).weights)
        assert [layer for layer in before if before[layer] != after[layer]] == [path]
        for variable in trained.layer(path).weights:
            if variable.name != "bias":
                assert len(np.unique(variable.numpy())) <= 3


FED = {
    "dense": [
        layers.Dense(6, "sigmoid"),
        layers.BatchNormalization(),
        layers.Dropout(0.2),
        layers.Dense(4, "relu"),
    ],
    "flattened": [
        layers.Reshape((4, 4, 1)),
        layers.Conv2D(3, 2, activation="softplus"),
        layers.MaxPooling2D(2, 1),
        layers.Flatten(),
        layers.Dense(4),
    ],
    "depthwise": [
        layers.Reshape((4, 4, 1)),
        layers.Conv2D(3, 2, activation="sigmoid"),
        layers.DepthwiseConv2D(2),
        layers.Flatten(),
    ],
    "separable": [
        layers.Reshape((4, 4, 1)),
        layers.Conv2D(3, 2, activation="sigmoid"),
        layers.SeparableConv2D(4, 2),
        layers.Flatten(),
    ],
    "recurrent": [
        layers.Reshape((4, 4, 1)),
        layers.Conv2D(3, 2, activation="sigmoid"),
        layers.Reshape((9, 3)),
        layers.GRU(4),
    ],
}


@pytest.mark.parametrize("name", FED)
def test_blocked_where_they_are_fed_neurons_have_no_effect_either(lab: Any, name: str) -> None:
    parts = [keras.Input((16,)), *FED[name], layers.Dense(2, "softmax")]
    trained = trained_on(lab, (parts, rows(16)))
    ((fed, edit, mutant),) = [
        (fed, edit, mutant)
        for _, edit, mutant in mutants(operator("NEB"), trained.program)
        for fed in edit["parameters"]["outgoing"]
    ]
    faulty = trained.run(mutant)
    before, after = (trained.by_layer(run.weights) for run in (trained.clean, faulty))
    assert [layer for layer in before if before[layer] != after[layer]] == [fed]
    neurons, units = edit["parameters"]["neurons"], edit["parameters"]["units"]
    probe = trained.probe(fed)
    silent = probe.copy()
    for place in range(probe.shape[-1]):
        if place % units in neurons:
            silent[..., place] = 0
    wrong = trained.given(fed, faulty.weights, probe)
    assert np.allclose(wrong, trained.given(fed, trained.clean.weights, silent), atol=1e-6)
    assert not np.allclose(wrong, trained.given(fed, trained.clean.weights, probe), atol=1e-3)
