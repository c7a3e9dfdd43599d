"""Operators that append transforms: what they plan, and that the transforms exist and fit."""

from typing import Any

import numpy as np
import pytest
from faultloom.datasets.arrays import Rows
from faultloom.datasets.errors import NotApplicable
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.slots import difference
from faultloom.datasets.transforms import INFORMED, TRANSFORMS, apply_transforms
from faultloom.operators import Mutation, Operator, Site, faults_of, mutate, operator, operators
from faultloom.operators.cases import small_program
from faultloom.operators.inputs import number_inputs
from faultloom.operators.transforming import TransformOperator

APPENDING = [found for found in operators() if isinstance(found, TransformOperator)]
SITE = Site("/transforms")
RECORDS = {
    role: {"x": [f"x_{role}"], "y": [f"y_{role}"], "sample_weight": None}
    for role in ("train", "validation", "judge", "test")
}
CLASSES, NUMBERS = small_program(data=RECORDS), small_program(data=RECORDS, loss="mse", metrics=[])
STOPPING = {"class_name": "EarlyStopping", "config": {"patience": 3}}


def codes(program: TrainingProgram) -> list[str]:
    return [acting.code for acting in APPENDING if acting.sites(program)]


def entries(acting: Operator, program: TrainingProgram) -> list[dict[str, Any]]:
    mutants = [acting.apply(program, SITE, found) for found in acting.variants(program, SITE)]
    return [mutant.document()["transforms"][0] for mutant in mutants]


def stored(role: str) -> Rows:
    x = np.random.default_rng(len(role)).uniform(0, 1, (24, 4)).astype("float32")
    rows = Rows((x,), (np.repeat([1, 0, 2], [6, 10, 8]),))
    for array in rows.arrays():
        array.setflags(write=False)
    return rows


@pytest.mark.parametrize("acting", APPENDING, ids=lambda acting: acting.code)
def test_what_is_planned_changes_rows_of_its_roles_alone(acting: TransformOperator) -> None:
    planned = entries(acting, CLASSES)
    assert planned
    for entry in planned:
        assert entry["name"] in {*TRANSFORMS, *INFORMED} and entry["roles"] == list(acting.roles)
        for role in RECORDS:
            rows = stored(role)
            result = apply_transforms(
                rows, [entry], role, lambda _: np.random.default_rng(1), stored
            )
            assert bool(len(result.touched)) == (role in acting.roles), (entry, role)


def refuse(position: int) -> np.random.Generator:
    raise AssertionError("it drew random numbers")


@pytest.mark.parametrize("acting", APPENDING, ids=lambda acting: acting.code)
def test_held_out_rows_are_the_same_in_all_runs_and_keep_their_labels(
    acting: TransformOperator,
) -> None:
    for entry in entries(acting, CLASSES):
        for role in ("judge", "test"):
            rows = stored(role)
            result = apply_transforms(rows, [entry], role, refuse, stored)
            assert result.index is None and len(result.rows) == len(rows)
            assert result.rows.y[0] is rows.y[0]


def test_faults_of_classes_do_not_apply_to_numbers() -> None:
    assert sorted(set(codes(CLASSES)) - set(codes(NUMBERS))) == ["PLO", "POH", "TLN"]


def test_leaks_need_rows_that_faults_are_not_judged_on() -> None:
    def leaks(**records: Any) -> list[str]:
        found = codes(small_program(data=RECORDS | records))
        return [code for code in found if code in ("PLK", "VLK")]

    assert leaks() == ["PLK", "VLK"]
    assert leaks(validation=None) == ["PLK"]
    assert leaks(test=RECORDS["judge"]) == ["VLK"]
    assert leaks(validation=RECORDS["test"]) == ["PLK"]
    assert leaks(validation=RECORDS["judge"], test=RECORDS["judge"]) == []


def test_validation_rows_matter_to_callbacks_that_monitor_them() -> None:
    acting = operator("VRM")

    def sites(**fields: Any) -> tuple[Site, ...]:
        return acting.sites(small_program(**{"data": RECORDS, "callbacks": [STOPPING], **fields}))

    assert sites() == (Site("/data/validation"),)
    assert sites(callbacks=[]) == ()
    assert sites(callbacks=[{"class_name": "TerminateOnNaN", "config": {}}]) == ()
    by_loss = {"class_name": "ReduceLROnPlateau", "config": {"monitor": "loss"}}
    assert sites(callbacks=[by_loss]) == () and len(sites(callbacks=[by_loss, STOPPING])) == 1
    assert sites(data={**RECORDS, "validation": None}) == ()


def test_validation_rows_that_leak_cannot_be_removed_too() -> None:
    program = small_program(data=RECORDS, callbacks=[STOPPING])
    remove = Mutation("VRM", Site("/data/validation"), {})
    leak = Mutation("VLK", SITE, {"percentage": 50.0})
    assert mutate(program, [remove]).document()["data"]["validation"] is None
    for both in ([leak, remove], [remove, leak]):
        with pytest.raises(NotApplicable):
            mutate(program, both)


def test_sorted_rows_are_two_changes_of_one_fault() -> None:
    mutation = Mutation("PUS", SITE, {})
    faults = faults_of(CLASSES, mutate(CLASSES, [mutation]), [mutation])
    assert [(fault.slot, fault.fault_type) for fault in faults] == [
        ("/fit/shuffle", "CPP"),
        ("/transforms/0", "CPP"),
    ]
    ordered = small_program(fit={**CLASSES.document()["fit"], "shuffle": False})
    changes = difference(ordered, operator("PUS").apply(ordered, SITE, {}))
    assert [change.slot for change in changes] == ["/transforms/0"]


@pytest.mark.parametrize(
    ("code", "parameters"),
    [
        ("PWS", {"factor": 1.0, "input": 0}),
        ("PTD", {"percentage": 0.0}),
        ("DCR", {"percentage": 0.0, "task": "classification", "which": "most_frequent"}),
    ],
)
def test_a_transform_of_nothing_is_refused(code: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(NotApplicable, match="would change nothing"):
        operator(code).apply(CLASSES, SITE, parameters)


def inputs(*shapes: tuple[int | None, ...], lookup: str | None = None, **config: Any) -> Any:
    """A functional program with these inputs, the first of which `lookup` may look up."""
    layers = [
        {
            "class_name": "InputLayer",
            "config": {"name": f"in_{n}", "batch_shape": [None, *shape], **config},
            "inbound_nodes": [],
        }
        for n, shape in enumerate(shapes)
    ]
    if lookup:
        tensor = {"class_name": "__keras_tensor__", "config": {"keras_history": ["in_0", 0, 0]}}
        node = {"args": [tensor], "kwargs": {}}
        layers.append({"class_name": lookup, "config": {"name": "look"}, "inbound_nodes": [node]})
    handles = [[f"in_{n}", 0, 0] for n in reversed(range(len(shapes)))]
    model = {"name": "functional", "layers": layers, "input_layers": handles}
    return small_program(architecture={"class_name": "Functional", "config": model})


def test_inputs_come_in_the_order_of_the_data_without_those_that_are_looked_up() -> None:
    found = number_inputs(inputs((7,), (4,), (8, 8, 3)))
    assert [(one.position, one.shape) for one in found] == [(0, (8, 8, 3)), (1, (4,)), (2, (7,))]
    found = number_inputs(inputs((7,), (4,), lookup="Embedding"))
    assert [(one.position, one.shape) for one in found] == [(0, (4,))]
    assert number_inputs(inputs((1,), dtype="string")) == ()


def test_the_only_input_can_be_named_without_a_list() -> None:
    document = inputs((4,)).document()
    document["architecture"]["config"]["input_layers"] = ["in_0", 0, 0]
    (found,) = number_inputs(TrainingProgram.of(document))
    assert (found.position, found.shape) == (0, (4,))


def test_words_of_a_sequential_model_are_no_numbers() -> None:
    document = CLASSES.document()
    document["architecture"]["config"]["layers"][1]["class_name"] = "Embedding"
    program = TrainingProgram.of(document)
    assert number_inputs(program) == ()
    numeric = ["PCH", "PDN", "PMN", "PTM", "PWA", "PWS"]
    assert [code for code in codes(CLASSES) if code in numeric] == numeric
    assert not set(codes(program)) & set(numeric)


@pytest.mark.parametrize(
    ("shape", "orders"),
    [
        ((4,), ["reversed", "rotated"]),
        ((2,), ["reversed"]),
        ((1,), []),
        ((), []),
        ((8, 8, 1), ["transposed"]),
        ((8, 6, 3), ["reversed", "rotated"]),
        ((5, 5), ["reversed", "rotated", "transposed"]),
        ((None, None, 1), []),
        ((None, 2), ["reversed"]),
    ],
)
def test_features_are_permuted_where_another_order_exists(
    shape: tuple[int | None, ...], orders: list[str]
) -> None:
    planned = [found["order"] for found in operator("PCH").variants(inputs(shape), SITE)]
    assert planned == orders


def test_each_input_has_its_own_mutants() -> None:
    planned = operator("PWS").variants(inputs((4,), (3,)), SITE)
    assert [(found["input"], found["factor"]) for found in planned] == [
        (position, factor) for position in (0, 1) for factor in (0.01, 0.1, 10.0, 100.0)
    ]
