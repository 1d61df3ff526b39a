"""Operators of a size and an operand that is not a real number of Python: a NumPy scalar, or an
object that C computes with.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

from npexport.symshapes.semantics import FLOAT_OPERATORS

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **FLOAT_OPERATORS, "fpow": operator.pow, "bit_and": operator.and_, "bit_or": operator.or_, "bit_xor": operator.xor,
    "left_shift": operator.lshift, "right_shift": operator.rshift,
}  # fmt: skip
"""The binary operators of sizes by the names of their nodes."""
SPECIAL_NAMES = {
    "fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "truediv", "ffloordiv": "floordiv", "fmod": "mod", "fpow": "pow",
    "bit_and": "and", "bit_or": "or", "bit_xor": "xor", "left_shift": "lshift", "right_shift": "rshift",
}  # fmt: skip
"""The special methods of these operators."""
_OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, type(None))


def operation(op: str, a: Any, b: Any, size: Any) -> Any:
    """``a op b``, where ``size`` is one of them and the other is not a real number of Python.

    NumPy's scalars are known to the tracer, complex numbers that only the program knows when it
    runs, and how often a list is repeated. Next to what C computes with (a ``Decimal``, a
    ``timedelta``, a complex number where nobody traces) a size is a constant. Objects of Python
    classes may know themselves: ``NotImplemented``.
    """
    other = b if a is size else a
    if is_numpy_scalar(other):
        return size.env.foreign(op, a, b)
    if type(other) in (list, complex):
        result = size.env.foreign(op, a, b)
        if result is not NotImplemented:
            return result
    name = SPECIAL_NAMES[op]
    if not _is_of_c(type(other), f"__{name}__", f"__r{name}__"):
        return NotImplemented
    number = _beside(size, other)
    return OPERATORS[op](number, b) if a is size else OPERATORS[op](a, number)


def comparison(compare: Callable[[Any, Any], Any], size: Any, other: Any) -> Any:
    """``compare(size, other)`` where ``other`` is not a real number of Python: only numbers of C
    equal one.

    With a scalar of NumPy it is for the tracer to answer; where nobody traces, for the number that
    the scalar equals.
    """
    if _is_complex_data(size, other):
        return size.env.foreign(compare.__name__, size, other)
    if is_numpy_scalar(other):
        answer = size.env.foreign(compare.__name__, size, other)
        return compare(size, other.item()) if answer is NotImplemented and other.dtype.kind in "biuf" else answer
    if not _is_of_c(type(other), "__float__", "__complex__"):
        return NotImplemented
    return compare(_beside(size, other), other)


def _is_complex_data(size: Any, other: Any) -> bool:
    """Whether a number that only the data know meets a complex one: that makes a complex number of
    data.
    """
    return type(other) is complex and size.hint is None


def _is_of_c(kind: type, *names: str) -> bool:
    """Whether a class has one of these methods, and none of them is a Python function."""
    found = [getattr(kind, name, None) for name in names]
    return any(method is not None for method in found) and all(type(method) in _OF_C for method in found)


def _beside(size: Any, other: Any) -> Any:
    return size._constant(f"it is used with an object of type {type(other).__qualname__}")


def is_numpy_scalar(value: Any) -> bool:
    """Whether the value is a scalar of NumPy, or stands for one."""
    return type(value).__module__ == "numpy" and hasattr(value, "item") and value.shape == ()
