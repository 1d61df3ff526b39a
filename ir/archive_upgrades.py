"""Upgrades of documents in older versions of the format: one function per version, each of which
leads to the next. The tests keep golden archives of every version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]
_NAMESPACES = ("np", "nn", "sym", "py", "random", "control")


def _of_1(document: Document) -> Document:
    """Version 1 named the namespaces that a program uses; the others were at version 1."""
    opset = document.get("opset")
    return {**document, "opset": dict.fromkeys(_NAMESPACES, 1) | opset} if isinstance(opset, dict) else document


def _of_2(document: Document) -> Document:
    """Programs of version 2 set no error states: all kinds of errors are the caller's."""
    return document


def _of_3(document: Document) -> Document:
    """An output of version 3 was one written array at most."""
    return document


def _of_4(document: Document) -> Document:
    """Arrays of version 4 lay in C's or Fortran's order."""
    return document


UPGRADES: dict[int, Callable[[Document], Document]] = {1: _of_1, 2: _of_2, 3: _of_3, 4: _of_4}
"""Version -> the function that makes a document of it one of the next version."""


def upgraded(document: Document, version: int, present: int) -> Document:
    """The document of ``version`` as one of the ``present`` version.

    >>> upgraded({"version": 1, "opset": {"np": 1}}, 1, 2)["opset"]["random"]
    1
    """
    for each in range(version, present):
        document = {**UPGRADES[each](document), "version": each + 1}
    return document
