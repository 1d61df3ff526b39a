"""The ``evaluate`` of records: arrays and scalars that NumPy computes from sizes alone.

Examples are ``np.prod(x.shape)``, ``np.ceil(n / 2)`` and ``np.array(x.shape)

2``. In the graph they are ordinary arrays. If the program needs their value (``int()``, a branch, a
shape), it is computed with sizes by the same arithmetic; if that is impossible, the value is data.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.machine_integers import fits_in_64_bits, is_met
from npexport.ir.raising import counts_elements
from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_float, sym_int, sym_max, sym_min
from npexport.symshapes.symint import SymBool, SymFloat, SymInt

DTYPES = frozenset({np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.bool_)})
"""The dtypes in which NumPy computes as Python does, except for overflow."""
MAX_ELEMENTS = 64
UNKNOWN: Any = object()
INTEGERS = (int, SymInt)
_PLAIN = (int, float, bool, SymInt, SymFloat, SymBool)
_SEQUENTIAL = 8
"""NumPy adds up to this many floats (exclusive) one after the other."""


def number(node: Any, numbers: dict[Any, Any]) -> Any:
    """What a node holds, a number or an array of numbers (of dtype object), or `UNKNOWN`.

    ``numbers``: what is found already, by node. Chains of any length are followed without
    recursion.
    """
    pending = [node]
    while type(node) is Node and pending:
        last = pending[-1]
        missing = None if last in numbers else _missing(last, numbers)
        if missing is not None:
            pending.append(missing)
            continue
        if last not in numbers:
            numbers[last] = _number(last, numbers)
        pending.pop()
    return _found(node, numbers)


def _found(value: Any, numbers: dict[Any, Any]) -> Any:
    if type(value) is Node:
        return numbers[value]
    if isinstance(value, np.generic):
        return value.item() if value.dtype in DTYPES or (value.dtype.kind in "iu" and value.dtype.itemsize < 8) else UNKNOWN
    return value if isinstance(value, _PLAIN) else UNKNOWN


def _missing(node: Node, numbers: dict[Any, Any]) -> Node | None:
    """An operand on which the value of a node depends, and which has not been evaluated yet."""
    if _rule(node) is None:
        return None
    found = None
    for operand in node.all_input_nodes:
        value = numbers.get(operand)
        if value is UNKNOWN:
            return None
        if value is None and found is None:
            found = operand
    return found


def _rule(node: Node) -> tuple[Callable[..., Any], np.dtype[Any]] | None:
    """The value of a call on few elements in terms of sizes, and its dtype."""
    meta, op = node.meta.get("val"), node.target
    if not isinstance(meta, TensorMeta) or meta.dtype not in DTYPES or not isinstance(op, Op) or op.evaluate is None:
        return None
    small = all(isinstance(size, int) for size in meta.shape) and math.prod(meta.shape) <= MAX_ELEMENTS
    return (op.evaluate, meta.dtype) if small else None


def _number(node: Node, numbers: dict[Any, Any]) -> Any:
    meta, rule = node.meta.get("val"), _rule(node)
    if isinstance(meta, (SymInt, SymFloat, SymBool)):
        return meta
    if rule is None or any(numbers.get(operand) is UNKNOWN for operand in node.all_input_nodes):
        return UNKNOWN
    evaluate, dtype = rule
    values, options = [_operand(arg, numbers) for arg in node.args], _options(node, dtype)
    if options is None or any(value is UNKNOWN for value in values):
        return UNKNOWN
    try:
        found = evaluate(*values, **options)
        return UNKNOWN if found is UNKNOWN else _cast(found, dtype)
    except (ArithmeticError, ValueError, IndexError):  # where Python raises, NumPy gives infinities
        return UNKNOWN


def _options(node: Node, dtype: np.dtype[Any]) -> dict[str, Any] | None:
    """What is given by name, but for the dtype that the operand has already; ``None`` where
    anything is given that no ``evaluate`` takes.
    """
    options = dict(node.kwargs)
    if "dtype" in options:
        held = node.args[0].meta.get("val") if node.args and type(node.args[0]) is Node else None
        if not isinstance(held, TensorMeta) or not held.dtype == options.pop("dtype") == dtype:
            return None
    return options if not options or (options.keys() == {"keepdims"} and type(options["keepdims"]) is bool) else None


def _operand(arg: Any, numbers: dict[Any, Any]) -> Any:
    if isinstance(arg, (list, tuple)):
        items = [_operand(item, numbers) for item in arg]
        return UNKNOWN if any(item is UNKNOWN for item in items) else type(arg)(items)
    if isinstance(arg, slice):
        bounds = [None if bound is None else number(bound, numbers) for bound in (arg.start, arg.stop, arg.step)]
        return UNKNOWN if any(bound is not None and type(bound) is not int for bound in bounds) else slice(*bounds)
    return arg if isinstance(arg, (np.dtype, str, type(None), type(Ellipsis))) else _found(arg, numbers)


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number, or each of an array, as this dtype holds it."""
    return _complete(np.frompyfunc(lambda item: _cast_number(item, dtype), 1, 1)(_as_array(value)))


def _cast_number(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return sym_float(value)
    if dtype.kind == "b":
        return value if isinstance(value, (bool, SymBool)) else value != 0
    value = sym_int(value)
    return value if fits_in_64_bits(value, unknown=False) else UNKNOWN


def _as_array(value: Any) -> Any:
    """A number as an array without axes, which NumPy does not look into."""
    if isinstance(value, np.ndarray):
        return value
    held = np.empty((), object)
    held[()] = value
    return held


def _complete(value: Any) -> Any:
    """A number, or an array of which every element is known."""
    if not isinstance(value, np.ndarray):
        return value
    if any(item is UNKNOWN for item in value.flat):
        return UNKNOWN
    return value if value.ndim else value[()]


def _is_plain(value: Any) -> bool:
    """Whether a parameter holds no size that only the call knows."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return not isinstance(value, (SymInt, SymFloat, SymBool))


def _plain(value: Any) -> Any:
    """A parameter, or an index, with arrays of plain numbers in the place of those of objects."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    if not isinstance(value, np.ndarray):
        return value
    if not all(map(_is_plain, value.flat)):
        raise ValueError("a size decides which element it is")
    return np.array(value.tolist(), np.bool_ if value.size and type(value.flat[0]) is bool else np.intp).reshape(value.shape)


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Element by element, by NumPy's broadcasting."""
    return lambda *args: _complete(np.frompyfunc(function, len(args), 1)(*map(_as_array, args)))


def whole(function: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """A reduction of all elements, or along axes."""

    def rule(values: Any, axis: Any = None, keepdims: bool = False) -> Any:
        array, axes = _as_array(values), _plain(axis)
        if not _is_plain(axes):
            return UNKNOWN
        gone = range(array.ndim) if axes is None else normalize_axis_tuple(axes, array.ndim)
        kept = [axis for axis in range(array.ndim) if axis not in gone]
        rows = array.transpose([*kept, *gone]).reshape(*[array.shape[axis] for axis in kept], math.prod([array.shape[a] for a in gone]))
        found = np.empty(rows.shape[:-1], object)
        for place in np.ndindex(found.shape):
            found[place] = function(list(rows[place]))
        return _complete(np.expand_dims(found, tuple(gone)) if keepdims else found)

    return rule


def running(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def rule(values: Any, axis: Any = None, dtype: Any = None) -> Any:
        if not isinstance(values, np.ndarray) or values.ndim != 1:
            return UNKNOWN
        found = np.empty(values.shape, object)
        for place, item in enumerate(itertools.accumulate(values, function)):
            found[place] = item
        return _complete(found)

    return rule


def moved(function: Callable[..., Any]) -> Callable[..., Any]:
    """A rearrangement of the elements of one array, or of a list of arrays, as other parameters
    say: by the function itself.
    """

    def rule(values: Any, *parameters: Any) -> Any:
        if not _is_plain(parameters) or any(isinstance(order, str) and order not in "CF" for order in parameters):
            return UNKNOWN
        arrays = list(map(_as_array, values)) if isinstance(values, (list, tuple)) else _as_array(values)
        return _complete(_as_array(function(arrays, *_plain(parameters))))

    return rule


def made(function: Callable[..., Any]) -> Callable[..., Any]:
    """An array that depends on parameters only."""
    return lambda *parameters: function(*parameters).astype(object) if _is_plain(parameters) else UNKNOWN


def filled(shape: Any, value: Any, dtype: Any = None) -> Any:
    """The value, broadcast to the shape."""
    return np.broadcast_to(_as_array(value), shape) if _is_plain(shape) else UNKNOWN


def filled_like(like: Any, value: Any, dtype: Any = None) -> Any:
    return filled(_as_array(like).shape, value)


def all_like(value: int) -> Callable[..., Any]:
    """An array of one number, in the shape of another array."""
    return lambda like, dtype=None: filled_like(like, value)


def replaced(values: Any, index: Any, value: Any) -> Any:
    """``values`` after ``values[index] = value``."""
    if not _is_plain(index):
        return UNKNOWN
    index, written = _plain(index), _as_array(values).copy()
    items = index if isinstance(index, tuple) else (index,)
    open_ended = any(isinstance(item, np.ndarray) or item is Ellipsis for item in items)
    written[items if open_ended else (*items, ...)] = _as_array(value)
    return written


def chosen(condition: Any, one: Any, other: Any) -> Any:
    """One of two numbers, by a truth that is known."""
    truth = known(condition)
    return UNKNOWN if truth is None else one if truth else other


def clipped(value: Any, *bounds: Any) -> Any:
    for bound, function in zip(bounds, (sym_max, sym_min), strict=False):
        value = value if bound is None or value is UNKNOWN else of_integers(function)(value, bound)
    return value


def rounded(value: Any, decimals: Any = 0) -> Any:
    return UNKNOWN if decimals != 0 else value if isinstance(value, (int, SymInt)) else round(value)


def only(kinds: tuple[type, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function on which NumPy and Python are known to agree for numbers of these kinds only."""
    return lambda *args: function(*args) if all(isinstance(arg, kinds) for arg in args) else UNKNOWN


def power(base: Any, exponent: Any) -> Any:
    return functools.reduce(multiply, [base] * exponent, 1) if isinstance(exponent, int) and 0 <= exponent <= 4 else UNKNOWN


def multiply(a: Any, b: Any) -> Any:
    """Integers of NumPy wrap around, but never those that count elements of arrays."""
    if a is UNKNOWN or b is UNKNOWN or not all(counts_elements(factor) for factor in (a, b) if isinstance(factor, SymInt)):
        return UNKNOWN
    for factor, truth in ((a, b), (b, a)):
        if isinstance(truth, SymBool) and isinstance(factor, SymInt) and known((factor == 0) | truth) is True:
            return factor  # it is 0 itself where the truth does not hold
    one, other = [sym_int(factor) if type(factor) is SymBool else factor for factor in (a, b)]
    product = one * other
    return product if not isinstance(product, SymInt) or counts_elements(product) else UNKNOWN


def _holds(truth: Any) -> bool:
    """Whether a condition is met by every number that may come here: a condition on the integers
    among the inputs, no question about data.
    """
    return known(truth) is True or is_met(truth, unknown=False)


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
    return whole(lambda items: only(INTEGERS, function)(*items, items[0]) if items else UNKNOWN)


def folded(function: Callable[[Any, Any], Any], start: Any, of: Callable[[Any], Any] | None = None) -> Callable[..., Any]:
    """A reduction by a function of two, of what ``of`` makes of the elements."""

    def fold(items: list[Any]) -> Any:
        if len(items) >= _SEQUENTIAL and any(isinstance(item, (float, SymFloat)) for item in items):
            return UNKNOWN
        return functools.reduce(function, items if of is None else map(of, items), start)

    return whole(fold)


def truths(function: Callable[..., Any]) -> Callable[..., Any]:
    """Element by element, where all are truths."""
    return each(only((bool, SymBool), function))
