"""GUIDER against a slow loop written from its definition, neuron by neuron and test by test."""

import math

import numpy as np
import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.localizers.base import Case, LayerInfo
from faultloom.localizers.guider import Guider

FORMULAS = ["tarantula", "ochiai", "dstar", "op2", "barinel"]


def make_case(seed, kind="multi", n=37):
    rng = np.random.default_rng(seed)
    shapes = [(12,), (3, 4, 2), (5, 3), (1,), (), (9,)]
    outputs = [rng.normal(0.1, 0.5, (n, *shape)).astype(np.float32) for shape in shapes]
    outputs[2][:3] = np.nan
    outputs[5][:, 4] = -1.0
    task = "classification"
    if kind == "multi":
        predictions = rng.dirichlet(np.ones(4), n).astype(np.float32)
        labels = rng.integers(0, 4, n)
        predictions[5] = np.nan
    elif kind == "onehot":
        predictions = rng.dirichlet(np.ones(3), n).astype(np.float32)
        labels = np.eye(3)[rng.integers(0, 3, n)]
    elif kind == "sigmoid":
        predictions = rng.random((n, 1)).astype(np.float32)
        predictions[:6, 0] = [0.5, 1.5, 2.5, 1.6, np.nan, -0.4]
        labels = rng.integers(0, 2, (n, 1))
        labels[:6, 0] = [0, 1, 1, 1, 0, 0]
    else:
        task = "regression"
        labels = rng.normal(size=(n, 2))
        predictions = labels + rng.choice([0.0, 5e-4, 0.3], (n, 2))
    layers = tuple(LayerInfo(f"layer_{i}", i, "Dense", 1, {}) for i in range(len(shapes)))
    return Case("c", task, layers, labels, predictions, outputs.__getitem__)


def slow_passes(task, y, out):
    y, out = np.ravel(y).tolist(), np.ravel(out).tolist()
    if task == "regression":
        return all(abs(a - b) <= 0.001 for a, b in zip(y, out, strict=True))
    if len(out) == 1:
        return not math.isnan(out[0]) and y[0] == round(out[0])
    return (int(np.argmax(y)) if len(y) > 1 else y[0]) == int(np.argmax(out))


def slow_raw(task, y, out):
    if task == "regression":
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(np.ravel(y), np.ravel(out), strict=True)))
    values = [float(v) for v in np.ravel(out)]
    return 0.0 if any(math.isnan(v) for v in values) else max(values)


def slow_neuron(formula, ef, ep, f, p):
    if ef == 0 and ep == 0:
        return 0.0
    return {
        "tarantula": lambda: (ef / f) / (ef / f + ep / p),
        "ochiai": lambda: ef / math.sqrt(f * (ef + ep)),
        "dstar": lambda: ef**2 / (f - ef + ep),
        "op2": lambda: ef - ep / (p + 1),
        "barinel": lambda: 1 - ep / (ep + ef),
    }[formula]()


def slow_guider(case, formula, n_selected, seed, weighted=True, aggregation="gini", t=0.1):
    tests = range(len(case.predictions))
    passes = [slow_passes(case.task, case.labels[i], case.predictions[i]) for i in tests]
    raw = [slow_raw(case.task, case.labels[i], case.predictions[i]) for i in tests]
    low, high = min(raw), max(raw)
    c = [(r - low) / (high - low) if high > low else 0.0 for r in raw]
    if case.task == "regression":
        c = [1 - v for v in c]
    w = [1 + v if weighted else 1.0 for v in c]
    p = 1e-4 + sum(w[i] for i in tests if passes[i])
    f = 1e-4 + sum(w[i] for i in tests if not passes[i])
    stream = np.random.RandomState(seed)
    answer = []
    for layer in case.layers:
        rows = [np.ravel(row) for row in case.activations(layer.index)]
        n = len(rows[0])
        neurons = sorted(stream.randint(0, n, n_selected)) if n > n_selected else range(n)
        scores = []
        for neuron in neurons:
            ef = sum(w[i] for i in tests if not passes[i] and rows[i][neuron] > t)
            ep = sum(w[i] for i in tests if passes[i] and rows[i][neuron] > t)
            scores.append(slow_neuron(formula, ef, ep, f, p))
        mean = sum(scores) / len(scores)
        if aggregation == "mean":
            answer.append(mean)
            continue
        if mean == 0:
            answer.append(0.0)
            continue
        pairs = sum(abs(a - b) for i, a in enumerate(scores) for b in scores[:i])
        answer.append(mean * (1 - pairs / (len(scores) ** 2 * mean)))
    return answer


@pytest.mark.parametrize("kind", ["multi", "onehot", "sigmoid", "regression"])
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(("seed", "n_selected"), [(0, 200), (1, 7), (2, 10)])
def test_agrees_with_the_slow_loop(kind, formula, seed, n_selected):
    case = make_case(seed, kind)
    diagnosis = Guider(formula, n_selected=n_selected, seed=seed).localize(case)
    found = [suspect.score for suspect in diagnosis.suspects]
    assert [suspect.layer for suspect in diagnosis.suspects] == list(range(6))
    np.testing.assert_allclose(
        found, slow_guider(case, formula, n_selected, seed), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(("weighted", "aggregation"), [(False, "gini"), (True, "mean")])
def test_ablations_agree_with_the_slow_loop(weighted, aggregation):
    case = make_case(3)
    found = Guider(weighted=weighted, aggregation=aggregation).layer_scores(case)
    expected = slow_guider(case, "ochiai", 200, 7, weighted, aggregation)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("label", [0, 1])
def test_still_answers_on_degenerate_verdicts(label):
    layers = (LayerInfo("layer_0", 0, "Dense", 1, {}),)
    case = Case(
        "c",
        "classification",
        layers,
        np.full(4, label),
        np.tile([0.9, 0.1], (4, 1)),
        lambda _: np.ones((4, 2)),
    )
    diagnosis = Guider().localize(case)
    assert diagnosis.status == "ok"
    score = diagnosis.suspects[0].score
    assert score == 0.0 if label == 0 else score == pytest.approx(1.0, abs=1e-3)


def test_silent_and_empty_layers_score_0():
    layers = tuple(LayerInfo(f"layer_{i}", i, "Dense", 1, {}) for i in range(2))
    outputs = [np.full((3, 2), np.nan), np.zeros((3, 0))]
    case = Case("c", "regression", layers, np.zeros((3, 1)), np.ones((3, 1)), outputs.__getitem__)
    assert Guider().layer_scores(case) == (0.0, 0.0)


def test_refuses_what_it_cannot_use():
    with pytest.raises(ConfigError, match="formula"):
        Guider("nonsense")
    with pytest.raises(ConfigError, match="aggregation"):
        Guider(aggregation="max")
    with pytest.raises(ConfigError, match="n_selected"):
        Guider(n_selected=0)
    case = make_case(0)
    short = Case("c", case.task, case.layers, case.labels, case.predictions, lambda _: np.ones(3))
    with pytest.raises(ConfigError, match="one row per test"):
        Guider().localize(short)
