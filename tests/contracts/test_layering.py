"""The architecture, as a test: who may import whom, how large files and functions may be, and that ARCHITECTURE.md is true."""

import ast
import functools
import re
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT, TESTS
from tests.support.sources import SOURCES, name_of, nodes_of

# room -> the rooms it may import besides itself; the front door may import all
ROOMS = {
    "symshapes": set(),
    "ir": {"symshapes"},
    "runtime": {"symshapes", "ir"},
    "tracer": {"symshapes", "ir", "runtime"},
    "npexport": {"symshapes", "ir", "runtime", "tracer"},
}
# folder -> its own rooms, each of which may import those before it
ORDERS = {
    "runtime": (
        "kernels", "nn", "operators", "memory", "emission", "entry", "blocks", "planning", "loops", "lists", "machine", "compilation",
        "modules", "plain", "namespaces",
    ),
    "tracer": ("diagnostics", "bytecode", "frames", "interpreter", "arrays", "effects", "control", "models", "driver"),
    "tracer/arrays": ("analysis", "memory", "core", "api"),
    "tracer/models": ("polyfills", "iteration", "containers", "operators", "packages", "arrays", "numbers", "callables"),
}  # fmt: skip
FIRST = {"runtime", "tracer/models"}
"""Folders in which files come before the rooms: all of these may import them, and they import none."""
MAX_LINES, MAX_LINES_OF_PRODUCT = 600, 500
MAX_LINES_OF_FUNCTION = 60  # without its docstring

TEXTS = SOURCES + [path for folder in ("tests", "benchmarks", "examples", "tracer") for path in sorted((ROOT / folder).rglob("*.[cp]*"))]
TEXTS = sorted({path for path in TEXTS if path.suffix in {".py", ".c"} and not path.is_symlink()})
TEST_FILES = [path for path in sorted(TESTS.rglob("*.py")) if not path.is_symlink()]
TEST_ROOMS = {"unit", "conformance", "contracts", "fuzz", "op_samples", "support"}


OF_PROGRAMS = set("dtype ep inspect list n nn np operator ops self sym sys x z".split())
"""What stands before a dot in the pages and is not a module of ours."""
SUFFIXES = {"c", "css", "h", "js", "md", "py"}
NEEDED = {"newer.py": (3, 12), "newest.py": (3, 14)}
"""Programs in the syntax of a CPython, which no older one reads."""


def imported_modules(path: Path):
    """(module, line) of every import statement, wherever it stands, and of every ``import_module`` of a constant."""
    for node in nodes_of(path):
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


@pytest.mark.parametrize("room", ROOMS)
def test_imports_respect_the_rooms(room):
    wrong = []
    sources = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == room]
    for path, (module, line) in [(path, found) for path in sources for found in imported_modules(path)]:
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


def test_tests_stand_in_their_rooms():
    """``tests/README.md`` says which room a test belongs to; unit tests stand in folders named as those of the sources."""
    assert {path.name for path in TESTS.iterdir() if path.is_dir() and (path / "__init__.py").exists()} == TEST_ROOMS
    loose = [name_of(path) for path in TEST_FILES if path.parent == TESTS and path.name not in ("__init__.py", "conftest.py")]
    assert not loose, "these belong to a room (tests/README.md)"
    unit = TESTS / "unit"
    folders = [path.relative_to(unit) for path in unit.rglob("*") if path.is_dir() and path.name != "__pycache__"]
    strange = [folder.as_posix() for folder in folders if not (ROOT / folder).is_dir()]
    assert not strange, "no folder of the sources has this name"


def test_the_readme_of_the_tests_names_only_what_exists():
    text = (TESTS / "README.md").read_text(encoding="utf-8")
    paths = {path.rstrip("/") for path in re.findall(rf"`((?:{'|'.join(TEST_ROOMS)})/[\w/.]*)", text)}
    assert len(paths) > 30 and [path for path in paths if not (TESTS / path).exists()] == []
    modules = set(re.findall(r"python -m (tests[\w.]+)", text))
    assert len(modules) > 10 and [module for module in modules if not (ROOT / f"{module.replace('.', '/')}.py").exists()] == []


def test_tests_import_no_tests():
    """What tests share stands in ``tests/support`` or, for random programs, in ``tests/fuzz``."""
    wrong = [
        f"{name_of(path)}:{line}: {module}"
        for path in TEST_FILES
        if sys.version_info >= NEEDED.get(path.name, (3, 11)) and re.search(r"tests\b.*\btest_", path.read_text(encoding="utf-8"))
        for module, line in imported_modules(path)
        if module.startswith("tests.") and any(part.startswith("test_") for part in module.split("."))
    ]
    assert not wrong, "\n".join(wrong)


@functools.cache
def imported_files(path: Path) -> dict[str, int]:
    """The product's files that a file imports, by name, with the line; imports for type checkers and late ones count."""
    found: dict[str, int] = {}
    for node in nodes_of(path):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                modules = [f"{module}.{alias.name}" if file_of(f"{module}.{alias.name}") else module for alias in names]
            case _:
                continue
        for module in modules:
            name = file_of(module)
            if name is not None and name != name_of(path):
                found.setdefault(name, node.lineno)
    return found


@functools.cache
def file_of(module: str) -> str | None:
    package, _, rest = module.partition(".")
    base = ROOT / rest.replace(".", "/") if rest.partition(".")[0] in ROOMS else ROOT / module.replace(".", "/")
    candidates = [base.with_suffix(".py"), base / "__init__.py"] if package == "npexport" else []
    return next((name_of(path) for path in candidates if path.exists()), None)


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The strongly connected components of more than one file.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == {frozenset("bc")}
    True
    """
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            waiting += (new := graph[waiting.pop()] - seen)
            seen |= new
        reached[start] = seen
    return {frozenset(end for end in ends if start in reached[end]) for start, ends in reached.items() if ends & {start}}


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"d", "b"}, "d": {"e"}, "e": {"f"}, "f": {"d"}, "g": {"a"}}
    assert circles(graph) == {frozenset("bc"), frozenset("def")}


def test_files_import_each_other_in_no_circle():
    found = circles({name_of(path): set(imported_files(path)) for path in SOURCES})
    assert not found, "\n".join(" <-> ".join(sorted(circle)) for circle in found)


@pytest.mark.parametrize("folder", ORDERS)
def test_rooms_inside_a_room_go_one_way(folder):
    order, wrong = ORDERS[folder], []
    rooms = {path.name for path in (ROOT / folder).iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(order)
    files = sorted((ROOT / folder).glob("*.py"))
    assert folder in FIRST or [path.name for path in files] == ["__init__.py"], "a file belongs to a room"
    for place, paths in enumerate([files, *((ROOT / folder / room).rglob("*.py") for room in order)]):
        later = tuple(f"{folder}/{name}/" for name in order[place:])
        for path in paths:
            names = imported_files(path).items()
            wrong += [f"{name_of(path)}:{line}: imports {name}" for name, line in names if name.startswith(later)]
    assert not wrong, "\n".join(wrong)


GIVEN = {"world", "recorder", "rec", "region", "session"}
"""Parameters that have the recorder."""


def test_what_is_given_a_world_asks_no_global():
    """``recorder()`` and its like are for what programs call, which is given nothing but their values."""
    wrong = [
        f"{name_of(path)}:{call.lineno}: {function.name} is given what it asks {call.func.id}() for"
        for path in SOURCES
        for function in nodes_of(path)
        if isinstance(function, ast.FunctionDef) and GIVEN & {arg.arg for arg in function.args.posonlyargs + function.args.args}
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("recorder", "current_world")
    ]
    assert not wrong, "\n".join(wrong)


def test_files_are_small():
    limits = {path: MAX_LINES_OF_PRODUCT if path in SOURCES else MAX_LINES for path in TEXTS}
    assert [name_of(path) for path, most in limits.items() if len(path.read_text(encoding="utf-8").splitlines()) > most] == []


def test_functions_are_short():
    long = []
    for path in SOURCES:
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = node.end_lineno - body[0].lineno + 1 if body else 0
                if length > MAX_LINES_OF_FUNCTION:
                    long.append(f"{name_of(path)}:{node.lineno}: {node.name} has {length} lines")
    assert not long, "\n".join(long)


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


def test_architecture_is_a_page():
    """At most 250 lines of at most 120 columns, and a glossary of at most 40 words."""
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    rows = lines[lines.index("## Glossary") + 4 : lines.index("## How to add") - 1]
    assert len(lines) <= 250 and [line for line in lines if len(line) > 120] == []
    assert all(row.startswith("| ") for row in rows)
    words = [word for row in rows for word in row.split(" | ")[0].removeprefix("| ").split(", ")]
    assert 20 < len(words) <= 40, words


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/internals.md"])
def test_pages_name_only_what_exists(page):
    """Paths in backquotes are files or folders of the repository; `module.name` is a name of that module."""
    text = re.sub("```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    words = text.split("`")[1::2]
    paths = {word.partition(":")[0].rstrip("/") for word in words if word.split("/")[0] in ROOMS and " " not in word}
    missing = sorted(path for path in paths if not (ROOT / path).exists())
    dotted = {found.group(1, 2) for word in words if (found := re.fullmatch(r"([a-z]\w*)\.(\w+)(?:\(.*\))?", word))}
    for module, name in sorted(pair for pair in dotted if pair[0] not in OF_PROGRAMS and pair[1] not in SUFFIXES):
        text = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.stem == module)
        if re.search(rf"\b{name}\b", text) is None:
            missing.append(f"{module}.{name}")
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
