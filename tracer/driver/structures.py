"""The structure of a result: it contains no objects of npexport's own; sizes among its keys are
numbers.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np

from npexport.ir.pytree import TreeSpec, tree_flatten
from npexport.ir.statics import is_static
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.run_dependent_numbers import Identity, refuse
from npexport.tracer.effects.copiers import listed
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.models.specialization import plain

_KEY = "it is a key of the result"


@dataclasses.dataclass
class Objects:
    """What is known of the objects of a program. ``original_of`` gives the caller's object of which
    an object is the shadow, else the object itself. ``met``: whether the program has found the
    object, or that of which it is the shadow, outside. ``is_local``: whether the object is a class
    or function of the program's own. ``inputs``: the structure of the call.
    """

    original_of: Callable[[Any], Any]
    met: Callable[[Any], bool]
    is_local: Callable[[Any], bool]
    inputs: TreeSpec

    def is_callers(self, value: Any) -> bool:
        """Whether an object is the caller's own, not a shadow and not the program's."""
        return self.original_of(value) is value and not self.is_local(value)

    def is_outside(self, value: Any) -> bool:
        """Whether an object, or the original of a shadow, is outside, as keys of inputs are."""
        return self.met(value) or id(value) in self._given

    @functools.cached_property
    def _given(self) -> frozenset[int]:
        return frozenset(map(id, _parts_of_keys(self.inputs)))


def _parts_of_keys(spec: TreeSpec) -> Iterator[Any]:
    pending = [key.value for key in spec.keys]
    for part in pending:
        yield part
        pending += part if isinstance(part, (tuple, frozenset)) else ()
    for child in spec.children:
        yield from _parts_of_keys(child)


def escaping_roots(spec: TreeSpec, objects: Objects, path: str = "result") -> TreeSpec:
    """The structure that callers see.

    Raises ``Unsupported`` if a key can only be one while tracing (E109, E115).
    """
    if spec.type is None:
        return spec
    context = plain(spec.context, _KEY)
    if any(type(key.value) not in _ATOMS for key in spec.keys):
        context = _keys(context, objects, path)
    children = tuple([escaping_roots(child, objects, path + str(key)) for key, child in zip(spec.keys, spec.children, strict=True)])
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


def _keys(context: Any, objects: Objects, path: str) -> Any:
    """The context with its keys as the caller gets them, also in named tuples and dataclasses."""
    if type(context) is tuple:
        return tuple([_keys(item, objects, path) for item in context])
    leaves, spec = tree_flatten(context)
    numbers = [plain(leaf, _KEY) for leaf in leaves]
    for value in numbers:
        inside = (value, *getattr(value, "__dict__", {}).values()) if not isinstance(value, type) else ()
        for item in inside:
            if type(item) is Identity:
                refuse(f"a key of {path}")
            if type(item) in NATIVE_TYPES:
                raise Unsupported("E115", f"a key of {path} is known only when the program runs")
        if any(not objects.is_callers(part) for part in _found_by_identity(value)):
            raise _no_key(value, path)
    same = all(mine is theirs for mine, theirs in zip(leaves, numbers, strict=True))
    return _given(context if same else spec.unflatten(numbers), objects, path)


def _no_key(value: Any, path: str) -> Unsupported:
    return Unsupported(
        "E115",
        f"a key of {path} is an object of type {type(value).__qualname__}, which a program cannot give back",
        hint="Use a text, a number, a tuple of them or a member of an enumeration as the key.",
    )


def _given(value: Any, objects: Objects, path: str) -> Any:
    """A key as callers get it: what stands for their own object is that object. An object that the
    program makes, which every call would give, is one that nobody can write to.
    """
    if isinstance(value, enum.Enum):
        return listed(value)
    if type(value) in _ATOMS or is_static(value) or isinstance(value, (*_SINGLE, types.FunctionType)):
        return value
    if (original := objects.original_of(value)) is not value:
        return original
    if objects.is_outside(value):
        return value
    if isinstance(value, frozenset) or (isinstance(value, tuple) and not getattr(value, "__dict__", None)):
        items = [_given(item, objects, path) for item in value]
        same = all(mine is theirs for mine, theirs in zip(value, items, strict=True))
        return value if same else type(value)._make(items) if hasattr(value, "_make") else type(value)(items)
    if isinstance(value, PurePath):
        return type(value)(*value.parts)  # without what it has learned about itself
    cls: Any = type(value)
    if dataclasses.is_dataclass(value) and cls.__dataclass_params__.frozen:
        if all(_given(item, objects, path) is item for item in _fields(value)):
            return value
        raise _no_key(value, path)
    of_c = not hasattr(value, "__dict__") and not any("__slots__" in vars(base) for base in cls.__mro__)
    if of_c and cls.__hash__ is not object.__hash__:  # which equals others, so that nobody sees that it is the same in every call
        return value
    raise _no_key(value, path)


def _found_by_identity(value: Any) -> list[Any]:
    """The objects in a key that only equal themselves, except singletons."""
    if isinstance(value, frozenset):
        return [part for member in value for part in _found_by_identity(member)]
    if isinstance(value, tuple):
        return [part for item in value for part in _found_by_identity(item)]
    if isinstance(value, _BOUND):
        return [] if value.__self__ is None or isinstance(value.__self__, types.ModuleType) else [value.__self__]
    kind: Any = type(value)
    single = isinstance(value, _SINGLE) or kind in _ATOMS or value is NotImplemented or is_static(value)
    return [value] if kind.__hash__ is object.__hash__ and not single else []


def _fields(value: Any) -> list[Any]:
    return [getattr(value, field.name) for field in dataclasses.fields(value)]


_BOUND = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
_SINGLE = (type, types.ModuleType, np.ufunc)
