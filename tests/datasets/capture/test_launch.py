"""Capturing scripts in processes of their own; each costs seconds."""

import json

import numpy as np
import pytest
from faultloom.datasets.capture import capture, load_arrays, load_subject
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.subjects.catalogue import subject_info

pytestmark = pytest.mark.tf


def test_two_processes_give_the_same_subject(tmp_path):
    script = subject_info("digits-mlp").script
    first = capture(script, tmp_path / "one")
    second = capture(script, tmp_path / "two")
    assert first == second == load_subject(tmp_path / "one")
    assert first.data_group == "digits"
    assert first.held_out_source == "evaluate"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    arrays = load_arrays(tmp_path / "one")
    assert set(first.program.document()["data"]["train"]["x"]) <= set(arrays)
    assert (tmp_path / "one" / "script.py").read_text() == script.read_text()


@pytest.mark.slow
def test_recording_in_one_process_gives_what_another_process_gives(tmp_path):
    from faultloom.datasets.capture.recorder import record

    script = subject_info("digits-lstm").script
    assert record(script)[0] == capture(script, tmp_path / "lstm")


@pytest.mark.slow
def test_a_refusal_is_one_line_and_leaves_nothing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('working')\nraise KeyError('no such column')\n")
    with pytest.raises(SubjectError, match="line 2: it raises before fit; KeyError") as caught:
        capture(script, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_script_that_dies_is_a_refusal(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\nprint('gone', file=sys.stderr)\nsys.stderr.flush()\nos._exit(9)\n"
    )
    with pytest.raises(SubjectError, match="ended with status 9; gone"):
        capture(script, tmp_path / "out")


def test_missing_script_and_taken_folder(tmp_path):
    with pytest.raises(SubjectError, match="no such file"):
        capture(tmp_path / "none.py", tmp_path / "out")
    (tmp_path / "script.py").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "diary.txt").write_text("")
    with pytest.raises(SubjectError, match="no subject"):
        capture(tmp_path / "script.py", tmp_path / "full")


def test_damaged_folders_are_refused(tmp_path):
    with pytest.raises(SubjectError, match="expected a captured subject"):
        load_subject(tmp_path)
    (tmp_path / "subject.json").write_text(json.dumps({"name": "x"}))
    with pytest.raises(SubjectError, match="expected a captured subject"):
        load_subject(tmp_path)
    (tmp_path / "arrays").mkdir()
    np.save(tmp_path / "arrays" / "abc.npy", np.zeros(3))
    with pytest.raises(SubjectError, match="it changed"):
        load_arrays(tmp_path)
    np.save(tmp_path / "arrays" / "abc.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(SubjectError, match="cannot be read"):
        load_arrays(tmp_path)
