"""Imports run downhill, and the light commands stay light."""

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import faultloom.datasets
import faultloom.generator
import faultloom.localizers
import faultloom.operators
import pytest

ROOMS = {
    name: Path(str(getattr(faultloom, name).__file__)).parent
    for name in ("datasets", "operators", "generator", "localizers")
}
HEAVY = {"tensorflow", "keras", "ray"}
# What puts localisers to a corpus; everything else in the room is a localiser or serves one.
EXAMINERS = {
    "cases.py",
    "diagnosing.py",
    "evaluation.py",
    "exams.py",
    "scoring.py",
    "summaries.py",
}
FOR_LOCALIZERS = {"faultloom.datasets.errors", "faultloom.datasets.program"}


def sources(room: str) -> list[Path]:
    found = sorted(ROOMS[room].rglob("*.py"))
    assert len(found) > 8
    return found


def module_of(room: str, path: Path) -> str:
    parts = path.relative_to(ROOMS[room]).with_suffix("").parts
    return ".".join(("faultloom", room, *(part for part in parts if part != "__init__")))


def package_of(room: str, path: Path) -> str:
    module = module_of(room, path)
    return module if path.name == "__init__.py" else module.rpartition(".")[0]


def imports(tree: ast.AST, package: str, *, top_level: bool = False) -> Iterator[str]:
    """Absolute names of what is imported; of ``from a import b`` both ``a`` and ``a.b``."""
    for node in _executed(tree) if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(relative, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run when the module is imported, that is, outside of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        yield child
        yield from _executed(child)


def imported(room: str, path: Path, *, top_level: bool = False) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return set(imports(tree, package_of(room, path), top_level=top_level))


def rooms_of(names: set[str]) -> set[str]:
    parts = [name.split(".") for name in names]
    found = {part[1] for part in parts if part[0] == "faultloom" and len(part) > 1}
    # Outside the package the rooms must not be named at all: a room's bare name may shadow others.
    assert not {part[0] for part in parts} & set(ROOMS)
    return found


@pytest.mark.parametrize(
    ("room", "below"),
    [
        ("datasets", {"datasets"}),
        ("operators", {"datasets", "operators"}),
        ("localizers", {"datasets", "localizers"}),
    ],
)
def test_a_room_imports_only_what_is_below_it(room: str, below: set[str]) -> None:
    for path in sources(room):
        assert rooms_of(imported(room, path)) <= below, path


def test_the_generator_knows_no_localizer_but_at_the_front_door() -> None:
    front_door = ROOMS["generator"] / "cli"
    for path in sources("generator"):
        if front_door not in path.parents:
            found = rooms_of(imported("generator", path))
            assert found <= {"datasets", "operators", "generator"}, path


def test_localizers_see_nothing_of_a_corpus_but_their_case() -> None:
    assert {path.name for path in sources("localizers")} >= EXAMINERS
    for path in sources("localizers"):
        names = imported("localizers", path)
        if path.name in EXAMINERS:
            continue
        modules = {name for name in names if name.startswith("faultloom.datasets")}
        for name in modules - {"faultloom.datasets"}:
            assert name in FOR_LOCALIZERS or name.rpartition(".")[0] in FOR_LOCALIZERS, path


def test_no_localizer_module_imports_keras_by_itself() -> None:
    for path in sources("localizers"):
        assert not {name.split(".")[0] for name in imported("localizers", path)} & HEAVY, path


def test_rooms_import_each_other_relatively() -> None:
    for room in ROOMS:
        for path in sources(room):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names: list[str] = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                assert not [name for name in names if name.split(".")[0] == "faultloom"], path


def test_what_the_command_line_imports_at_once_imports_nothing_heavy() -> None:
    code = (
        "import sys, faultloom.generator.cli.app as app\n"
        "from faultloom.operators.registry import operators\n"
        "from faultloom.localizers.registry import LOCALIZERS\n"
        "from faultloom.datasets.subjects.catalogue import subjects\n"
        "operators(), [LOCALIZERS.create(name) for name in LOCALIZERS.names()], subjects()\n"
        "print(*[name for name in sys.modules if name.startswith('faultloom.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "faultloom.generator.cli.app" in loaded
    assert "faultloom.operators.layers" in loaded
    checked = 0
    for room in ROOMS:
        for path in sources(room):
            if module_of(room, path) in loaded:
                names = imported(room, path, top_level=True)
                assert not {name.split(".")[0] for name in names} & HEAVY, path
                checked += 1
    assert checked == len(loaded)


def test_there_is_no_package_above_the_rooms() -> None:
    assert getattr(faultloom, "__file__", None) is None
    assert not (ROOMS["datasets"].parent / "__init__.py").exists()


def test_importing_a_room_shadows_no_other_package() -> None:
    code = "import faultloom.datasets, sys; assert 'datasets' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd="/")
