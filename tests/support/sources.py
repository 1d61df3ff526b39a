"""The files and modules of the product: what contracts of the repository read, each parsed once in a process."""

import ast
import functools
import gc
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from tests.support.paths import ROOT

ROOMS = ("symshapes", "ir", "runtime", "tracer", "npexport")
SOURCES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, the module first.

    The garbage collector would look through these millions of nodes again and again: it sets them aside.
    """
    nodes = tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    gc.freeze()
    return nodes


def modules_of(rooms: Iterable[str]) -> Iterator[ModuleType]:
    """The modules of rooms, but for private ones and those of packages that are not installed."""
    for room in rooms:
        package = importlib.import_module(f"npexport.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"npexport.{room}."):
            if not found.name.rpartition(".")[2].startswith("_") and not _is_of_an_absent_package(found.name):
                yield importlib.import_module(found.name)


def _is_of_an_absent_package(name: str) -> bool:
    package = next((package for package in ("scipy", "sklearn") if name.rpartition(".")[2].startswith(package)), None)
    return package is not None and importlib.util.find_spec(package) is None
