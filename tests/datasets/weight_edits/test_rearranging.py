from typing import Any

import numpy as np
import pytest
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.weight_edits import apply_weight_edit


def test_a_shuffle_permutes_the_weights_of_each_gate_among_themselves(case: Any) -> None:
    old, new = case.applied(case.edit("weight_shuffle", [1]))
    for path in old:
        if new[path] is old[path]:
            continue
        for (neuron, _), indices in case.entries(old[path].shape).items():
            before = [old[path][index] for index in indices]
            after = [new[path][index] for index in indices]
            assert sorted(before) == sorted(after)
            assert (before != after) == (neuron == 1)


def test_a_shuffle_always_moves_two_weights_and_never_one() -> None:
    parameters = {"layer": "dense", "neurons": [0, 1], "units": 2}
    edit = {"name": "weight_shuffle", "parameters": parameters}
    for seed in range(8):
        pair = {"dense/kernel": np.array([[1, 3], [2, 4]], "float32")}
        swapped = apply_weight_edit(edit, pair, np.random.default_rng(seed))["dense/kernel"]
        assert swapped.tolist() == [[2, 4], [1, 3]]
    single = {"dense/kernel": np.array([[1, 3]], "float32")}
    alone = apply_weight_edit(edit, single, np.random.default_rng(0))["dense/kernel"]
    assert alone.tolist() == [[1, 3]]


def test_permutations_are_spread_evenly_over_those_that_move_something() -> None:
    parameters = {"layer": "dense", "neurons": [0], "units": 1}
    edit = {"name": "weight_shuffle", "parameters": parameters}
    rng = np.random.default_rng(0)
    counts: dict[tuple[float, ...], int] = {}
    for _ in range(1000):
        kernel = {"dense/kernel": np.array([[1], [2], [3]], "float32")}
        order = tuple(apply_weight_edit(edit, kernel, rng)["dense/kernel"][:, 0].tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 5 and (1.0, 2.0, 3.0) not in counts
    assert all(150 < count < 250 for count in counts.values())


@pytest.mark.parametrize(("neurons", "pairs"), [([0, 2], {0: 2}), ([0, 1, 2, 3], {0: 2, 1: 3})])
def test_switched_neurons_have_what_the_other_had(
    named: Any, neurons: list[int], pairs: dict[int, int]
) -> None:
    partner = pairs | {second: first for first, second in pairs.items()}
    for kind in ("Dense", "Conv2D", "DepthwiseConv2D", "SeparableConv2D"):
        case = named(kind)
        old, new = case.applied(case.edit("neuron_switch", neurons))
        for path in old:
            if new[path] is old[path]:
                continue
            entries = case.entries(old[path].shape)
            for (neuron, gate), indices in entries.items():
                source = entries[partner.get(neuron, neuron), gate]
                assert [new[path][i] for i in indices] == [old[path][i] for i in source]


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU", "ConvLSTM2D"])
def test_switched_units_swap_all_gates(named: Any, kind: str) -> None:
    case = named(kind)
    old, new = case.applied(case.edit("neuron_switch", [0, 2]))
    partner = {0: 2, 1: 1, 2: 0}
    for path in case.shapes:
        before, after = old[f"model/layer/{path}"], new[f"model/layer/{path}"]
        entries = case.entries(before.shape)
        for (neuron, gate), indices in entries.items():
            source = entries[partner[neuron], gate]
            assert [after[i] for i in indices] == [before[i] for i in source]


def test_neurons_without_a_partner_are_refused(named: Any) -> None:
    case = named("Dense")
    with pytest.raises(SubjectError, match=r"expected pairs of neurons .* received \[0, 1, 2\]"):
        case.applied(case.edit("neuron_switch", [0, 1, 2]))
