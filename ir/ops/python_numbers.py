"""The ``py`` namespace: Python's own operations on numbers that only the data know, carried out by
Python at run time.

A rule determines the type of the result and makes a new number of it; values, errors and their
messages are those of the kernel, which is Python's own function. If the type of the result depends
on the values (``2 ** n``, ``min(n, x)``) the rule refuses.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from npexport.ir.facts import Raises
from npexport.ir.graph import map_nodes
from npexport.ir.ops import signs
from npexport.ir.ops.fresh import fresh_float, fresh_size, fresh_truth
from npexport.ir.ops.rules import record
from npexport.ir.ops.sizes import STEPS, written_as
from npexport.ir.raising import NOTHING
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.symint import python_type

Rule = Callable[..., type | tuple[type, ...]]


class Row(NamedTuple):
    """An operation: the kernel, the type of its result, whether it raises for some numbers, and how
    many it takes, ``None`` for any number of them, and which results are never negative.
    """

    kernel: Any
    result: Rule
    raises: Callable[..., bool]
    arity: int | None
    nonnegative: Callable[..., bool] | None = None


class Size:
    """The type of a result that is the size of an axis."""


def fresh(kind: type | tuple[type, ...]) -> Any:
    """A new number of this type, or one of each."""
    if isinstance(kind, tuple):
        return tuple(map(fresh, kind))
    if kind is float:
        return fresh_float()
    if kind is Size:
        return fresh_size(0, None)
    return fresh_truth() if kind is bool else fresh_size(-int_oo, int_oo)


def _of(kind: type | tuple[type, ...]) -> Rule:
    return lambda *args: kind


def _joined(*args: Any) -> type:
    """A float beside any float, else an integer."""
    return float if float in map(python_type, args) else int


def _alike(*args: Any) -> type:
    (kind, *others) = dict.fromkeys(map(python_type, args))
    if others:
        raise Unsupported("E104", "which of two numbers of different types is the result depends on data", hint=_SAME_TYPE)
    return kind


def _own(value: Any, *args: Any) -> type:
    return int if python_type(value) is bool else python_type(value)


def _power(base: Any, exponent: Any) -> type:
    """A negative exponent makes a float of integers; a negative base and a fraction make a complex
    number."""
    whole = python_type(exponent) is not float
    if python_type(base) is not float and whole:
        positive = known(exponent >= 0)
        if positive is None:
            raise Unsupported("E104", "whether a power is an int or a float depends on data", hint=_FLOAT_POWER)
        return int if positive else float
    if whole or (type(exponent) is float and (exponent.is_integer() or not math.isfinite(exponent))) or known(base >= 0):
        return float
    raise Unsupported("E104", "whether a power is a float or a complex number depends on data", hint=_REAL_POWER)


_SAME_TYPE = "Make all of them of one type first, as in max(float(a), float(b))."
_FLOAT_POWER = "Write float(a) ** b, or math.pow(a, b)."
_REAL_POWER = "Write math.pow(a, b) or math.sqrt(a), which raise for negative numbers, or compute with NumPy's scalars."


def _never(*args: Any) -> bool:
    return False


def _always(*args: Any) -> bool:
    return True


def _mixed(*args: Any) -> bool:
    """Integers that are too large to be made floats raise ``OverflowError``."""
    kinds = set(map(python_type, args))
    return float in kinds and int in kinds and any(python_type(arg) is int and not isinstance(arg, int) for arg in args)


def _whole(*args: Any) -> bool:
    return any(python_type(arg) is int for arg in args)


def _of_float(*args: Any) -> bool:
    return any(python_type(arg) is float for arg in args)


def _sums_raise(values: Any, start: Any) -> bool:
    return _mixed(*values, start)


ROWS: dict[str, Row] = {
    "add": Row(operator.add, _joined, _mixed, 2, signs.where_all),
    "sub": Row(operator.sub, _joined, _mixed, 2),
    "mul": Row(operator.mul, _joined, _mixed, 2, signs.product),
    "truediv": Row(operator.truediv, _of(float), _always, 2, signs.where_all),
    "floordiv": Row(operator.floordiv, _joined, _always, 2),
    "mod": Row(operator.mod, _joined, _always, 2),
    "divmod": Row(divmod, lambda *args: (_joined(*args),) * 2, _always, 2),
    "pow": Row(operator.pow, _power, _always, 2, signs.power),
    "real_pow": Row(operator.pow, _of(float), _always, 2, signs.where_all),  # where the base is not negative, or the exponent whole
    "sum": Row(sum, lambda values, start: _joined(*values, start), _sums_raise, 2),
    "pow_mod": Row(pow, _of(int), _always, 3),
    "lshift": Row(operator.lshift, _of(int), _always, 2),
    "rshift": Row(operator.rshift, _of(int), _always, 2),
    "neg": Row(operator.neg, _own, _never, 1),
    "abs": Row(abs, _own, _never, 1, signs.always),
    "round": Row(round, _of(int), _always, 1),
    "round_to": Row(round, _own, _always, 2),
    "int": Row(int, _of(int), _of_float, 1),
    "float": Row(float, _of(float), _whole, 1, signs.where_all),
    "min": Row(min, _alike, _never, None, signs.where_all),
    "max": Row(max, _alike, _never, None, signs.where_all),
    "is_integer": Row(float.is_integer, _of(bool), _never, 1),
    "as_integer_ratio": Row(float.as_integer_ratio, _of((int, int)), _always, 1),
    "bit_count": Row(int.bit_count, _of(int), _never, 1),
    "floor": Row(math.floor, _of(int), _always, 1),
    "ceil": Row(math.ceil, _of(int), _always, 1),
    "trunc": Row(math.trunc, _of(int), _always, 1),
    "modf": Row(math.modf, _of((float, float)), _whole, 1),
    "frexp": Row(math.frexp, _of((float, int)), _whole, 1),
    "ldexp": Row(math.ldexp, _of(float), _always, 2),
    "fsum": Row(math.fsum, _of(float), _always, 1),
    "hypot": Row(math.hypot, _of(float), _whole, None, signs.always),
    "isclose": Row(math.isclose, _of(bool), _always, 2),
    "isclose_to": Row("python_numbers.isclose_to", _of(bool), _always, 4),
    "broadcast": Row("python_numbers.broadcast", _of(Size), _never, 2),
}
"""All operations but most of ``math``."""
_TO_TRUTH = ("isnan", "isinf", "isfinite")
_TO_INT = {"isqrt": 1, "gcd": None, "lcm": None, "factorial": 1, "comb": 2, "perm": None}
_TOTAL = ("atan", "tanh", "asinh", "fabs", "erf", "erfc", "degrees", "radians", "cbrt", "atan2", "copysign", "nextafter", "ulp")
_PARTIAL = "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos sinh cosh acosh atanh gamma lgamma pow fmod remainder".split()
_NOT_NEGATIVE = ("fabs", "sqrt", "exp", "exp2")
_OF_TWO = frozenset({"atan2", "copysign", "nextafter", "pow", "fmod", "remainder"})


def _add_math() -> Iterator[tuple[str, Row]]:
    for name in _TO_TRUTH:
        yield name, Row(getattr(math, name), _of(bool), _whole, 1)
    for name, count in _TO_INT.items():
        yield name, Row(getattr(math, name), _of(int), _always, count)
    for name in (*_TOTAL, *_PARTIAL):
        own = f"math_{name}" if name == "pow" else name
        operands = None if name == "log" else 2 if name in _OF_TWO else 1
        raises = _whole if name in _TOTAL else _always
        nonnegative = signs.always if name in _NOT_NEGATIVE else None
        yield own, Row(getattr(math, name), _of(float), raises, operands, nonnegative)


ROWS.update(_add_math())
OPERATION: dict[Any, str] = {row.kernel: name for name, row in ROWS.items() if getattr(row.kernel, "__module__", "") == "math"}
"""The names of the functions of ``math``."""


def _rule(row: Row) -> Callable[..., Any]:
    def rule(*args: Any) -> Any:
        return fresh(row.result(*args))

    kind = inspect.Parameter.POSITIONAL_ONLY
    names = [inspect.Parameter(name, kind) for name in "abcd"[: row.arity or 0]]
    rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        names if row.arity else [inspect.Parameter("values", inspect.Parameter.VAR_POSITIONAL)]
    )
    return rule


_ERRORS = (ZeroDivisionError, OverflowError, ValueError)


def _of_numbers(raises: Callable[..., bool]) -> Callable[[tuple[Any, ...]], bool]:
    def when(args: tuple[Any, ...]) -> bool:
        return raises(*map_nodes(args, lambda node: node.meta["val"]))

    return when


_NEW = frozenset("add sub mul truediv floordiv mod pow neg sum sqrt exp log".split())
"""Those that return a new float object."""

for _name, _row in ROWS.items():
    record(
        kernel=_row.kernel,
        namespace="py",
        name=_name,
        traits=f"data_dependent_shape{' new_float' * (_name in _NEW)}",
        doc=f"Python's ``{_name}``",
        emit=written_as(_name),
        raises=NOTHING if _row.raises is _never else (Raises(_ERRORS, _of_numbers(_row.raises), None),),
        rejects=False,
        nonnegative=_row.nonnegative,
        step=STEPS.get(_name, ""),
    )(_rule(_row))
