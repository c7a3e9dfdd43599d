import ast

import pytest
from faultloom.datasets.errors import SubjectError
from faultloom.datasets.subjects.catalogue import (
    BUNDLED,
    data_set_of_script,
    subject_info,
    subjects,
)


@pytest.mark.parametrize("info", BUNDLED, ids=lambda info: info.name)
def test_scripts_are_ordinary(info):
    tree = ast.parse(info.script.read_text())
    modules = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert {module.split(".")[0] for module in modules} == {"keras", "sklearn"}
    calls = [n.func.attr for n in ast.walk(tree) if isinstance(n, ast.Call) and is_method(n)]
    assert calls.count("fit") == 1 + ("transform" in calls)
    assert calls.count("evaluate") == 1
    assert ast.get_docstring(tree)


def is_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute)


@pytest.mark.parametrize("info", BUNDLED, ids=lambda info: info.name)
def test_every_field_is_filled(info):
    assert all(vars(info).values())
    assert info.name == info.script.stem.replace("_", "-")
    assert data_set_of_script(info.script)["group"] == info.data_group


def test_lookup():
    assert set(subjects()) >= {info.name for info in BUNDLED}
    assert subject_info("digits-cnn").data_group == "digits"
    with pytest.raises(SubjectError, match="did you mean digits-mlp"):
        subject_info("digit-mlp")
    with pytest.raises(SubjectError, match="known are digits-mlp"):
        subject_info("zzz")


def test_a_script_of_the_users_own_has_no_known_data(tmp_path):
    assert data_set_of_script(tmp_path / "mine.py") is None


def test_one_subject_has_what_the_others_lack():
    calls = [
        node
        for node in ast.walk(ast.parse(subject_info("wine-logits").script.read_text()))
        if isinstance(node, ast.Call)
    ]
    given = {keyword.arg for call in calls for keyword in call.keywords}
    assert given >= {
        *("class_weight", "callbacks", "validation_split", "restore_best_weights"),
        *("from_logits", "momentum", "clipnorm", "kernel_regularizer", "use_bias"),
    }
