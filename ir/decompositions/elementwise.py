"""Element-wise functions of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import cast, loop, unboxed
from npexport.ir.numpy_internals import series_of_i0
from npexport.ir.ops import REGISTRY  # noqa: F401  registers the operators
from npexport.symshapes.symint import SymFloat


@register_decomposition("np.square")
def square(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the same product."""
    return np.multiply(x, x, dtype=np.int8 if getattr(x, "dtype", None) == np.bool_ and dtype is None else dtype)


def _scaled(ufunc: str, numerator: float, denominator: float) -> Callable[..., Any]:
    def decomposition(x: Any, /, *, dtype: Any = None) -> Any:
        """Exact: the product with a constant of the dtype; half precision is computed in single."""
        (source,), target = loop(ufunc, (x,), dtype)
        work = np.dtype(np.float32) if source == np.float16 else source
        if work.char not in "fd":
            raise NotImplementedError
        return cast(cast(x, work) * (work.type(numerator) / work.type(denominator)), target)

    return decomposition


for _name in ("deg2rad", "radians"):
    register_decomposition(f"np.{_name}")(_scaled(_name, np.pi, 180.0))
for _name in ("rad2deg", "degrees"):
    register_decomposition(f"np.{_name}")(_scaled(_name, 180.0, np.pi))


@register_decomposition("np.divmod")
def divmod_(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the quotient and the remainder."""
    if any(operand.dtype.kind == "m" for operand in (x1, x2) if hasattr(operand, "dtype")):
        raise NotImplementedError  # the division of durations by 0 warns more often than the two ufuncs do
    return np.floor_divide(x1, x2, dtype=dtype), np.remainder(x1, x2, dtype=dtype)


@register_decomposition("np.fabs")
def fabs(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the absolute value as a float."""
    (source,), _ = loop("fabs", (x,), dtype)
    return np.absolute(cast(x, source))


@register_decomposition("np.float_power")
def float_power(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """The power in double precision, which NumPy vectorises: within 2 units in the last place."""
    (first, second), _ = loop("float_power", (x1, x2), dtype)
    return np.power(cast(x1, first), cast(x2, second))


@register_decomposition("np.power_of")
def power_of(x: Any, exponent: Any) -> Any:
    """The power; squares and reciprocals may be rounded differently, square roots are exact."""
    found = np.power(x, exponent)
    if not isinstance(exponent, (float, SymFloat)) or x.dtype.kind not in "fc":
        return found
    with np.errstate(invalid="ignore"):
        root = np.sqrt(x)
    return unboxed(np.where(np.equal(exponent, 0.5), root, found))  # type: ignore[arg-type]


_SMALL_I0, _LARGE_I0 = series_of_i0()


@register_decomposition("np.i0")
def i0(x: Any) -> Any:
    """Exact: NumPy's two series, each of the elements that take it."""
    x = np.abs(x if x.dtype.kind == "f" else x.astype(np.float64))
    small = x <= 8.0
    near, far = _SMALL_I0(np.where(small, x, x.dtype.type(8))), _LARGE_I0(np.where(small, x.dtype.type(8), x))
    return np.where(small, near.astype(x.dtype), far.astype(x.dtype))


def _but_nan(name: str, order: Any, otherwise: Any) -> Callable[..., Any]:
    def decomposition(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
        """Exact: a comparison, and the other operand where one is NaN or NaT."""
        (first, second), _ = loop(name, (x1, x2), dtype)
        if first.kind not in "fcmM":
            return otherwise(x1, x2, dtype=dtype)
        a, b = cast(x1, first), cast(x2, second)
        with np.errstate(invalid="ignore"):  # comparing complex NaN would warn
            first_one = order(a, b) | np.isnan(b)
        return unboxed(np.where(first_one, a, b))

    return decomposition


register_decomposition("np.fmax")(_but_nan("fmax", np.greater_equal, np.maximum))
register_decomposition("np.fmin")(_but_nan("fmin", np.less_equal, np.minimum))


@register_decomposition("np.greater")
def greater(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: ``less`` of the swapped operands."""
    return np.less(x2, x1)


@register_decomposition("np.greater_equal")
def greater_equal(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: ``less_equal`` of the swapped operands."""
    return np.less_equal(x2, x1)


@register_decomposition("np.not_equal")
def not_equal(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the negation of ``equal``."""
    return np.logical_not(np.equal(x1, x2))


@register_decomposition("np.logical_xor")
def logical_xor(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: whether the truths differ."""
    if not {operand.dtype.kind for operand in (x1, x2) if hasattr(operand, "dtype")} <= set("biufc"):
        raise NotImplementedError  # dates have truth values, but no `logical_not`
    return np.bitwise_xor(np.logical_not(x1), np.logical_not(x2))


@register_decomposition("np.heaviside")
def heaviside(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: two comparisons."""
    (first, second), _ = loop("heaviside", (x1, x2), dtype)
    x, h = cast(x1, first), cast(x2, second)
    step = np.where(x < 0, np.zeros((), first), np.ones((), first))
    return unboxed(np.where(x != x, x, np.where(x == 0, h, step)))


@register_decomposition("np.isinf")
def isinf(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: neither finite nor NaN; for a complex number, either of its parts."""
    if hasattr(x, "dtype") and x.dtype.kind == "c":
        return isinf(x.real) | isinf(x.imag)
    return np.logical_not(np.isfinite(x) | np.isnan(x))


@register_decomposition("np.lcm")
def lcm(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the product of the magnitudes over the greatest common divisor."""
    (first, _), _ = loop("lcm", (x1, x2), dtype)
    unsigned = np.dtype(first.char.upper()) if first.kind == "i" else first
    a, b = cast(np.absolute(cast(x1, first)), unsigned), cast(np.absolute(cast(x2, first)), unsigned)
    divisor = np.gcd(a, b)
    return cast(a // np.maximum(divisor, unsigned.type(1)) * b, first)


def _log_of_sum(name: str, of_two: Callable[[Any], Any], rest: Callable[[Any], Any]) -> Callable[..., Any]:
    def decomposition(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
        """NumPy's formula, with its vectorised exponential: within 2 units in the last place. There
        is no warning for NaN.
        """
        (first, _), target = loop(name, (x1, x2), dtype)
        work = np.dtype(np.float32) if first == np.float16 else first
        a, b = cast(x1, work), cast(x2, work)
        same, zero = a == b, np.zeros((), work)
        apart = np.where(same, zero, a) - np.where(same, zero, b)  # equal infinities are not subtracted
        return cast(unboxed(np.where(same, a + of_two(work.type(2)), np.maximum(a, b) + rest(-np.absolute(apart)))), target)

    return decomposition


register_decomposition("np.logaddexp")(_log_of_sum("logaddexp", np.log, lambda below: np.log1p(np.exp(below))))
register_decomposition("np.logaddexp2")(
    _log_of_sum("logaddexp2", np.log2, lambda below: np.log1p(np.exp2(below)) / np.log(below.dtype.type(2)))
)


@register_decomposition("np.modf")
def modf(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the fraction and the integer part, both with the sign."""
    (source,), _ = loop("modf", (x,), dtype)
    x = cast(x, source)
    whole = np.trunc(x)
    with np.errstate(invalid="ignore"):  # for infinities, whose fraction is 0
        rest = x - whole
    return np.copysign(np.where(np.isinf(x), np.zeros((), source), rest), x), whole


@register_decomposition("np.positive")
def positive(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: a copy."""
    (source,), _ = loop("positive", (x,), dtype)
    return unboxed(cast(x, source))


@register_decomposition("np.reciprocal")
def reciprocal(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: 1 over the number; complex numbers within 2 units in the last place. Of a complex 0,
    NaN may be in another part.
    """
    (source,), _ = loop("reciprocal", (x,), dtype)
    one, x = np.ones((), source), cast(x, source)
    if source.kind in "iu":
        return unboxed((1.0 / x).astype(source))
    return np.divide(one, x)


@register_decomposition("np.spacing")
def spacing(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the distance to the next number away from 0; in half precision, as in NumPy, to the
    next greater one.
    """
    (source,), _ = loop("spacing", (x,), dtype)
    x, infinite = cast(x, source), source.type(np.inf)
    if source == np.float16:
        x = np.where(x == -infinite, infinite, x)
        return unboxed(np.nextafter(x, infinite) - x)
    with np.errstate(invalid="ignore"):  # for infinities
        return unboxed(np.nextafter(x, np.where(x < 0, -infinite, infinite)) - x)


@register_decomposition("np.ceil")
def ceil(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: the negative of the floor of the negative."""
    (source,), _ = loop("ceil", (x,), dtype)
    if source.kind != "f":
        return unboxed(cast(x, source))
    return np.negative(np.floor(np.negative(cast(x, source))))


@register_decomposition("np.trunc")
def trunc(x: Any, /, *, dtype: Any = None) -> Any:
    """Exact: rounded towards 0."""
    (source,), _ = loop("trunc", (x,), dtype)
    if source.kind != "f":
        return unboxed(cast(x, source))
    x = cast(x, source)
    return np.copysign(np.floor(np.absolute(x)), x)


@register_decomposition("np.isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Exact: NumPy's comparison."""
    y = np.asanyarray(b)
    if y.dtype.kind != "m":
        y = y.astype(np.result_type(y, 1.0))
    with np.errstate(invalid="ignore"):
        close = (np.less_equal(np.absolute(a - y), atol + rtol * np.absolute(y)) & np.isfinite(y)) | (a == y)
    return close | (np.isnan(a) & np.isnan(y)) if equal_nan else close


@register_decomposition("np.round")
def round_(a: Any, decimals: Any = 0) -> Any:
    """Exact: scaled by a power of ten, rounded, and scaled back."""
    a = np.asanyarray(a)
    if a.dtype.kind == "c":
        return unboxed(_complex(round_(a.real, decimals), round_(a.imag, decimals), a.dtype))
    if a.dtype.kind == "b":
        if decimals:
            raise NotImplementedError
        return np.rint(a)
    if a.dtype.kind in "iu":
        if decimals >= 0:
            return unboxed(cast(a, a.dtype))
        scale = 10.0**-decimals
        return cast(np.rint(a / scale) * scale, a.dtype)
    if decimals == 0:
        return np.rint(a)
    factor = a.dtype.type(10.0 ** abs(decimals))
    return np.rint(a * factor) / factor if decimals > 0 else np.rint(a / factor) * factor


def _complex(real: Any, imag: Any, dtype: Any) -> Any:
    """The complex numbers with these parts."""
    out = np.zeros(real.shape, dtype)
    out.real = real
    out.imag = imag
    return out


@register_decomposition("np.ufunc_outer")
def ufunc_outer(ufunc: str, A: Any, B: Any, *, dtype: Any = None) -> Any:
    """Exact: the ufunc of the broadcast arrays."""
    a, b = np.asanyarray(A), np.asanyarray(B)
    options = {} if dtype is None else {"dtype": dtype}
    return getattr(np, ufunc)(a.reshape(*a.shape, *(1,) * b.ndim), b, **options)
