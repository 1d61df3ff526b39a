"""Messages name what the program names, and no class of npexport's own."""

from __future__ import annotations

import ast
import functools
import re

import npexport
from tests.support.paths import ROOT
from tests.support.sources import SOURCES, nodes_of


@functools.cache
def internal():
    """The names of classes that users never see, where they do not begin a sentence (``Encoder`` is one of ``json``, too)."""
    rooms = [path for path in SOURCES if path.relative_to(ROOT).parts[0] != "npexport"]
    found = {node.name for path in rooms for node in nodes_of(path) if isinstance(node, ast.ClassDef)}
    public = {"Encoder"} | {name for room in (npexport, npexport.nn, npexport.testing) for name in dir(room)}
    return re.compile(rf"(?<!^)(?<![.!?:;] )\b({'|'.join(sorted(found - public))})\b|npexport\.(tracer|symshapes|runtime|ir)\b")


def require_users_names(text, use=""):
    assert not internal().search(text), f"{use}: {text}"
