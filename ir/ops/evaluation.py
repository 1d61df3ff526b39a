"""The ``evaluate`` of records: arrays and scalars that NumPy computes from sizes alone.

Such are ``np.prod(x.shape)``, ``np.ceil(n / 2)`` and ``np.array(x.shape) // 2``. They are arrays
like others in the graph. Where the program needs their value (``int()``, a branch, a shape), it is
the same arithmetic on sizes; where that says nothing, the value is data.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.raising import counts_elements
from npexport.symshapes.env import known
from npexport.symshapes.expr import symbol
from npexport.symshapes.functions import sym_float, sym_int
from npexport.symshapes.symint import SymBool, SymFloat, SymInt

DTYPES = frozenset({np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.bool_)})
"""Those in which NumPy computes as Python does, but for what overflows."""
MAX_ELEMENTS = 64
UNKNOWN: Any = object()
INTEGERS = (int, SymInt)
_PLAIN = (int, float, bool, SymInt, SymFloat, SymBool)


def number(node: Any, numbers: dict[Any, Any]) -> Any:
    """What a node holds, a number or a flat list of numbers, or `UNKNOWN`.

    ``numbers``: what is found already, by node.
    """
    if isinstance(node, np.generic):
        return node.item() if node.dtype in DTYPES or (node.dtype.kind in "iu" and node.dtype.itemsize < 8) else UNKNOWN
    if type(node) is not Node:
        return node if isinstance(node, _PLAIN) else UNKNOWN
    value = numbers.get(node)
    if value is None:
        value = numbers[node] = _number(node, numbers)
    return value


def _number(node: Node, numbers: dict[Any, Any]) -> Any:
    meta = node.meta.get("val")
    if isinstance(meta, (SymInt, SymFloat, SymBool)):
        return meta
    if not isinstance(meta, TensorMeta) or len(meta.shape) > 1 or meta.dtype not in DTYPES or not isinstance(node.target, Op):
        return UNKNOWN
    rule = node.target.evaluate
    if rule is None or any(not isinstance(size, int) or size > MAX_ELEMENTS for size in meta.shape):
        return UNKNOWN
    values = [_operand(arg, numbers) for arg in node.args]
    if any(value is UNKNOWN for value in values) or not _says_nothing(node, meta.dtype):
        return UNKNOWN
    try:
        found = rule(*values)
        return UNKNOWN if found is UNKNOWN else _cast(found, meta.dtype)
    except (ArithmeticError, ValueError):  # where Python raises, NumPy gives infinities
        return UNKNOWN


def _says_nothing(node: Node, dtype: np.dtype[Any]) -> bool:
    """Whether what is given by name is the dtype that the operand has already."""
    if node.kwargs.keys() != {"dtype"}:
        return not node.kwargs
    held = node.args[0].meta.get("val") if node.args and type(node.args[0]) is Node else None
    return isinstance(held, TensorMeta) and held.dtype == node.kwargs["dtype"] == dtype


def _operand(arg: Any, numbers: dict[Any, Any]) -> Any:
    if isinstance(arg, (list, tuple)):
        items = [_operand(item, numbers) for item in arg]
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    return arg if isinstance(arg, (np.dtype, slice, type(None))) else number(arg, numbers)


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number, or each of a list, as this dtype holds it."""
    if isinstance(value, list):
        return [_cast(item, dtype) for item in value]
    if dtype.kind == "f":
        return sym_float(value)
    if dtype.kind == "b":
        return value if isinstance(value, (bool, SymBool)) else value != 0
    value = sym_int(value)
    return value if fits_in_64_bits(value, unknown=False) else UNKNOWN


def fits_in_64_bits(value: Any, unknown: bool = True) -> bool:
    """Whether an integer is an int64: a condition on the integers among the inputs; ``unknown``
    where only the data know."""
    if type(value) is not SymInt or all(_is_count(value.env, name) for name in value.expression.symbols):
        return True
    return _is_met((value >= -(2**63)) & (value < 2**63), unknown)


def _is_met(truth: Any, unknown: bool) -> bool:
    """A condition on the integers among the inputs; ``unknown`` where only the data know."""
    return bool(truth) if type(truth) is bool or truth.hint is not None else unknown


def _is_count(env: Any, name: str) -> bool:
    """Whether a symbol is the size of an array, or how many elements of one the data select."""
    return ".shape[" in env.names[name] or (env.hints.get(name) is None and env.decide(symbol(name) >= 0) is True)


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Element by element, numbers stretched to lists."""

    def rule(*args: Any) -> Any:
        lengths = {len(arg) for arg in args if isinstance(arg, list)}
        if not lengths:
            return function(*args)
        if len(lengths - {1}) > 1:
            return UNKNOWN
        length = max(lengths)
        columns = [arg * (length // len(arg)) if isinstance(arg, list) else [arg] * length for arg in args]
        found = [function(*items) for items in zip(*columns, strict=True)]
        return UNKNOWN if any(item is UNKNOWN for item in found) else found

    return rule


def whole(function: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """A reduction of all elements."""
    return lambda values, axis=None: function(values if isinstance(values, list) else [values]) if axis in (None, 0, -1) else UNKNOWN


def running(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def rule(values: Any, axis: Any = None, dtype: Any = None) -> Any:
        found = list(itertools.accumulate(values, function)) if isinstance(values, list) else [UNKNOWN]
        return UNKNOWN if any(item is UNKNOWN for item in found) else found

    return rule


def joined(values: Any, axis: Any = 0) -> Any:
    if not all(isinstance(value, list) for value in values):
        return UNKNOWN
    return [item for value in values for item in value]


def stacked(values: Any, axis: Any = 0) -> Any:
    return UNKNOWN if any(isinstance(value, list) for value in values) else values


def item(values: Any, index: Any) -> Any:
    if isinstance(index, list):
        if len(index) != 1:
            return values if not index else UNKNOWN
        index = index[0]
    return values[index] if isinstance(values, list) and type(index) in (int, slice) else UNKNOWN


def rounded(value: Any, decimals: Any = 0) -> Any:
    return UNKNOWN if decimals != 0 else value if isinstance(value, (int, SymInt)) else round(value)


def only(kinds: tuple[type, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which NumPy and Python are known to agree for numbers of these kinds alone."""
    return lambda *args: function(*args) if all(isinstance(arg, kinds) for arg in args) else UNKNOWN


def power(base: Any, exponent: Any) -> Any:
    return functools.reduce(multiply, [base] * exponent, 1) if isinstance(exponent, int) and 0 <= exponent <= 4 else UNKNOWN


def multiply(a: Any, b: Any) -> Any:
    """Integers of NumPy wrap around, but never those that count elements of arrays."""
    if a is UNKNOWN or b is UNKNOWN or not all(counts_elements(factor) for factor in (a, b) if isinstance(factor, SymInt)):
        return UNKNOWN
    return a * b


def _holds(truth: Any) -> bool:
    """Whether a condition is met by every number that may come here: a condition on the integers
    among the inputs, no question about data.
    """
    return known(truth) is True or _is_met(truth, unknown=False)


def _is_exact(value: Any) -> bool:
    """Whether a float holds the number as it is."""
    if type(value) not in INTEGERS or (type(value) is SymInt and counts_elements(value)):
        return True
    return _holds(value <= 2**53) and _holds(value >= -(2**53))


def where(condition: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of integers in whose domain Python and NumPy agree: where the condition is known
    to hold; Python raises elsewhere, and NumPy gives 0, infinities and NaN.
    """
    return only(INTEGERS, lambda *args: function(*args) if _holds(condition(*args)) else UNKNOWN)


def quotient(a: Any, b: Any) -> Any:
    """NumPy divides floats, Python integers."""
    return a / b if type(b) is not SymFloat and _is_exact(a) and _is_exact(b) and _holds(b != 0) else UNKNOWN


def first(value: Any, dtype: Any = None) -> Any:
    return value


def of_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Element by element, where all are integers."""
    return each(only(INTEGERS, function))


def extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    """The least or greatest of all elements, where they are integers."""
    return whole(lambda items: only(INTEGERS, function)(*items, items[0]))


def folded(function: Callable[[Any, Any], Any], start: Any, of: Callable[[Any], Any] | None = None) -> Callable[..., Any]:
    """A reduction by a function of two, of what ``of`` makes of the elements."""
    return whole(lambda items: functools.reduce(function, items if of is None else map(of, items), start))
