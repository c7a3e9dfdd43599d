from dataclasses import fields

import pytest
from faultloom.localizers.base import Case, Localizer
from faultloom.localizers.registry import LOCALIZERS


def test_a_case_holds_no_truth():
    assert [field.name for field in fields(Case)] == [
        "case_id",
        "task",
        "layers",
        "labels",
        "predictions",
        "activations",
    ]


@pytest.mark.parametrize("name", LOCALIZERS.names())
def test_every_localizer_keeps_the_protocol(name):
    found = LOCALIZERS.create(name)
    assert isinstance(found, Localizer)
    assert found.name == name
