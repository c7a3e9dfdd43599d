import importlib.metadata
import subprocess
import sys

import pytest
from faultloom.datasets.errors import ConfigError
from faultloom.localizers.registry import LOCALIZERS, Registry


def test_listing_imports_nothing_heavy():
    code = (
        "import sys; from faultloom.localizers.registry import LOCALIZERS; "
        "print(len(LOCALIZERS.names()), 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split()[1] == "False"


def test_loads_by_name_and_by_path():
    from faultloom.localizers.guider import Guider

    assert LOCALIZERS.load("guider") is Guider
    assert LOCALIZERS.load("faultloom.localizers.guider:Guider") is Guider
    assert LOCALIZERS.create("guider", formula="op2").formula == "op2"


@pytest.mark.parametrize("name", ["no.such.module:X", "faultloom.localizers.guider:Nope", ":X"])
def test_says_what_it_cannot_load(name):
    with pytest.raises(ConfigError, match="cannot load"):
        LOCALIZERS.load(name)


def test_unknown_names_and_options():
    with pytest.raises(ConfigError, match="did you mean 'guider'"):
        LOCALIZERS.load("giuder")
    with pytest.raises(ConfigError, match="known: "):
        LOCALIZERS.load("zzzzzzzz")
    with pytest.raises(ConfigError, match="options"):
        LOCALIZERS.create("guider", colour="red")


def test_collisions():
    registry = Registry("thing", "faultloom.test", {"a": "m:A"})
    registry.register("a", "m:A")
    with pytest.raises(ConfigError, match="twice"):
        registry.register("a", "m:B")
    for name, target in (("", "m:A"), ("x:y", "m:A"), ("b", "m"), ("b", ":A")):
        with pytest.raises(ConfigError):
            registry.register(name, target)


def test_entry_points(monkeypatch):
    found = [importlib.metadata.EntryPoint("mine", "json:loads", "faultloom.test")]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found)
    registry = Registry("thing", "faultloom.test", {"a": "json:dumps"})
    assert registry.names() == ("a", "mine")
    assert registry.load("mine")("1") == 1
    clash = Registry("thing", "faultloom.test", {"mine": "json:dumps"})
    with pytest.raises(ConfigError, match="twice"):
        clash.names()
