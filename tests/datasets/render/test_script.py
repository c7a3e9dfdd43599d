import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
from faultloom.datasets.canonical import canonical_model
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import TrainingProgram
from faultloom.datasets.render import Script, lines_of, patch, render
from faultloom.datasets.render.transforms import TRANSFORM_CODE
from faultloom.datasets.slots import ABSENT, with_slot
from faultloom.operators import Operator, operator, operators
from faultloom.operators.cases import LAYERS, small_program

pytestmark = pytest.mark.tf

SMALL = '''"""Train a Keras model on the arrays beside this script."""

from pathlib import Path

import keras
import numpy as np
from keras import layers

folder = Path(__file__).parent
x_train = np.load(folder / "x_train.npy")
y_train = np.load(folder / "y_train.npy")
x_val = np.load(folder / "x_val.npy")
y_val = np.load(folder / "y_val.npy")
x_test = np.load(folder / "x_test.npy")
y_test = np.load(folder / "y_test.npy")

model = keras.Sequential(
    [
        keras.Input(shape=(4,)),
        layers.Dense(8, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(3, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=0.001),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(
    x_train,
    y_train,
    batch_size=32,
    epochs=20,
    validation_data=(x_val, y_val),
    verbose=2,
)

print(model.evaluate(x_test, y_test, verbose=0, return_dict=True))
'''

FIRST, LAST = SMALL.splitlines()[0], SMALL.splitlines()[-1]
FOLDER, LOADED = "folder = Path(__file__).parent", 'y_test = np.load(folder / "y_test.npy")'
EXAMPLES = [
    pytest.param(found, example, id=f"{found.code}-{number}")
    for found in operators()
    for number, example in enumerate(found.examples())
]


def text_at(script: Script, slot: str) -> list[str]:
    lines = script.text.splitlines()
    return [lines[number - 1].strip() for number in lines_of(script, slot)]


def mutant(code: str, program: TrainingProgram | None = None) -> TrainingProgram:
    acting, program = operator(code), program or small_program()
    site = acting.sites(program)[0]
    return acting.apply(program, site, acting.variants(program, site)[0])


def test_a_program_reads_as_a_person_would_write_it() -> None:
    assert render(small_program()).text == SMALL
    assert render(small_program(), "blind").text == SMALL


@pytest.mark.parametrize(("acting", "example"), EXAMPLES)
def test_the_lines_of_a_fault_show_it(acting: Operator, example: Any) -> None:
    (site, *_) = [s for s in acting.sites(example.program) if s.slot == example.slot]
    faulty = acting.apply(example.program, site, example.parameters)
    if any(entry["name"] not in TRANSFORM_CODE for entry in faulty.document()["transforms"]):
        pytest.skip("the transform has no rendering")
    script, layers = render(faulty), {layer.slot: layer for layer in faulty.layers()}
    assert render(faulty) == script
    for change in example.changes:
        shown = "\n".join(text_at(script, change.slot))
        (entry,) = [s for s in layers if change.slot.startswith(f"{s}/")] or [None]
        if entry is not None:
            argument = change.slot.removeprefix(entry).split("/")[1]
            assert f"layers.{layers[entry].class_name}(" in shown or f"{argument}=" in shown
        if isinstance(change.new, (bool, int, float)):
            assert str(change.new) in shown
        assert len(lines_of(script, change.slot)) < len(script.text.splitlines())
        if change.new in (None, ABSENT):
            continue
        if acting.structural:
            # A layer more or less changes no line, it changes which lines there are.
            assert shown.split("\n") != text_at(render(example.program), change.slot)
            continue
        unchanged = set(script.text.splitlines()) & set(render(example.program).text.splitlines())
        assert not set(shown.split("\n")) <= {line.strip() for line in unchanged}


@pytest.mark.parametrize(
    ("slot", "shown"),
    [
        (f"{LAYERS}/1/config/units", ['layers.Dense(8, activation="relu"),']),
        (f"{LAYERS}/1/config/use_bias", ['layers.Dense(8, activation="relu"),']),
        (f"{LAYERS}/2", ["layers.Dropout(0.5),"]),
        ("/optimizer/config/beta_1", ["optimizer=keras.optimizers.Adam(learning_rate=0.001),"]),
        ("/loss", ['loss="sparse_categorical_crossentropy",']),
        ("/metrics/0", ['metrics=["accuracy"],']),
        ("/fit/epochs", ["epochs=20,"]),
        ("/data/test/y/0", ['y_test = np.load(folder / "y_test.npy")']),
    ],
)
def test_a_slot_is_on_its_line_and_an_omitted_one_on_that_of_its_holder(
    slot: str, shown: list[str]
) -> None:
    assert text_at(render(small_program()), slot) == shown


@pytest.mark.parametrize(
    ("slot", "first", "last"),
    [
        ("/fit/class_weight", "model.fit(", ")"),
        ("/callbacks/0", "model.fit(", ")"),
        ("/weight_edits/0", "model.fit(", ")"),
        (
            "/transforms/0",
            "folder = Path(__file__).parent",
            'y_test = np.load(folder / "y_test.npy")',
        ),
        ("/architecture", "model = keras.Sequential(", ")"),
        ("", FIRST, LAST),
        ("/unheard/of", FIRST, LAST),
    ],
)
def test_an_absent_slot_is_on_the_lines_of_where_it_would_be(
    slot: str, first: str, last: str
) -> None:
    shown = text_at(render(small_program()), slot)
    assert (shown[0], shown[-1]) == (first, last)


def test_missing_metrics_are_on_the_lines_of_compile() -> None:
    assert text_at(render(small_program(metrics=[])), "/metrics")[0] == "model.compile("


def test_a_layer_that_is_called_twice_is_on_its_own_line_and_those_of_its_calls() -> None:
    inputs, dense = keras.Input((4,)), keras.layers.Dense(4)
    model = keras.Model(inputs, keras.layers.Dense(3)(dense(dense(inputs))))
    script = render(with_slot(small_program(), "/architecture", canonical_model(model)))
    assert text_at(script, f"{LAYERS}/1/config/units") == ["dense = layers.Dense(4)"]
    assert text_at(script, f"{LAYERS}/1") == [
        "dense = layers.Dense(4)",
        "x = dense(inputs)",
        "x = dense(x)",
    ]
    assert text_at(script, f"{LAYERS}/1/inbound_nodes/1") == ["x = dense(x)"]
    assert text_at(script, f"{LAYERS}/2") == ["x = layers.Dense(3)(x)"]
    assert text_at(script, "/architecture/config/output_layers") == [
        "model = keras.Model(inputs, x)"
    ]


def test_a_model_within_a_model_is_on_its_own_lines_and_where_it_is_used() -> None:
    inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)], name="layers")
    model = keras.Sequential([keras.Input((4,)), inner])
    script = render(with_slot(small_program(), "/architecture", canonical_model(model)))
    shown = text_at(script, f"{LAYERS}/1")
    assert (shown[0], shown[-1]) == ("layers_2 = keras.Sequential(", "layers_2,")
    assert text_at(script, f"{LAYERS}/1/config/layers/1/config") == ["layers.Dense(3),"]


def test_a_patch_is_the_unified_difference() -> None:
    clean, faulty = render(small_program()), render(mutant("HNE"))
    lines = patch(clean, faulty).splitlines()
    assert lines[:2] == ["--- clean.py", "+++ faulty.py"]
    changed = [line for line in lines[2:] if line[0] in "+-"]
    assert changed == ["-    epochs=20,", "+    epochs=10,"]
    assert patch(clean, clean) == ""


def test_a_blind_script_says_nothing_of_transforms() -> None:
    faulty = render(mutant("TCL"), "blind")
    assert faulty.text == render(small_program(), "blind").text
    assert text_at(faulty, "/transforms/0")[0] == "folder = Path(__file__).parent"


def test_seed_and_run_are_those_of_the_campaign() -> None:
    text = render(mutant("TRD"), seed=12, run=3).text
    assert "\ncampaign_seed = 12\nrun = 3\n" in text
    assert render(small_program(), seed=12, run=3).text == SMALL


def test_a_trained_fault_has_no_blind_script() -> None:
    with pytest.raises(SubjectError, match="blind script: a program with weight edits has none"):
        render(mutant("NGF"), "blind")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"initial_weights": "0" * 64}, "expected initial_weights null"),
        (
            {"transforms": [{"name": "melt", "parameters": {}, "roles": ["train"]}]},
            "transform melt: it has no rendering as code; expected one of add_noise",
        ),
        (
            {"weight_edits": [{"name": "melt", "parameters": {"layer": "dense"}}]},
            "weight edit melt: it has no rendering as code; expected one of activation_inverse",
        ),
        ({"loss": {"class_name": "Mine", "config": {}}}, "class Mine: not one of Keras's own"),
    ],
)
def test_what_cannot_be_written_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SubjectError, match=message):
        render(small_program(**fields))


def test_layers_that_need_each_other_are_refused() -> None:
    inputs = keras.Input((4,))
    x = keras.layers.Dense(4)(inputs)
    architecture = canonical_model(keras.Model(inputs, keras.layers.Dense(3)(x)))
    first = architecture["config"]["layers"][1]["inbound_nodes"][0]["args"][0]
    first["config"]["keras_history"] = ["dense_1", 0, 0]
    with pytest.raises(SubjectError, match="dense needs one that is not there before it"):
        render(with_slot(small_program(), "/architecture", architecture))


def test_a_subclassed_model_is_refused() -> None:
    architecture = {**small_program().document()["architecture"], "class_name": "Model"}
    with pytest.raises(SubjectError, match="expected Sequential or Functional; received Model"):
        render(with_slot(small_program(), "/architecture", architecture))


def test_a_script_runs_where_faultloom_is_not_installed(
    filled: Callable[..., Any], written: Callable[..., Path]
) -> None:
    faulty = mutant("NGF", mutant("TRD", mutant("TCL", mutant("HNE"))))
    path = written(*filled(faulty))
    code = (
        "import sys, runpy; sys.modules['faultloom'] = None\n"
        f"runpy.run_path({str(path)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    assert "'accuracy': " in done.stdout.splitlines()[-1]
    assert done.stdout.count("val_loss") == 10
