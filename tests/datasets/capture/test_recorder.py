"""Recording scripts in this process."""

import sys
import textwrap
from pathlib import Path

import keras
import numpy as np
import pytest
from faultloom.datasets.arrays import rows_of
from faultloom.datasets.build import build
from faultloom.datasets.canonical import canonical_model
from faultloom.datasets.capture.recorder import record
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.program import TrainingProgram

pytestmark = pytest.mark.tf

DATA = """
import keras, numpy as np
x = np.linspace(0, 1, 120).reshape(40, 3)
y = np.arange(40) % 2
"""
MODEL = """
model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=["mae"])
"""


def script_of(folder: Path, *parts: str) -> Path:
    path = folder / "some_script.py"
    path.write_text("".join(textwrap.dedent(part) for part in parts))
    return path


def document_of(folder: Path, *parts: str) -> dict:
    return record(script_of(folder, *parts))[0].program.document()


def test_program_of_a_plain_script(tmp_path):
    path = script_of(tmp_path, DATA, MODEL, "model.fit(x, y, epochs=3, verbose=0)\n")
    subject, arrays = record(path)
    document = subject.program.document()
    assert subject.name == "some-script"
    assert document["loss"] == "mean_squared_error"
    assert document["metrics"] == ["mean_absolute_error"]
    assert document["optimizer"] == {"class_name": "Adam", "config": {"learning_rate": 0.001}}
    assert document["fit"] == {
        "batch_size": 32,
        "class_weight": None,
        "epochs": 3,
        "shuffle": True,
    }
    assert subject.held_out_source == "hold_out"
    assert subject.data_group.startswith("data-")
    assert subject.task == "classification"
    train = rows_of(document["data"]["train"], arrays)
    judge = rows_of(document["data"]["judge"], arrays)
    assert (len(train), len(judge)) == (32, 8)
    assert train.x[0].dtype == np.float32
    assert train.y[0].dtype == np.int64
    model = build(subject.program)
    assert model.predict(train.x[0], verbose=0).shape == (32, 1)
    assert canonical_model(model) == document["architecture"]


def test_capturing_twice_gives_the_same_program_and_leaves_keras_as_it_was(tmp_path):
    before = keras.Model.fit, keras.Model.compile, keras.Model.evaluate, Path.cwd(), sys.argv
    path = script_of(tmp_path, DATA, MODEL, "model.fit(x, y)\n")
    first, second = record(path)[0], record(path)[0]
    assert first.program.program_id == second.program.program_id
    after = keras.Model.fit, keras.Model.compile, keras.Model.evaluate, Path.cwd(), sys.argv
    assert before == after


def test_evaluate_after_fit_gives_the_held_out_rows(tmp_path):
    fit = """
        history = model.fit(x[:30], y[:30], epochs=5, validation_data=(x[:9], y[:9]))
        assert len(history.history["val_mae"]) == len(history.epoch) == 5
        model.evaluate(x[:30], y[:30], verbose=0)
        model.evaluate(x[30:], y[30:], verbose=0)
        raise RuntimeError("after the fit this does not matter")
    """
    subject, arrays = record(script_of(tmp_path, DATA, MODEL, fit))
    data = subject.program.document()["data"]
    assert subject.held_out_source == "evaluate"
    assert len(rows_of(data["judge"], arrays)) == 10
    assert len(rows_of(data["validation"], arrays)) == 9
    assert data["judge"] == data["test"]
    assert not subject.disjoint


def test_validation_split_takes_the_tail(tmp_path):
    subject, arrays = record(
        script_of(tmp_path, DATA, MODEL, "model.fit(x, y, validation_split=0.25)\n")
    )
    data = subject.program.document()["data"]
    assert subject.held_out_source == "validation_data"
    x = np.linspace(0, 1, 120).reshape(40, 3).astype(np.float32)
    np.testing.assert_array_equal(rows_of(data["train"], arrays).x[0], x[:30])
    np.testing.assert_array_equal(rows_of(data["validation"], arrays).x[0], x[30:])


def test_held_out_rows_from_a_file(tmp_path):
    np.savez(tmp_path / "held.npz", x=np.zeros((6, 3)), y=np.zeros(6))
    path = script_of(tmp_path, DATA, MODEL, "model.fit(x, y)\n")
    subject, arrays = record(path, test=tmp_path / "held.npz")
    assert subject.held_out_source == "file"
    assert len(rows_of(subject.program.document()["data"]["judge"], arrays)) == 6


def test_callbacks_weights_and_pandas(tmp_path):
    fit = """
        import pandas as pd
        stops = [
            keras.callbacks.EarlyStopping("val_mae", patience=3, restore_best_weights=True),
            keras.callbacks.ReduceLROnPlateau(),
            keras.callbacks.TerminateOnNaN(),
            keras.callbacks.ModelCheckpoint("best.keras"),
        ]
        model.fit(pd.DataFrame(x), pd.Series(y), batch_size=8, shuffle=False, callbacks=stops,
                  class_weight={0: 1, 1: 2.5})
    """
    subject, _ = record(script_of(tmp_path, DATA, MODEL, fit))
    document = subject.program.document()
    assert document["callbacks"] == [
        {
            "class_name": "EarlyStopping",
            "config": {
                "monitor": "val_mean_absolute_error",
                "patience": 3,
                "restore_best_weights": True,
            },
        },
        {"class_name": "ReduceLROnPlateau", "config": {}},
        {"class_name": "TerminateOnNaN", "config": {}},
    ]
    assert document["fit"]["class_weight"] == {"0": 1.0, "1": 2.5}
    assert document["fit"]["shuffle"] is False
    assert any("ModelCheckpoint" in note for note in subject.notes)
    assert not (tmp_path / "best.keras").exists()


def test_two_spellings_give_one_program(tmp_path):
    one = """
        model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2, "softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["acc"])
        model.fit(x, y)
    """
    other = """
        import tensorflow as tf
        model = keras.Sequential()
        model.add(keras.layers.Dense(2, activation=tf.nn.softmax, name="dense_7"))
        model.compile(keras.optimizers.SGD(0.01), keras.losses.SparseCategoricalCrossentropy(),
                      metrics=["accuracy"])
        model.fit(x.tolist() and x, list(y), 32, 1)
    """
    assert document_of(tmp_path, DATA, one) == document_of(tmp_path, DATA, other)


def test_several_inputs_and_outputs(tmp_path):
    script = """
        a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
        joined = keras.layers.Concatenate()([a, b])
        out = [keras.layers.Dense(1, name="p")(joined), keras.layers.Dense(2, name="q")(joined)]
        model = keras.Model([a, b], out)
        model.compile("adam", {"p": "mse", "q": "sparse_categorical_crossentropy"},
                      metrics={"q": ["accuracy"]})
        # a dict of inputs goes by name
        model.fit({"b": x, "a": 2 * x}, [y.astype(float), y])
        model.evaluate([2 * x[:7], x[:7]], [y[:7].astype(float), y[:7]], verbose=0)
    """
    subject, arrays = record(script_of(tmp_path, DATA.replace("/", "//"), script))
    document = subject.program.document()
    train = rows_of(document["data"]["train"], arrays)
    np.testing.assert_array_equal(train.x[0], 2 * train.x[1])
    assert document["loss"] == ["mean_squared_error", "sparse_categorical_crossentropy"]
    assert document["metrics"] == [[], ["accuracy"]]
    assert [layer.name for layer in subject.program.layers()] == ["concatenate", "p", "q"]


def test_fit_number(tmp_path):
    path = script_of(tmp_path, DATA, MODEL, "model.fit(x, y)\nmodel.fit(x, y, epochs=7)\n")
    assert record(path, fit=2)[0].program.document()["fit"]["epochs"] == 7


def test_arguments_and_neighbours(tmp_path):
    (tmp_path / "neighbour_of_script.py").write_text("EPOCHS = 4\n")
    fit = """
        import sys
        from neighbour_of_script import EPOCHS
        model.fit(x, y, batch_size=int(sys.argv[1]), epochs=EPOCHS)
    """
    subject, _ = record(script_of(tmp_path, DATA, MODEL, fit), args=["16"])
    fitted = subject.program.document()["fit"]
    assert (fitted["batch_size"], fitted["epochs"]) == (16, 4)


LAMBDA = """
model = keras.Sequential([keras.layers.Lambda(lambda v: v), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y)
"""
SUBCLASS = """
class Mine(keras.Model):
    def __init__(self):
        super().__init__()
        self.d = keras.layers.Dense(1)
    def call(self, v):
        return self.d(v)
model = Mine()
model.compile("adam", "mse")
model.fit(x, y)
"""
ACTIVATION = """
def mine(v):
    return v
model = keras.Sequential([keras.layers.Dense(1, activation=mine)])
model.compile("adam", "mse")
model.fit(x, y)
"""
STREAM = "import tensorflow as tf\nmodel.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4))\n"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((DATA, "raise ValueError('bad luck\\nand more')\n"), "line 5: .*ValueError: bad luck$"),
        ((DATA, MODEL), "never calls fit"),
        (("import sys; sys.exit(3)\n",), "exits before fit; 3"),
        (("x = = 1\n",), "line 1: .*SyntaxError"),
        ((DATA, MODEL, "model.fit(x, y)\nmodel.fit(x, y)\n"), "--fit N"),
        ((DATA, LAMBDA), "Lambda"),
        ((DATA, SUBCLASS), "subclassed model .*Mine"),
        ((DATA, ACTIVATION), "cannot be built again"),
        ((DATA, MODEL, STREAM), "tf.data"),
        ((DATA, MODEL, "model.fit(x)\n"), "expected targets"),
        ((DATA, MODEL, "model.fit(x, y, steps_per_epoch=3)\n"), "steps_per_epoch"),
        (
            (
                DATA,
                MODEL,
                "f = lambda e: .1\n",
                "model.fit(x, y, callbacks=keras.callbacks.LearningRateScheduler(f))\n",
            ),
            "LearningRateScheduler",
        ),
        (
            (DATA, MODEL.replace('"mse"', "lambda t, p: t - p"), "model.fit(x, y)\n"),
            "compile loss",
        ),
    ],
)
def test_bad_scripts_end_in_one_line(tmp_path, parts, words):
    with pytest.raises(SubjectError, match=words) as caught:
        record(script_of(tmp_path, *parts))
    assert "\n" not in str(caught.value)


def test_a_script_that_catches_everything_cannot_hide_a_refusal(tmp_path):
    script = "try:\n    model.fit(x)\nexcept Exception:\n    pass\n"
    with pytest.raises(SubjectError, match="expected targets"):
        record(script_of(tmp_path, DATA, MODEL, script))


def test_program_survives_its_text(tmp_path):
    subject, _ = record(script_of(tmp_path, DATA, MODEL, "model.fit(x, y)\n"))
    assert TrainingProgram.of(subject.program.document()) == subject.program
