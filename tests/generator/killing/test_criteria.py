import math
import subprocess
import sys

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.generator.killing import CRITERIA, DeepCrime, Welch, criterion


def test_by_name_with_overrides() -> None:
    assert criterion("welch") == Welch(alpha=0.025, n_clean=20, n_faulty=10)
    assert criterion("deepcrime", n_faulty=10) == DeepCrime(n_faulty=10)
    assert all(criterion(name).name == name for name in CRITERIA)


def test_unknown_names_list_the_known() -> None:
    known = ", ".join(sorted(CRITERIA))
    with pytest.raises(ConfigError, match=f"expected one of {known}, received 'glm'"):
        criterion("glm")
    with pytest.raises(
        ConfigError, match="expected one of alpha, n_clean, n_faulty, received 'name'"
    ):
        criterion("welch", name=3)


@pytest.mark.parametrize("name", sorted(set(CRITERIA) - {"sequential"}))
@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_alpha_is_checked(name: str, alpha: float) -> None:
    with pytest.raises(ConfigError, match=r"alpha: expected .* received"):
        criterion(name, alpha=alpha)


@pytest.mark.parametrize("name", sorted(CRITERIA))
@pytest.mark.parametrize("setting", ["n_clean", "n_faulty"])
@pytest.mark.parametrize("value", [1, 0, -3, 2.5, True])
def test_run_counts_are_checked(name: str, setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"{setting}: expected a whole number .* received"):
        criterion(name, **{setting: value})


def test_no_tensorflow_is_imported() -> None:
    code = (
        "import sys, faultloom.generator.killing;"
        "sys.exit(any(m in sys.modules for m in ('tensorflow', 'keras', 'statsmodels')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_the_last_look_has_all_runs(name: str) -> None:
    rule = criterion(name)
    assert list(rule.looks) == sorted(set(rule.looks))
    assert rule.looks[-1] == rule.n_faulty
    assert criterion(name, n_clean=8, n_faulty=8).looks[-1] == 8
