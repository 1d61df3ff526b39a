"""Types whose objects are always operated on by the host: their special methods are npexport's, not
the user's.

The owners of proxies and symbolic sizes register them (``NATIVE_TYPES.add(ArrayProxy)``).
Subclasses must be added one by one, so that membership is a single set lookup.
"""

from __future__ import annotations

NATIVE_TYPES: set[type] = set()

ASKED: set[type] = set()
"""Those of them whose operators are C calls that the world answers."""

NATIVE_CODE: list[str] = []
"""Folders of Python code that the host may run for an operation on such objects; it leaves no
entries in the program's tracebacks.
"""
