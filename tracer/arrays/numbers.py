"""Arrays and scalars that NumPy computes from sizes alone: ``np.prod(x.shape)``, ``np.ceil(n / 2)``, ``np.array(x.shape) // 2``.

They are arrays like others in the graph. Where the program needs their value (``int()``, a branch, a shape), it is the same arithmetic on
sizes; where that says nothing, the value is data.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.symshapes.functions import MODELS, sym_bool, sym_float, sym_int, sym_max, sym_min, sym_not
from npexport.symshapes.symint import SymBool, SymFloat, SymInt

DTYPES = frozenset({np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.bool_)})
"""Those in which NumPy computes as Python does, but for what overflows."""
MAX_ELEMENTS = 64
UNKNOWN: Any = object()
_PLAIN = (int, float, bool, SymInt, SymFloat, SymBool)


def number(node: Any, known: dict[Any, Any]) -> Any:
    """What a node holds, a number or a flat list of numbers, or `UNKNOWN`. ``known``: what is found already, by node."""
    if isinstance(node, np.generic):
        return node.item() if node.dtype in DTYPES else UNKNOWN
    if type(node) is not Node:
        return node if isinstance(node, _PLAIN) else UNKNOWN
    value = known.get(node)
    if value is None:
        value = known[node] = _number(node, known)
    return value


def _number(node: Node, known: dict[Any, Any]) -> Any:
    meta = node.meta.get("val")
    if isinstance(meta, (SymInt, SymFloat, SymBool)):
        return meta
    if not isinstance(meta, TensorMeta) or len(meta.shape) > 1 or meta.dtype not in DTYPES or not isinstance(node.target, Op):
        return UNKNOWN
    rule = _RULES.get(node.target.name)
    if rule is None or any(not isinstance(size, int) or size > MAX_ELEMENTS for size in meta.shape):
        return UNKNOWN
    values = [_operand(arg, known) for arg in node.args]
    if any(value is UNKNOWN for value in values) or node.kwargs:
        return UNKNOWN
    try:
        found = rule(*values)
        return UNKNOWN if found is UNKNOWN else _cast(found, meta.dtype)
    except (ArithmeticError, ValueError):  # where Python raises, NumPy gives infinities
        return UNKNOWN


def _operand(arg: Any, known: dict[Any, Any]) -> Any:
    if isinstance(arg, (list, tuple)):
        items = [_operand(item, known) for item in arg]
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    return arg if isinstance(arg, (np.dtype, slice, type(None))) else number(arg, known)


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number, or each of a list, as this dtype holds it."""
    if isinstance(value, list):
        return [_cast(item, dtype) for item in value]
    if dtype.kind == "f":
        return sym_float(value)
    if dtype.kind == "b":
        return value if isinstance(value, (bool, SymBool)) else value != 0
    return sym_int(value)


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
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


def _whole(function: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """A reduction of all elements."""
    return lambda values, axis=None: function(values if isinstance(values, list) else [values]) if axis in (None, 0, -1) else UNKNOWN


def _running(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def rule(values: Any, axis: Any = None, dtype: Any = None) -> Any:
        found = list(itertools.accumulate(values, function)) if isinstance(values, list) else [UNKNOWN]
        return UNKNOWN if any(item is UNKNOWN for item in found) else found

    return rule


def _joined(values: Any, axis: Any = 0) -> Any:
    if not all(isinstance(value, list) for value in values):
        return UNKNOWN
    return [item for value in values for item in value]


def _stacked(values: Any, axis: Any = 0) -> Any:
    return UNKNOWN if any(isinstance(value, list) for value in values) else values


def _item(values: Any, index: Any) -> Any:
    if isinstance(index, list):
        if len(index) != 1:
            return values if not index else UNKNOWN
        index = index[0]
    return values[index] if isinstance(values, list) and type(index) in (int, slice) else UNKNOWN


def _rounded(value: Any, decimals: Any = 0) -> Any:
    return UNKNOWN if decimals != 0 else value if isinstance(value, (int, SymInt)) else round(value)


def _only(kinds: tuple[type, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of which NumPy and Python are known to agree for numbers of these kinds alone."""
    return lambda *args: function(*args) if all(isinstance(arg, kinds) for arg in args) else UNKNOWN


def _power(base: Any, exponent: Any) -> Any:
    return functools.reduce(_product, [base] * exponent, 1) if isinstance(exponent, int) and 0 <= exponent <= 4 else UNKNOWN


def _product(a: Any, b: Any) -> Any:
    """Integers of NumPy wrap around, but never those that count elements of arrays."""
    if a is UNKNOWN or b is UNKNOWN or not all(_counts(factor) for factor in (a, b) if isinstance(factor, SymInt)):
        return UNKNOWN
    return a * b


def _counts(size: SymInt) -> bool:
    return all(".shape[" in size.env.names[name] for name in size.expr.symbols)


def _first(value: Any, dtype: Any = None) -> Any:
    return value


_INTEGERS = (int, SymInt)
# Of logarithms, NumPy and Python may differ in the last bit. Those to the base 2 are exact where they are integers: the integers about
# them are the same. Others are not, and ``int(np.log(n) / np.log(2))`` would show it.
_RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("array", "astype", "copy", "scalar", "ravel", "flatten"), _first),
    "stack": _stacked,
    "concatenate": _joined,
    "getitem": _item,
    "add": _each(operator.add),
    "subtract": _each(operator.sub),
    "multiply": _each(_product),
    "divide": _each(operator.truediv),
    "floor_divide": _each(_only(_INTEGERS, operator.floordiv)),
    "remainder": _each(_only(_INTEGERS, operator.mod)),
    "power": _each(_only(_INTEGERS, _power)),
    "square": _each(lambda a: _product(a, a)),
    "negative": _each(operator.neg),
    "absolute": _each(abs),
    "minimum": _each(_only(_INTEGERS, sym_min)),
    "maximum": _each(_only(_INTEGERS, sym_max)),
    "ceil": _each(MODELS[math.ceil]),
    "floor": _each(MODELS[math.floor]),
    "trunc": _each(MODELS[math.trunc]),
    "rint": _each(_rounded),
    "round": _each(_rounded),
    "sqrt": _each(MODELS[math.sqrt]),
    "log2": _each(MODELS[math.log2]),
    "equal": _each(operator.eq),
    "not_equal": _each(operator.ne),
    "less": _each(operator.lt),
    "less_equal": _each(operator.le),
    "greater": _each(operator.gt),
    "greater_equal": _each(operator.ge),
    "logical_not": _each(sym_not),
    "prod": _whole(lambda items: functools.reduce(_product, items, 1)),
    "sum": _whole(lambda items: functools.reduce(operator.add, items, 0)),
    "max": _whole(lambda items: _only(_INTEGERS, sym_max)(*items, items[0])),
    "min": _whole(lambda items: _only(_INTEGERS, sym_min)(*items, items[0])),
    "all": _whole(lambda items: functools.reduce(operator.and_, map(sym_bool, items), True)),
    "any": _whole(lambda items: functools.reduce(operator.or_, map(sym_bool, items), False)),
    "cumsum": _running(operator.add),
    "cumprod": _running(_product),
}
