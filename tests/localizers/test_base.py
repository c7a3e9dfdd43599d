import ast
from dataclasses import fields
from pathlib import Path

import faultloom.localizers.base as base
import pytest
from faultloom.localizers.base import Case, Localizer
from faultloom.localizers.registry import LOCALIZERS

ROOM = Path(base.__file__).parent
# What puts localisers to a corpus; everything else in the room is a localiser or serves one.
EXAMINERS = {"cases.py", "diagnosing.py", "evaluation.py", "experiment.py"}
FOR_LOCALIZERS = {"datasets.errors", "datasets.program"}


def test_a_case_holds_no_truth():
    assert [field.name for field in fields(Case)] == [
        "case_id",
        "task",
        "layers",
        "labels",
        "predictions",
        "activations",
    ]


def test_localizers_import_neither_operators_nor_generator():
    sources = sorted(ROOM.rglob("*.py"))
    assert len(sources) > 10
    for source in sources:
        depth = len(source.relative_to(ROOM).parts)
        for node in ast.walk(ast.parse(source.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
                if node.level > depth and source.name not in EXAMINERS:
                    assert node.module in FOR_LOCALIZERS, source
            for name in names:
                assert not {"operators", "generator", "tensorflow", "keras"} & {*name.split(".")}


@pytest.mark.parametrize("name", LOCALIZERS.names())
def test_every_localizer_keeps_the_protocol(name):
    found = LOCALIZERS.create(name)
    assert isinstance(found, Localizer)
    assert found.name == name
