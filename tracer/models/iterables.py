"""Iterables whose items C code would look at, and that are no lists or tuples."""

from __future__ import annotations

import types
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.world import IDENTITIES
from npexport.tracer.frames.frame_ownership import is_of_tracer
from npexport.tracer.interpreter import generators
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


def _is_in_place_of_another(value: Any) -> bool:
    """Whether an iterator is a generator of npexport's own, which another gave out as itself."""
    code = generators.code_of(value) if type(value) is types.GeneratorType else None
    return code is not None and is_of_tracer(code)


def _are_one(left: Any, right: Any) -> bool:
    """Whether two iterators, which are not one object, are the same to the program. Raises
    ``Unsupported`` (E119) where one goes on in place of another.
    """
    if any(map(_is_in_place_of_another, (left, right))) and hasattr(type(left), "__next__") and hasattr(type(right), "__next__"):
        raise Unsupported("E119", "iterators are compared, one of which is replaced by an interpreted one")
    return False


IDENTITIES[types.GeneratorType] = _are_one
