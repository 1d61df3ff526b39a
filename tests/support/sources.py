"""The files of the product: what contracts of the repository read, each parsed once in a process."""

import ast
import functools
from pathlib import Path

from tests.support.paths import ROOT

ROOMS = ("symshapes", "ir", "runtime", "tracer", "npexport")
SOURCES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, the module first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
