"""``subjects``, ``operators`` and ``localizers``: data on stdout, with the promised keys."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from faultloom.datasets.subjects.catalogue import BUNDLED
from faultloom.localizers.registry import LOCALIZERS
from faultloom.operators.registry import operators

Faultloom = Callable[..., tuple[int, str, str]]


def listed(faultloom: Faultloom, kind: str) -> list[dict[str, Any]]:
    code, out, err = faultloom(kind, "--json")
    assert (code, err) == (0, "")
    rows: list[dict[str, Any]] = json.loads(out)
    return rows


def test_subjects(faultloom: Faultloom) -> None:
    rows = listed(faultloom, "subjects")
    assert {row["name"] for row in rows} >= {info.name for info in BUNDLED}
    assert all(row["summary"] and row["licence"] and row["data_group"] for row in rows)


def test_operators_with_the_reserved_one(faultloom: Faultloom) -> None:
    rows = listed(faultloom, "operators")
    assert [row["code"] for row in rows] == [known.code for known in operators(reserved=True)]
    assert "SHAM" in {row["code"] for row in rows}
    for row in rows:
        assert {"name", "code", "group", "stage", "fault_type"} <= set(row)
        assert row["stage"] in ("data", "architecture", "compile", "fit", "trained")


def test_localizers(faultloom: Faultloom) -> None:
    rows = listed(faultloom, "localizers")
    assert [row["name"] for row in rows] == list(LOCALIZERS.names())
    for row in rows:
        assert row["granularity"] in ("layer", "neuron", "fault_type")
        assert isinstance(row["needs"], list)
        assert isinstance(row["modes"], list)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("subjects", "digits-mlp"), ("operators", "ACH"), ("localizers", "guider")],
)
def test_a_table_for_people_has_the_names_and_show_has_the_licence(
    faultloom: Faultloom, kind: str, name: str
) -> None:
    code, out, err = faultloom(kind)
    assert (code, err) == (0, "")
    assert name in out
    code, out, err = faultloom(kind, "show", name, "--json")
    assert (code, err) == (0, "")
    assert {"name", "source", "licence"} <= set(json.loads(out))


@pytest.mark.parametrize(
    ("kind", "name", "meant"),
    [
        ("subjects", "digit-mlp", "digits-mlp"),
        ("operators", "AHC", "ACH"),
        ("localizers", "gider", "guider"),
    ],
)
def test_a_name_that_is_nearly_right(
    faultloom: Faultloom, kind: str, name: str, meant: str
) -> None:
    code, out, err = faultloom(kind, "show", name)
    assert (code, out) == (2, "")
    assert err.startswith("faultloom: ")
    assert err.count("\n") == 1
    assert meant in err
