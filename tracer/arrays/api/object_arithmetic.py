"""Operators of arrays of objects, whose items are numeric arrays: Python's operator for each item,
as NumPy's loops over objects call it.

Source: https://numpy.org/doc/stable/reference/ufuncs.html. Where an item and its partner are both
numbers, NumPy warns by what Python's arithmetic has left in the processor, which is refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.tracer.arrays.api.objects import MAX_ITEMS, NUMBERS, OBJECT, Objects, as_operand, in_c_order
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.views import no_objects
from npexport.tracer.arrays.memory.layout import stride_order

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_UNARY = ("neg", "pos", "abs")
_PARTNERS = (ArrayProxy, *NUMBERS)


def _operand(value: Any) -> Objects:
    """The items of an operand: those of numeric arrays are Python numbers."""
    if type(value) in (bool, int, float, complex):
        return Objects([value], np.zeros((), np.intp))
    known = type(value) in (*_PARTNERS, Objects, list, tuple) or isinstance(value, (np.ndarray, np.generic))
    found = as_operand(value) if known else None
    if type(found) is not Objects:
        raise no_objects(OBJECT)
    return found


def _require_known_layout(*operands: Objects) -> None:
    """Raises ``Unsupported`` (E122) where the result may be in another order than C's."""
    if any(stride_order(each.places) is not None for each in operands):
        raise no_objects(OBJECT)


def _paired(function: Callable[[Any, Any], Any], first: Objects, second: Objects) -> list[Any]:
    """What the operator gives for each pair of items, in C order."""
    one, other = np.broadcast_arrays(first.places, second.places)
    if one.size > MAX_ITEMS:
        raise no_objects(OBJECT)
    pairs = [(first.items[a], second.items[b]) for a, b in zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)]
    for pair in pairs:
        partners = all(type(item) in _PARTNERS or isinstance(item, np.generic) for item in pair)
        if not partners or ArrayProxy not in map(type, pair):
            raise no_objects(OBJECT)
    return [function(one, other) for one, other in pairs]


def _binary(name: str, reflected: bool) -> Callable[..., Any]:
    function = getattr(operator, name)

    def method(self: Objects, value: Any) -> Any:
        other = _operand(value)
        _require_known_layout(self, other)
        first, second = (other, self) if reflected else (self, other)
        shape = np.add(np.zeros(first.shape), np.zeros(second.shape)).shape  # raises if they do not fit
        items = _paired(function, first, second)
        return in_c_order(items, shape) if shape else items[0]

    return method


def _in_place(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def method(self: Objects, value: Any) -> Objects:
        other = _operand(value)
        np.add(np.zeros(self.shape), np.zeros(other.shape), out=np.zeros(self.shape))  # raises if they do not fit
        self[...] = in_c_order(_paired(function, self, other), self.shape)
        return self

    return method


def _unary(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def method(self: Objects) -> Any:
        _require_known_layout(self)
        items = self.in_order()
        if not all(type(item) is ArrayProxy for item in items):
            raise no_objects(OBJECT)
        found = [function(item) for item in items]
        return in_c_order(found, self.shape) if self.shape else found[0]

    return method


def define_operators() -> None:
    """Give arrays of objects their operators."""
    for name in _BINARY:
        setattr(Objects, f"__{name}__", _binary(name, False))
        setattr(Objects, f"__r{name}__", _binary(name, True))
        setattr(Objects, f"__i{name}__", _in_place(name))
    for name in _UNARY:
        setattr(Objects, f"__{name}__", _unary(name))
