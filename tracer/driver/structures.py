"""The structure of a result: it contains no objects of npexport's own; sizes among its keys are
numbers.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from npexport.ir.pytree import TreeSpec, tree_flatten
from npexport.ir.statics import is_static
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.identity import Identity, refuse
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.models.plain import plain

_KEY = "it is a key of the result"


def escaping_roots(spec: TreeSpec, is_callers: Callable[[Any], bool], path: str = "result") -> TreeSpec:
    """The structure that callers see. ``is_callers``: whether an object is one from outside, and
    not what stands for it while tracing.

    Raises ``Unsupported`` if a key can only be one while tracing (E109, E115).
    """
    if spec.type is None:
        return spec
    context = plain(spec.context, _KEY)
    if any(type(key.value) not in _ATOMS for key in spec.keys):
        context = _keys(context, is_callers, path)
    children = tuple([escaping_roots(child, is_callers, path + str(key)) for key, child in zip(spec.keys, spec.children, strict=True)])
    return TreeSpec(spec.type, context, children)


def value_of(leaf: Any) -> Any:
    """A leaf of a result as callers get it: ranges, slices, members of sets and fractions of sizes
    become those of numbers.
    """
    if type(leaf) is Fraction and type(leaf.numerator) in NATIVE_TYPES:
        return Fraction(*plain((leaf.numerator, leaf.denominator), _LEAF))
    return plain(leaf, _LEAF) if type(leaf) in (slice, SymRange, frozenset) else leaf


_LEAF = "it is part of a value of the result"
_ATOMS = (str, int, bool, float, bytes, type(None))


def _keys(context: Any, is_callers: Callable[[Any], bool], path: str) -> Any:
    """The context with its keys as the caller gets them, also in named tuples and dataclasses."""
    if type(context) is tuple:
        return tuple([_keys(item, is_callers, path) for item in context])
    leaves, spec = tree_flatten(context)
    numbers = [plain(leaf, _KEY) for leaf in leaves]
    for value in numbers:
        inside = (value, *getattr(value, "__dict__", {}).values()) if not isinstance(value, type) else ()
        for item in inside:
            if type(item) is Identity:
                refuse(f"a key of {path}")
            if type(item) in NATIVE_TYPES:
                raise Unsupported("E115", f"a key of {path} is known only when the program runs")
        if any(not is_callers(part) for part in _found_by_identity(value)):
            raise Unsupported(
                "E115",
                f"a key of {path} is an object of type {type(value).__qualname__}, which a program cannot give back",
                hint="Use a text, a number, a tuple of them or a member of an enumeration as the key.",
            )
    return spec.unflatten(numbers)


def _found_by_identity(value: Any) -> list[Any]:
    """The objects in a key that equal themselves alone, but for those of which there is one."""
    if isinstance(value, frozenset):
        return [part for member in value for part in _found_by_identity(member)]
    if isinstance(value, tuple):
        return [part for item in value for part in _found_by_identity(item)]
    if isinstance(value, _BOUND):
        return [] if value.__self__ is None or isinstance(value.__self__, types.ModuleType) else [value.__self__]
    kind: Any = type(value)
    single = isinstance(value, _SINGLE) or kind in _ATOMS or value is NotImplemented or is_static(value)
    return [value] if kind.__hash__ is object.__hash__ and not single else []


_BOUND = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
_SINGLE = (type, types.ModuleType, np.ufunc)
