"""Iterables whose items C code would look at, and that are no lists or tuples."""

from __future__ import annotations

from typing import Any

from npexport.tracer.interpreter.attributes import python_method

_VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})


def is_iterated(value: Any) -> bool:
    """Whether Python of the program's iterates over the value."""
    return any(python_method(type(value), name) is not None for name in ("__iter__", "__next__", "__getitem__"))


def is_view(value: Any) -> bool:
    """Whether a value is what a method of a dict gives: the items of it, its keys or values."""
    return type(value) in _VIEWS


def is_listed(value: Any) -> bool:
    """Whether C that looks at the items is given a list of them: it meets what only data know."""
    return hasattr(type(value), "__next__") or is_view(value) or is_iterated(value)
