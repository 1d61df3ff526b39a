"""What depends on NumPy's internals or on the version of CPython, and whose code a file is, stands in one module each."""

import ast
import re

import pytest

from tests.support.paths import ROOT
from tests.support.sources import SOURCES, name_of, nodes_of

PRIVATE = re.compile(r"^(_core|_NoValue|_CopyMode|_implementation|_extobj_contextvar)$")
PATHS = {
    "ir/numpy_internals.py": "NumPy's library, through which its BLAS is found",
    "ir/sources.py": "archives hold paths that mean the same elsewhere",
    "symshapes/errors.py": "the error that names the user's line; no other room is below it",
    "tracer/arrays/core/proxy.py": "NumPy's own folder",
    "tracer/interpreter/blocks.py": "blocks that it writes are functions of the machine, which tracebacks pass over",
    "runtime/extensions.py": "an extension of C and the sources beside it",
    "runtime/kernels/control.py": "the module of the line that a warning is of, whose registry keeps what was told",
    "runtime/plain/to_python.py": "a module that it writes finds its arrays beside itself",
    "npexport/cli.py": "the user's file, whose specification is written",
    "npexport/__init__.py": "the rooms beside the front door in a checkout",
}
"""Files that know where npexport's files are, beside `frame_ownership`, and what for."""


def uses_internals_of_numpy(path):
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numpy._"):
            yield node.lineno
        if isinstance(node, ast.Attribute) and PRIVATE.match(node.attr):
            yield node.lineno


def test_internals_of_numpy_are_used_in_one_module():
    found = {name_of(path) for path in SOURCES if any(uses_internals_of_numpy(path))}
    assert found == {"ir/numpy_internals.py"}


def test_the_version_of_cpython_is_asked_for_in_one_module():
    words = re.compile(r"version_info|hexversion|__flags__ & \d|= 1 << 9\b")
    found = {name_of(path) for path in SOURCES if words.search(path.read_text(encoding="utf-8"))}
    assert found == {"tracer/bytecode/host.py"}
    versions = {name_of(path) for path in SOURCES if "FROM_3_" in path.read_text(encoding="utf-8")}
    assert versions == {"tracer/bytecode/host.py", "tracer/bytecode/opcodes.py"}  # what they change has names elsewhere


def test_whose_code_a_file_is_is_told_in_one_module():
    found = {name_of(path) for path in SOURCES if re.search(r"\b__file__\b", path.read_text(encoding="utf-8"))}
    assert "tracer/frames/frame_ownership.py" in found
    assert sorted(found - {"tracer/frames/frame_ownership.py"}) == sorted(PATHS)


@pytest.mark.parametrize("name", ["tracer/frames/frame_ownership.py", "ir/numpy_internals.py", "tracer/bytecode/host.py"])
def test_architecture_lists_them(name):
    assert f"`{name}`" in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
