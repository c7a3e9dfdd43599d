import subprocess
import sys

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.operators import operator, operators
from faultloom.operators.base import listing
from faultloom.operators.layers import RemoveBias
from faultloom.operators.registry import registered


def test_operators_are_found_by_code_and_name_in_any_case() -> None:
    assert operator("ach") is operator("change-activation") is operator("ACH")


def test_sham_is_reserved() -> None:
    assert "SHAM" not in [found.code for found in operators()]
    assert "SHAM" in [found.code for found in operators(reserved=True)]
    assert operator("SHAM").reserved


def test_a_misspelt_operator_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"did you mean .*change-activation"):
        operator("chnge-activation")


def test_two_operators_of_one_code_are_refused() -> None:
    with pytest.raises(ConfigError, match="operator WRB: both"):
        registered([RemoveBias, RemoveBias])


def test_declarations_are_complete() -> None:
    for found in operators(reserved=True):
        row = listing(found)
        assert row["summary"].endswith(".")
        assert found.name == found.name.lower().replace("_", "-")
        assert found.granularity not in ("layer", "neuron") or found.layer_localisable


def test_listing_imports_no_keras() -> None:
    script = (
        "import sys; from faultloom.operators import operators; "
        "assert {found.code for found in operators()} >= {'ACH', 'LRM', 'TRD'}; "
        "assert not {'keras', 'tensorflow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
