"""Types whose objects are always operated on by the host: their special methods are ours, not the
user's.

The owners of proxies and symbolic sizes register them (``NATIVE_TYPES.add(ArrayProxy)``);
subclasses must be added one by one, so that membership is one set lookup.
"""

from __future__ import annotations

NATIVE_TYPES: set[type] = set()

ASKED: set[type] = set()
"""Those of them for which operators are calls of C that the world answers."""

NATIVE_CODE: list[str] = []
"""Folders of Python code that the host may run for an operation of such objects: it leaves no
entries in the program's tracebacks."""
