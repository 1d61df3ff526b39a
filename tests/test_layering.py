"""The architecture, as a test: who may import whom, how large files and functions may be, and that ARCHITECTURE.md is true."""

import ast
import functools
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# room -> the rooms it may import besides itself; the front door may import all
ROOMS = {
    "symshapes": set(),
    "ir": {"symshapes"},
    "runtime": {"symshapes", "ir"},
    "tracer": {"symshapes", "ir", "runtime"},
    "npexport": {"symshapes", "ir", "runtime", "tracer"},
}
MAX_LINES = 600
LONG_FUNCTION = 60
MAX_LONG_FUNCTIONS = 10

SOURCES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
TEXTS = SOURCES + [path for folder in ("tests", "benchmarks", "examples", "tracer") for path in sorted((ROOT / folder).rglob("*.[cp]*"))]
TEXTS = sorted({path for path in TEXTS if path.suffix in {".py", ".c"}})


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported_modules(path: Path):
    """(module, line) of every import statement, wherever it stands, and of every ``import_module`` of a constant."""
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield alias.name, node.lineno
            case ast.ImportFrom(module=module, level=0, names=names):
                yield module, node.lineno
                for alias in names:
                    yield f"{module}.{alias.name}", node.lineno
            case ast.ImportFrom():
                yield "." * node.level + (node.module or ""), node.lineno
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"), args=[ast.Constant(value=str(module)), *_]
            ):
                yield module, node.lineno


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_respect_the_rooms(path):
    room = path.relative_to(ROOT).parts[0]
    wrong = []
    for module, line in imported_modules(path):
        package, _, rest = module.partition(".")
        target = rest.partition(".")[0]
        if package == "":
            wrong.append(f"{name_of(path)}:{line}: imports are absolute, not {module!r}")
        elif package in ROOMS and package != "npexport":
            wrong.append(f"{name_of(path)}:{line}: {module} is npexport.{module}")
        elif package == "npexport" and target in ROOMS and target not in ROOMS[room] | {room}:
            wrong.append(f"{name_of(path)}:{line}: {room} may not import {module}")
        elif package == "npexport" and target and target not in ROOMS and room != "npexport":
            wrong.append(f"{name_of(path)}:{line}: {room} may not import the front door's {target}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_files_are_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_few_functions_are_long():
    long = []
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = node.end_lineno - body[0].lineno + 1 if body else 0
                if length > LONG_FUNCTION:
                    long.append(f"{name_of(path)}:{node.lineno}: {node.name} has {length} lines")
    assert len(long) <= MAX_LONG_FUNCTIONS, "\n".join(long)


@pytest.mark.parametrize("room", ROOMS)
def test_every_folder_is_a_package(room):
    folders = {path.parent for path in (ROOT / room).rglob("*.py")}
    missing = [name_of(folder) for folder in folders if not (folder / "__init__.py").exists()]
    assert not missing, "a folder without __init__.py is not installed"


def test_architecture_names_every_folder():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [
        name for room in ROOMS for name in [room, *(path.name for path in (ROOT / room).iterdir() if (path / "__init__.py").exists())]
    ]
    missing = [name for name in folders if f"{name}/" not in text]
    assert not missing


def test_architecture_names_only_what_exists():
    """Paths in backquotes are files or folders of the repository."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = {word.partition(":")[0].rstrip("/") for word in text.split("`")[1::2] if word.split("/")[0] in ROOMS and " " not in word}
    missing = sorted(path for path in paths if not (ROOT / path).exists())
    assert paths and not missing


def test_no_unfinished_work():
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    found = [
        f"{name_of(path)}:{number}"
        for path in TEXTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if any(mark in line for mark in marks)
    ]
    assert not found
