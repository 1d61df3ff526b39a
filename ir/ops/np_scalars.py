"""Python's operators of NumPy scalars, and the scalar types as constructors.

Where no operand is an array, ``a + b`` is arithmetic of scalars and no loop of a ufunc: complex
numbers and powers are rounded otherwise, and integers that overflow warn. ``ops.np.scalar_add`` is
that operator; ``ops.np.add`` is the ufunc, of scalars too.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import CALLED, Emit
from npexport.ir.meta import TensorMeta
from npexport.ir.narrowing import narrows
from npexport.ir.op import Op, registered
from npexport.ir.ops import bounds, evaluation
from npexport.ir.ops.np_elementwise import SIGNS
from npexport.ir.ops.rules import Array, Rejected, as_dtype, record, shape_of, type_key
from npexport.ir.ops.rules import value as scalar_or_array
from npexport.ir.ops.stand_ins import raise_like
from npexport.ir.raising import ARITHMETIC, COMPARED, CONSTRUCTED, INTEGERS, NOTHING, SCALAR_POWER, of_integers
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, python_type

BINARY: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "divmod": divmod,
    "power": operator.pow,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
UNARY: dict[str, Callable[..., Any]] = {
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": abs,
    "invert": operator.invert,
}
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_RAISES = {**dict.fromkeys(_COMPARISONS, COMPARED), "power": SCALAR_POWER, **dict.fromkeys(("add", "subtract", "multiply"), ARITHMETIC)}

_RESULTS: dict[Any, Any] = {}
_TEXT_HINT = "Use np.strings.add or np.strings.multiply of arrays."


def _result(function: Callable[..., Any], operands: tuple[Array, ...]) -> Any:
    """The meta of what Python's operator gives for operands of these types, asked once. Raises
    :class:`Rejected`."""
    key = (function, *map(type_key, operands))
    found = _RESULTS.get(key)
    if found is None:
        kinds = {operand.dtype.kind for operand in operands if isinstance(operand, (TensorMeta, np.generic))}
        if not kinds:
            raise Rejected  # arithmetic of Python's own
        if kinds & {*"SUT"}:
            operands = tuple([min(operand, 1) if type(operand) is int else operand for operand in operands])
        try:
            with np.errstate(all="ignore"):
                found = function(*map(_one, operands))
        except (TypeError, ValueError, OverflowError) as problem:
            raise Rejected from problem
        found = _RESULTS[key] = tuple(map(_scalar, found)) if isinstance(found, tuple) else _scalar(found)
    return found


def _one(operand: Array) -> Any:
    """A number of the operand's type; integers of Python are themselves, since NumPy refuses those
    that do not fit."""
    if isinstance(operand, TensorMeta):
        return np.ones((), operand.dtype)[()]
    return python_type(operand)(1) if isinstance(operand, (SymInt, SymFloat, SymBool)) else operand


def _scalar(value: Any) -> TensorMeta:
    if isinstance(value, (str, bytes)):
        raise Unsupported("E114", "a text of data is repeated, or texts of data are joined", hint=_TEXT_HINT)
    if not isinstance(value, np.generic):
        raise Rejected
    return TensorMeta((), value.dtype, True)


def _rule(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    def rule(*operands: Array) -> Any:
        if any(isinstance(operand, TensorMeta) and operand.shape for operand in operands):
            raise TypeError("an operator of scalars takes no arrays with axes")
        try:
            return _result(function, operands)
        except Rejected:
            return raise_like(function, operands, {})

    names = ["x"] if count == 1 else ["x1", "x2"]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    rule.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return rule


def _declare(name: str, function: Callable[..., Any], count: int) -> Op:
    """What is known of the ufunc's numbers is known of the scalars' too."""
    ufunc = registered(f"np.{name}")
    return record(
        name=f"scalar_{name}",
        kernel=function,
        traits=" ".join(ufunc.traits & {"quiet", "divides", "plain_loop"}),
        doc=f"``{function.__name__}`` of Python's ``operator`` module, of NumPy scalars.\n\n"
        "https://numpy.org/doc/stable/reference/arrays.scalars.html",
        raises=_RAISES.get(name, NOTHING if count == 1 else INTEGERS),
        rejects=False,
        bounds=ufunc.bounds,
        arithmetic=ufunc.arithmetic,
        evaluate=ufunc.evaluate,
        counts=ufunc.counts,
        nonnegative=ufunc.nonnegative,
        step=ufunc.step,
        loud=of_integers if name in UNARY else narrows,
        emit=Emit((f"({{0}}) {SIGNS[name]} ({{1}})",)) if name in SIGNS else CALLED,
    )(_rule(function, count))


OF_SCALARS = {registered(f"np.{name}"): _declare(name, function, 2) for name, function in BINARY.items()}
OF_SCALARS |= {registered(f"np.{name}"): _declare(name, function, 1) for name, function in UNARY.items()}
"""The operator of scalars, by that of arrays."""
ARRAY_OPERATORS = {scalar: op for op, scalar in OF_SCALARS.items()}


@record(
    kernel="np_scalars.construct",
    traits="cast may_share",
    see="numpy.generic",
    raises=CONSTRUCTED,
    bounds=bounds.same,
    evaluate=evaluation.first,
)
def construct(value: Any, dtype: Any) -> TensorMeta:
    """``np.float32(value)``: a scalar of this dtype, or where there are axes an array."""
    return scalar_or_array(shape_of(value), as_dtype(dtype))
