"""Element-wise operators in terms of the array-API standard.

The standard promotes no integers to floats and mixes no kinds, so operands are cast to the dtypes
of the loop that NumPy would run. What it leaves undefined but NumPy does not, such as division of
integers by zero, is written out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.runtime.namespaces.space import Builder, Lacks, Space, Values, declare, dtype_of, row

_SAME = (
    "add subtract multiply divide negative positive sign square sqrt exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh floor ceil"
    " trunc isfinite isinf isnan hypot logaddexp copysign signbit nextafter maximum minimum equal not_equal less less_equal greater"
    " greater_equal bitwise_and bitwise_or bitwise_xor floor_divide remainder logical_and logical_or logical_xor logical_not"
)
_STANDARD = {
    **{name: name for name in _SAME.split()},
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
}
"""NumPy's ufunc -> its name in the standard."""

_SCALARS = (
    "add subtract multiply divide floor_divide remainder power bitwise_and bitwise_or bitwise_xor equal not_equal less less_equal greater"
    " greater_equal negative positive absolute invert"
)
"""Ufuncs that are also Python's operators of NumPy scalars."""

_LOGICAL = ("logical_and", "logical_or", "logical_xor", "logical_not")
_ORDER = ("less", "less_equal", "greater", "greater_equal")
_OF_TRUTHS = {"add": "logical_or", "multiply": "logical_and", "maximum": "logical_or", "minimum": "logical_and", "absolute": "asarray"}
_ALSO_TRUTHS = (*_LOGICAL, *_ORDER, "equal", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor", "invert")
_NOT_COMPLEX = (*_ORDER, "maximum", "minimum")


def _of_kind(name: str, dtype: np.dtype[Any], standard: str) -> str:
    """What computes a ufunc on this kind of numbers."""
    if dtype.kind == "b" and name in _OF_TRUTHS:
        return _OF_TRUTHS[name]
    if (dtype.kind == "b" and name not in _ALSO_TRUTHS) or (dtype.kind == "c" and name in _NOT_COMPLEX):
        raise Lacks(f"the standard has no `{standard}` of {dtype}")
    return standard


def _loop(ufunc: Any, node: Node) -> tuple[np.dtype[Any], ...]:
    """The dtypes that NumPy computes a call in."""
    operands = [dtype_of(arg) for arg in node.args]
    dtype = node.kwargs.get("dtype")
    try:
        signature = {} if dtype is None else {"signature": (*[None] * len(operands), np.dtype(dtype))}
        found = ufunc.resolve_dtypes((*operands, None), **signature)
    except TypeError as error:
        raise Lacks(str(error)) from None
    return found  # type: ignore[no-any-return]


def _builder(name: str, standard: str) -> Builder:
    ufunc = getattr(np, name)

    def build(space: Space, node: Node) -> Values:
        if node.kwargs.keys() - {"dtype"} or len(node.args) != ufunc.nin:
            raise Lacks("not with these arguments")
        loop = _loop(ufunc, node)[: ufunc.nin]
        if len(set(loop)) > 1 and name not in _LOGICAL:
            raise Lacks(f"it does not compute on {' and '.join(map(str, loop))}")
        dtype = np.dtype(bool) if name in _LOGICAL else loop[0]
        function = space.function(_of_kind(name, dtype, standard))
        dtype = np.dtype(np.uint8) if dtype.kind == "b" and name in _ORDER else dtype
        space.dtype(dtype)
        careful = _CAREFUL.get(name) if dtype.kind in "iu" else None

        def run(*args: Any, **kwargs: Any) -> Any:
            operands = [space.array(arg, dtype) for arg in args]
            return function(*operands) if careful is None else careful(space, function, *operands)

        return run

    return build


def _divided(space: Space, function: Callable[..., Any], x: Any, y: Any) -> Any:
    """NumPy gives zero where integers are divided by zero."""
    zero = y == 0
    safe = space.function("where")(zero, space.function("ones_like")(y), y)
    found = function(x, safe)
    return space.function("where")(zero, space.function("zeros_like")(found), found)


def _power(space: Space, function: Callable[..., Any], x: Any, y: Any) -> Any:
    if bool(space.function("any")(y < 0)):
        raise ValueError("Integers to negative integer powers are not allowed.")
    return function(x, y)


def _left(space: Space, function: Callable[..., Any], x: Any, y: Any) -> Any:
    """NumPy shifts everything out by more places than there are, and by negative ones."""
    within, places = _places(space, x, y)
    found = function(x, places)
    return space.function("where")(within, found, space.function("zeros_like")(found))


def _right(space: Space, function: Callable[..., Any], x: Any, y: Any) -> Any:
    """The same, where the sign stays."""
    within, places = _places(space, x, y)
    last = space.function("full_like")(places, space.function("iinfo")(x.dtype).bits - 1)
    return function(x, space.function("where")(within, places, last))


def _places(space: Space, x: Any, y: Any) -> tuple[Any, Any]:
    within = space.function("logical_and")(y >= 0, y < space.function("iinfo")(x.dtype).bits)
    return within, space.function("where")(within, y, space.function("zeros_like")(y))


_CAREFUL: dict[str, Callable[..., Any]] = {
    "floor_divide": _divided,
    "remainder": _divided,
    "power": _power,
    "left_shift": _left,
    "right_shift": _right,
}
"""Operations on integers whose results the standard leaves undefined."""

declare({f"np.{name}": _builder(name, standard) for name, standard in _STANDARD.items()})
declare({f"np.scalar_{name}": _builder(name, _STANDARD[name]) for name in _SCALARS.split()})


def _masked(space: Space, node: Node) -> Values:
    """A ufunc with ``out=`` and ``where=``: computed everywhere, taken where the mask is true."""
    name, operands = node.args[0], [arg for arg in node.args[3:5] if arg is not None]
    if name not in _STANDARD:
        raise Lacks(f"the standard has no `{name}`")
    operation = _builder(name, _STANDARD[name])(space, Node(node.name, node.op, node.target, tuple(operands), {}, {}))
    choose, dtype = space.function("where"), node.meta["val"].dtype
    exponents = dtype_of(operands[1]) if name == "power" else None

    def run(ufunc: str, a: Any, where: Any, x1: Any, x2: Any = None, casting: str = "same_kind") -> Any:
        where = space.array(where, np.dtype(bool))
        if exponents is not None:  # a negative one may raise, but not where nothing is computed
            x2 = choose(where, space.array(x2, exponents), space.array(1, exponents))
        found = operation(x1) if x2 is None else operation(x1, x2)
        return choose(where, space.array(found, dtype), space.array(a, dtype))

    return run


declare({"np.ufunc_where": _masked})


@row("np.where", needs="where")
def where(space: Space, meta: Any, condition: Any, x: Any, y: Any) -> Any:
    truth = space.array(condition, np.dtype(bool))
    return space.function("where")(truth, space.array(x, meta.dtype), space.array(y, meta.dtype))


@row("np.real", needs="real")
def real(space: Space, meta: Any, val: Any) -> Any:
    return val if val.dtype == space.dtype(meta.dtype) else space.function("real")(val)


@row("np.imag", needs="imag")
def imag(space: Space, meta: Any, val: Any) -> Any:
    return space.function("zeros_like")(val) if val.dtype == space.dtype(meta.dtype) else space.function("imag")(val)


@row("np.astype")
def astype(space: Space, meta: Any, x: Any, dtype: Any, *, casting: str = "unsafe") -> Any:
    return space.array(x, meta.dtype)


@row("np.construct")
def construct(space: Space, meta: Any, value: Any, dtype: Any) -> Any:
    return space.array(value, meta.dtype)


@row("np.clip", needs="maximum minimum", gives="iuf")
def clip(space: Space, meta: Any, a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    found = space.array(a, meta.dtype)
    found = found if a_min is None else space.function("maximum")(found, space.array(a_min, meta.dtype))
    return found if a_max is None else space.function("minimum")(found, space.array(a_max, meta.dtype))
