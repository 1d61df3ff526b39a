"""The ``py`` namespace: Python's own operations on numbers that only the data know, each done by
Python when the program runs.

A rule says of which type the result is and makes a new number of it; values, errors and their texts
are the kernel's, which is Python's own function. Where the type of the result depends on the values
(``2 ** n``, ``min(n, x)``) the rule refuses.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from npexport.ir.facts import Raises
from npexport.ir.graph import map_nodes
from npexport.ir.ops.fresh import fresh_float, fresh_size, fresh_truth
from npexport.ir.ops.rules import record
from npexport.ir.ops.samples import Call, call
from npexport.ir.ops.sizes import written_as
from npexport.ir.raising import NOTHING
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.symint import python_type

Rule = Callable[..., type | tuple[type, ...]]


class Row(NamedTuple):
    """An operation: the kernel, the type of its result, whether it raises for some numbers, and
    sample arguments."""

    kernel: Any
    result: Rule
    raises: Callable[..., bool]
    samples: tuple[tuple[Any, ...], ...]


def fresh(kind: type | tuple[type, ...]) -> Any:
    """A new number of this type, or one of each."""
    if isinstance(kind, tuple):
        return tuple(map(fresh, kind))
    if kind is float:
        return fresh_float()
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


def _sums_raise(values: Any, start: Any) -> bool:
    return _mixed(*values, start)


_PAIRS = ((7.5, 2.0), (7, -2), (-0.0, 3), (True, 2.5))
_INTS = ((7, 2), (12, 3), (True, 1))
_ONE = ((0.5,), (1,), (True,))
_FLOAT = ((2.5,), (-0.5,), (float("nan"),))


ROWS: dict[str, Row] = {
    "add": Row(operator.add, _joined, _mixed, _PAIRS),
    "sub": Row(operator.sub, _joined, _mixed, _PAIRS),
    "mul": Row(operator.mul, _joined, _mixed, _PAIRS),
    "truediv": Row(operator.truediv, _of(float), _always, _PAIRS),
    "floordiv": Row(operator.floordiv, _joined, _always, _PAIRS),
    "mod": Row(operator.mod, _joined, _always, _PAIRS),
    "divmod": Row(divmod, lambda *args: (_joined(*args),) * 2, _always, _PAIRS),
    "pow": Row(operator.pow, _power, _always, ((2.5, 2), (2, 3), (2, -1), (2.5, -2.0))),
    "sum": Row(sum, lambda values, start: _joined(*values, start), _sums_raise, (([2.5, 1.0], 0), ([1, 2], 3))),
    "pow_mod": Row(pow, _of(int), _always, ((3, 4, 5),)),
    "lshift": Row(operator.lshift, _of(int), _always, _INTS),
    "rshift": Row(operator.rshift, _of(int), _always, _INTS),
    "neg": Row(operator.neg, _own, _never, _ONE),
    "abs": Row(abs, _own, _never, _ONE),
    "round": Row(round, _of(int), _always, ((2.5,), (3,))),
    "round_to": Row(round, _own, _always, ((2.675, 2), (1234, -2))),
    "int": Row(int, _of(int), _always, ((2.5,), (-3,), (True,))),
    "float": Row(float, _of(float), _whole, ((2.5,), (-3,), (True,))),
    "min": Row(min, _alike, _never, ((2.5, 1.0), (1, 2))),
    "max": Row(max, _alike, _never, ((2.5, 1.0), (1, 2))),
    "is_integer": Row(float.is_integer, _of(bool), _never, _FLOAT),
    "as_integer_ratio": Row(float.as_integer_ratio, _of((int, int)), _always, _FLOAT[:2]),
    "bit_count": Row(int.bit_count, _of(int), _never, ((7,), (-3,))),
    "floor": Row(math.floor, _of(int), _always, _FLOAT[:2]),
    "ceil": Row(math.ceil, _of(int), _always, _FLOAT[:2]),
    "trunc": Row(math.trunc, _of(int), _always, _FLOAT[:2]),
    "modf": Row(math.modf, _of((float, float)), _whole, _FLOAT[:2]),
    "frexp": Row(math.frexp, _of((float, int)), _whole, _FLOAT[:2]),
    "ldexp": Row(math.ldexp, _of(float), _always, ((0.5, 3),)),
    "fsum": Row(math.fsum, _of(float), _always, (([0.1, 0.2, 0.3],),)),
    "hypot": Row(math.hypot, _of(float), _whole, ((3.0, 4.0), (1.0, 2.0, 2.0))),
    "isclose": Row(math.isclose, _of(bool), _always, ((1.0, 1.0 + 1e-12), (1.0, 2.0))),
    "isclose_to": Row("python_numbers.isclose_to", _of(bool), _always, ((1.0, 1.1, 0.5, 0.0),)),
}
"""All operations but most of ``math``."""
_TO_TRUTH = ("isnan", "isinf", "isfinite")
_TO_INT = {"isqrt": ((10,),), "gcd": ((12, 18),), "lcm": ((4, 6),), "factorial": ((5,),), "comb": ((5, 2),), "perm": ((5, 2),)}
_TOTAL = ("atan", "tanh", "asinh", "fabs", "erf", "erfc", "degrees", "radians", "cbrt", "atan2", "copysign", "nextafter", "ulp")
_PARTIAL = "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos sinh cosh acosh atanh gamma lgamma pow fmod remainder".split()
_OF_TWO = frozenset({"atan2", "copysign", "nextafter", "pow", "fmod", "remainder"})
_OF_ONE_UP = frozenset({"acosh"})


def _add_math() -> Iterator[tuple[str, Row]]:
    for name in _TO_TRUTH:
        yield name, Row(getattr(math, name), _of(bool), _whole, _FLOAT)
    for name, samples in _TO_INT.items():
        yield name, Row(getattr(math, name), _of(int), _always, samples)
    for name in (*_TOTAL, *_PARTIAL):
        pair: tuple[Any, ...] = ((2.5, 0.5),) if name in _OF_TWO else ((1.5,),) if name in _OF_ONE_UP else ((0.5,), (0.25,))
        yield (
            f"math_{name}" if name == "pow" else name,
            Row(getattr(math, name), _of(float), _whole if name in _TOTAL else _always, pair),
        )


ROWS.update(_add_math())
OPERATION: dict[Any, str] = {row.kernel: name for name, row in ROWS.items() if getattr(row.kernel, "__module__", "") == "math"}
"""The names of the functions of ``math``."""


def _rule(row: Row, count: int | None) -> Callable[..., Any]:
    def rule(*args: Any) -> Any:
        return fresh(row.result(*args))

    kind = inspect.Parameter.POSITIONAL_ONLY
    names = [inspect.Parameter(name, kind) for name in "abcd"[: count or 0]]
    rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        names if count else [inspect.Parameter("values", inspect.Parameter.VAR_POSITIONAL)]
    )
    return rule


def _samples(row: Row) -> Callable[[], Iterator[Call]]:
    return lambda: (call(*args) for args in row.samples)


def _arity(name: str, row: Row) -> int | None:
    counts = {len(args) for args in row.samples}
    return counts.pop() if len(counts) == 1 and name not in ("min", "max", "gcd", "lcm", "hypot", "log", "perm") else None


_ERRORS = (ZeroDivisionError, OverflowError, ValueError)


def _of_numbers(raises: Callable[..., bool]) -> Callable[[tuple[Any, ...]], bool]:
    def when(args: tuple[Any, ...]) -> bool:
        return raises(*map_nodes(args, lambda node: node.meta["val"]))

    return when


for _name, _row in ROWS.items():
    record(
        kernel=_row.kernel,
        namespace="py",
        name=_name,
        traits="data_dependent_shape",
        samples=_samples(_row),
        doc=f"Python's ``{_name}``",
        emit=written_as(_name),
        raises=NOTHING if _row.raises is _never else (Raises(_ERRORS, _of_numbers(_row.raises), None),),
        rejects=False,
    )(_rule(_row, _arity(_name, _row)))
