"""Python complex numbers of data: pairs of floats, to which Python's own operations are applied at
run time.

No node has a complex number as its value: operands and results are pairs of parts. An operand that
is a single number is real.
"""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable
from typing import Any

from npexport.ir.facts import Emit, Raises
from npexport.ir.ops.fresh import fresh_float, fresh_truth
from npexport.ir.ops.rules import Rejected, record
from npexport.symshapes.symint import python_type


def _isclose(a: Any, b: Any, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> bool:
    return cmath.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


PAIRS: dict[str, Callable[..., Any]] = {
    "complex": complex,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "pow": operator.pow,
}
PAIRS |= {
    name: getattr(cmath, name)
    for name in "sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh rect polar".split()
}
"""The operations that return a complex number, or two floats."""
FLOATS: dict[str, Callable[..., Any]] = {"abs": abs, "phase": cmath.phase}
TRUTHS: dict[str, Callable[..., Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "isnan": cmath.isnan,
    "isinf": cmath.isinf,
    "isfinite": cmath.isfinite,
    "isclose": _isclose,
}
_TOTAL = frozenset({"complex", "add", "sub", "mul", "isnan", "isinf", "isfinite", "eq", "ne"})
"""The operations that raise for no floats; integers may be too large for floats."""
_COMPARING = frozenset({"eq", "ne"})


def _raises(args: tuple[Any, ...]) -> bool:
    """Whether a call may raise: ``args`` are the name of an operation, and its operands."""
    name, operands = args[0], args[1]
    if name in _COMPARING:
        return False
    whole = any(type(item) is not tuple and python_type(getattr(item, "meta", {}).get("val", item)) is int for item in operands)
    return name not in _TOTAL or whole


_MAY_RAISE = (Raises((ZeroDivisionError, OverflowError, ValueError), _raises, None),)


def _checked(name: Any, operands: Any, table: dict[str, Any]) -> None:
    pairs = [item for item in operands if type(item) is tuple]
    if name not in table or any(len(pair) != 2 for pair in pairs):
        raise Rejected


@record(
    kernel="complex_numbers.complex_pair",
    namespace="py",
    traits="data_dependent_shape",
    raises=_MAY_RAISE,
    emit=Emit(complexes=PAIRS),
)
def complex_pair(name: Any, operands: Any, /) -> Any:
    """Python's operation ``name`` on complex numbers, as the two parts of its result."""
    _checked(name, operands, PAIRS)
    return fresh_float(), fresh_float()


@record(
    kernel="complex_numbers.complex_float",
    namespace="py",
    traits="data_dependent_shape",
    raises=_MAY_RAISE,
    emit=Emit(complexes=FLOATS),
)
def complex_float(name: Any, operands: Any, /) -> Any:
    """Python's operation ``name`` on complex numbers that returns a float."""
    _checked(name, operands, FLOATS)
    return fresh_float()


@record(
    kernel="complex_numbers.complex_truth",
    namespace="py",
    traits="data_dependent_shape",
    raises=_MAY_RAISE,
    emit=Emit(complexes=TRUTHS),
)
def complex_truth(name: Any, operands: Any, /) -> Any:
    """Python's operation ``name`` on complex numbers that returns a ``bool``."""
    _checked(name, operands, TRUTHS)
    return fresh_truth()
