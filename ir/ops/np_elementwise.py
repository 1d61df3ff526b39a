"""The element-wise ufuncs, from one table, and the methods that every ufunc has."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.op import REGISTRY, Op
from npexport.ir.ops.rules import Array, Rejected, broadcast, dtypes_of, raise_like, shape_of
from npexport.ir.ops.samples import Call, arr

# name: further traits
UFUNCS = {
    "absolute": "",
    "add": "commutative",
    "arccos": "",
    "arccosh": "",
    "arcsin": "",
    "arcsinh": "",
    "arctan": "",
    "arctan2": "",
    "arctanh": "",
    "bitwise_and": "commutative",
    "bitwise_count": "",
    "bitwise_or": "commutative",
    "bitwise_xor": "commutative",
    "cbrt": "",
    "ceil": "",
    "conjugate": "",
    "copysign": "",
    "cos": "",
    "cosh": "",
    "deg2rad": "",
    "degrees": "",
    "divide": "",
    "divmod": "",
    "equal": "commutative",
    "exp": "",
    "exp2": "",
    "expm1": "",
    "fabs": "",
    "float_power": "",
    "floor": "",
    "floor_divide": "",
    "fmax": "commutative",
    "fmin": "commutative",
    "fmod": "",
    "frexp": "",
    "gcd": "commutative",
    "greater": "",
    "greater_equal": "",
    "heaviside": "",
    "hypot": "commutative",
    "invert": "",
    "isfinite": "",
    "isinf": "",
    "isnan": "",
    "isnat": "",
    "lcm": "commutative",
    "ldexp": "",
    "left_shift": "",
    "less": "",
    "less_equal": "",
    "log": "",
    "log10": "",
    "log1p": "",
    "log2": "",
    "logaddexp": "commutative",
    "logaddexp2": "commutative",
    "logical_and": "commutative",
    "logical_not": "",
    "logical_or": "commutative",
    "logical_xor": "commutative",
    "maximum": "commutative",
    "minimum": "commutative",
    "modf": "",
    "multiply": "commutative",
    "negative": "",
    "nextafter": "",
    "not_equal": "commutative",
    "positive": "",
    "power": "",
    "rad2deg": "",
    "radians": "",
    "reciprocal": "",
    "remainder": "",
    "right_shift": "",
    "rint": "",
    "sign": "",
    "signbit": "",
    "sin": "",
    "sinh": "",
    "spacing": "",
    "sqrt": "",
    "square": "",
    "subtract": "",
    "tan": "",
    "tanh": "",
    "trunc": "",
}


def elementwise(ufunc: np.ufunc, operands: tuple[Array, ...], dtype: Any) -> Any:
    """The rule of every element-wise ufunc: dtypes by NumPy's own resolution, the common shape, 0-d results as scalars."""
    try:
        dtypes = dtypes_of(ufunc, *operands) if dtype is None else dtypes_of(ufunc, *operands, dtype=dtype)
        shape = broadcast(*map(shape_of, operands))
    except Rejected:
        raise_like(ufunc, operands, {} if dtype is None else {"dtype": dtype})
    if len(dtypes) == 1:
        return TensorMeta(shape, dtypes[0], not shape)
    return tuple([TensorMeta(shape, result, not shape) for result in dtypes])


def rule_of(ufunc: np.ufunc) -> Callable[..., Any]:
    """The rule of an element-wise ufunc with any number of operands."""

    def rule(*operands: Array, dtype: Any = None) -> Any:
        return elementwise(ufunc, operands, dtype)

    names = ["x"] if ufunc.nin == 1 else [f"x{i + 1}" for i in range(ufunc.nin)]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, annotation="Array") for name in names]
    option = inspect.Parameter("dtype", inspect.Parameter.KEYWORD_ONLY, default=None)
    rule.__signature__ = inspect.Signature([*parameters, option])  # type: ignore[attr-defined]
    return rule


def _unary_rule(ufunc: np.ufunc) -> Callable[..., Any]:
    def rule(x: Array, /, *, dtype: Any = None) -> Any:
        return elementwise(ufunc, (x,), dtype)

    return rule


def _binary_rule(ufunc: np.ufunc) -> Callable[..., Any]:
    def rule(x1: Array, x2: Array, /, *, dtype: Any = None) -> Any:
        return elementwise(ufunc, (x1, x2), dtype)

    return rule


_UNARY_OPERANDS = (
    *(arr(2, 3, dtype=dtype) for dtype in ("?", "u1", "i4", "i8", "f2", "f4", "f8", "c8", "c16")),
    np.array([1, 2], "m8[s]"),
    arr(dtype="f4"),
    arr(0, 3, dtype="f8"),
    arr(dtype="i8")[()],
    2,
)
_BINARY_OPERANDS = (
    *product(
        (arr(2, 3, dtype="f4"), arr(3, dtype="i4"), arr(2, 1, dtype="u1"), arr(3, dtype="?"), arr(1, dtype="c8"), arr(dtype="f8")), repeat=2
    ),
    *product((arr(3, dtype="f4"), arr(dtype="i4")), (2, 2.5, True, 1j, np.float64(2), np.int8(3))),
    (7, arr(3, dtype="i2")),
    (arr(2, 0, 3, dtype="f8"), arr(1, 3, dtype="f8")),
    (arr(0, dtype="i4"), arr(1, dtype="f4")),
)


def _samples(ufunc: np.ufunc) -> Callable[[], Iterator[Call]]:
    """Those of the operands above that the ufunc has a loop for."""

    def generate() -> Iterator[Call]:
        for operands in _BINARY_OPERANDS if ufunc.nin == 2 else ((x,) for x in _UNARY_OPERANDS):
            try:
                with np.errstate(all="ignore"):
                    ufunc(*operands)
            except (TypeError, ValueError):  # no loop, or an integer to a negative power
                continue
            yield tuple(operands), {}
        if "d" * ufunc.nin + "->d" in ufunc.types:
            yield tuple(arr(3, dtype="f4") for _ in range(ufunc.nin)), {"dtype": np.dtype("f8")}

    return generate


def declare_ufunc(name: str, traits: str) -> Op:
    """Register the operator of one element-wise ufunc."""
    ufunc = getattr(np, name)
    return REGISTRY.register(
        Op(
            namespace="np",
            name=name,
            rule=(_unary_rule if ufunc.nin == 1 else _binary_rule)(ufunc),
            kernel=ufunc,
            models=(ufunc,),
            traits=frozenset(("elementwise", "ufunc", *traits.split())),
            samples=_samples(ufunc),
            doc=f"The element-wise ufunc ``np.{name}``.\n\nhttps://numpy.org/doc/stable/reference/generated/numpy.{name}.html",
        )
    )


for _name, _traits in UFUNCS.items():
    declare_ufunc(_name, _traits)
