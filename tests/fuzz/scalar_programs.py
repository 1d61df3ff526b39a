"""Random programs over scalars of all kinds: NumPy's of all dtypes, Python's, elements of inputs, reductions, sizes, numbers of the data.

A program is the source of ``f(x, y, s, t)``: two vectors, a dynamic integer and a dynamic float. It returns all that it computes.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

DTYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "c8", "c16")
TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 longdouble complex64 complex128 clongdouble".split()
DATA = (
    "x[0]", "x[-1]", "y[0]", "y[1]", "x[0]", "y[0]", "x.sum()", "y.max()", "x.min()", "x.mean()", "np.prod(y)",
    "x[1:].sum()", "x.any()",
    "np.dot(x, x)", "x[0].real", "y[1].imag", "x.argmax()", "np.abs(x[0])", "np.sqrt(y[0])", "np.array(x[0])",
    "x[:1].reshape(())",
    "np.asarray(y[1])", "x[0].astype('f4')", "np.float64(y[0].real)",
)  # fmt: skip
OF_DATA = ("int(x[0].real)", "float(y[0].real)", "x[1].item()", "y.sum().item()", "len(x[x > 0])", "int(np.count_nonzero(y))")
SIZES = (
    "len(x)",
    "x.shape[0]",
    "y.size",
    "len(x) * 3 - 4",
    "len(x) // 2",
    "len(x) / 2",
    "len(x) + 250",
    "len(x) > 3",
    "s",
    "t",
    "s",
    "t * 2",
)
CONSTANTS = (
    "np.int8(3)", "np.uint8(200)", "np.int64(3)", "np.uint64(5)", "np.float16(1.5)", "np.float32(2.5)",
    "np.float64(0.1)", "np.bool(True)",
    "np.int32(-2)", "np.longdouble(3)", "np.complex64(1 + 2j)", "np.complex128(2 - 1j)", "np.array(3)",
    "np.array(2.5, 'f4')", "0", "1", "2", "-1",
    "7", "300", "2 ** 40", "2 ** 63", "0.0", "2.5", "-0.5", "1e300", "float('inf')", "float('nan')", "True", "False",
    "1j", "(1.5 - 2j)",
)  # fmt: skip
BINARY = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=")
UNARY = ("-{}", "+{}", "~{}", "abs({})", "-abs({})", "~({} == 1)", "-(-{})")
CALLS = (
    "divmod({}, {})", "pow({}, {})", "np.add({}, {})", "np.multiply({}, {})", "np.divide({}, {})", "np.power({}, {})",
    "np.maximum({}, {})",
    "np.floor_divide({}, {})", "np.remainder({}, {})", "np.hypot({}, {})", "np.arctan2({}, {})", "np.less({}, {})",
    "np.equal({}, {})",
    "np.logical_and({}, {})", "np.bitwise_xor({}, {})", "np.left_shift({}, {})", "np.where({} > 0, {}, 1)",
    "np.array([{}, {}])",
    "[{}, {}]", "({}, {})", "{{'a': {}, 'b': {}}}", "np.copysign({}, {})", "np.float_power({}, {})", "np.divmod({}, {})",
    "np.gcd({}, {})",
    "np.stack([{}, {}])", "np.hstack([{}, {}])", "sum([{}, {}])", "np.isclose({}, {})", "np.fmin({}, {})",
    "np.nextafter({}, {})",
    "np.result_type({}, {})", "np.clip({}, 0, {})", "{}.clip(0, {})", "np.full(2, {}) + {}", "x * {} + {}",
    "np.minimum.reduce([{}, {}])",
)  # fmt: skip
ONE = (
    "np.negative({})", "np.exp({})", "np.sqrt({})", "np.square({})", "np.sign({})", "np.floor({})", "np.rint({})",
    "np.isnan({})",
    "np.isfinite({})", "np.conj({})", "np.abs({})", "np.invert({})", "np.logical_not({})", "np.reciprocal({})",
    "np.real({})", "np.imag({})",
    "np.angle({})", "np.round({}, 1)", "round({}, 1)", "np.asarray({})", "np.array({})", "np.array([{}])",
    "np.atleast_1d({})", "np.sum({})",
    "np.full(2, {})", "np.full_like(x, {})", "np.ndim({})", "np.shape({})", "np.size({})", "np.ravel({})", "np.copy({})",
    "np.signbit({})",
    "np.trunc({})", "np.modf({})", "np.frexp({})", "np.spacing({})", "np.isrealobj({})", "np.iscomplex({})",
    "np.nan_to_num({})",
    "np.einsum('->', {})", "np.einsum('...', {})", "np.cumsum({})", "np.expand_dims({}, 0)", "np.sum([{}, 1])",
    "np.max([{}, 2])",
    "int({}.real)", "float({}.real)", "complex({})", "isinstance({}, float)", "isinstance({}, np.integer)", "type({})",
    "np.isscalar({})",
    "np.arange(3) * {}", "x[:2] + {}", "np.linspace(0, {}, 3)", "np.sum(x * {})", "np.broadcast_to({}, (2,))",
    "np.zeros(2) + {}",
)  # fmt: skip
METHODS = (
    "all()", "any()", "argmax()", "argmin()", "argsort()", "astype('f4')", "astype('i8')", "astype('c16')",
    "clip(0, 2)",
    "conj()", "conjugate()", "copy()", "cumprod()", "cumsum()", "flatten()", "item()", "item(0)", "max()", "mean()",
    "min()", "nonzero()",
    "prod()", "ravel()", "repeat(2)", "reshape(1)", "reshape(1, 1)", "reshape(())", "reshape(-1)", "round()", "round(1)",
    "squeeze()", "std()",
    "sum()", "sum(axis=None)", "sum(dtype='f8')", "tolist()", "transpose()", "var()", "view()", "view('i4')",
    "view('f4')", "view('u1')",
    "view('i8')", "view('f8')", "dtype", "shape", "ndim", "size", "itemsize", "nbytes", "real", "imag", "T", "strides",
    "setflags()",
    "getfield('i1')", "getfield('f4')", "take(0)", "trace()", "dot(2)", "diagonal()", "swapaxes(0, 0)", "sort()",
    "fill(1)", "choose([1, 2])",
    "compress([True])", "searchsorted(1)", "put(0, 1)", "is_integer()", "bit_count()", "numerator", "denominator",
    "as_integer_ratio()",
    "__add__(1)", "__radd__(2)", "__lt__(1)", "__pow__(2)", "__abs__()", "__neg__()", "__bool__()",
    "__float__()", "__int__()",
    "tobytes()", "hex()", "base", "flat[0]", "data", "flags", "to_device('cpu')", "resize(1)", "__array__()",
    "newbyteorder()", "ptp()",
)  # fmt: skip


class Program:
    """``source`` and the dtypes of ``x`` and ``y``."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.dtypes = rng.choice(DTYPES), rng.choice(DTYPES)
        scope = dict(zip("xyst", self.arguments(np.random.default_rng(0), plain=True), strict=True)) | {"np": np}
        lines: list[str] = []
        scalars: list[str] = []  # the variables that are NumPy's
        for name in [f"v{place}" for place in range(rng.randint(1, 3))]:
            found = None
            for _ in range(4):  # most of what is refused by NumPy is taken back
                expression = self.expression(scalars)
                try:
                    with np.errstate(all="ignore"), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = scope[name] = eval(expression, scope)
                    break
                except Exception:
                    if rng.random() < 0.05:
                        break
            lines.append(f"    {name} = {expression}")
            if isinstance(found, np.generic) or (isinstance(found, np.ndarray) and found.ndim == 0):
                scalars.append(name)
        names = ", ".join(f"v{place}" for place in range(len(lines)))
        self.source = "\n".join(["def f(x, y, s, t):", *lines, f"    return {names},"])

    def operand(self, names: list[str], constants: bool = True) -> str:
        """A scalar of any kind; ``constants``: also one that is known, or a number of Python."""
        pools: list[Any] = [DATA, DATA, *[names] * (2 * bool(names)), *[OF_DATA, SIZES, SIZES, CONSTANTS, CONSTANTS] * constants]
        pool = self.rng.choice(pools)
        value = str(self.rng.choice(pool))
        if self.rng.random() < 0.1 and pool is not CONSTANTS:  # what is known is computed when it is exported, with its warnings
            value = f"np.{self.rng.choice(TYPES)}({value})"
        return value if value.isidentifier() or value[-1] == ")" else f"({value})"

    def expression(self, names: list[str]) -> str:
        """One operator, call, method or constructor of one or two scalars, of which at least one is not known."""
        rng = self.rng
        first = f"np.{rng.choice(TYPES)}({rng.choice(rng.choice((OF_DATA, SIZES)))})"  # a scalar that sizes or numbers of data give
        pair = [first if rng.random() < 0.15 else self.operand(names, False), self.operand(names)]
        rng.shuffle(pair)
        match rng.choice("bbbbbbuccoommmt"):
            case "b":
                return f" {rng.choice(BINARY)} ".join(pair)
            case "u":
                return rng.choice(UNARY).format(self.operand(names, False))
            case "c":
                return rng.choice(CALLS).format(*pair)
            case "o":
                return rng.choice(ONE).format(self.operand(names, False))
            case "m":
                return f"{self.operand(names, False)}.{rng.choice(METHODS)}"
        return f"np.{rng.choice(TYPES)}({rng.choice(rng.choice((DATA, OF_DATA, SIZES)))})"

    def arguments(self, rng: np.random.Generator, plain: bool = False) -> tuple[Any, ...]:
        """Arguments of these dtypes: ``plain`` ones are small; others have the ends of dtypes among them."""
        size = 4 if plain else int(rng.integers(2, 7))
        numbers = tuple(_vector(rng, code, size, plain) for code in self.dtypes)
        if plain:
            return *numbers, 3, 2.5
        return *numbers, int(rng.choice(_INTEGERS)), float(rng.choice(_FLOATS))


_INTEGERS = (2, 3, 5, 7, 100, 200, 300, 70000, 2**31, 2**40)
_FLOATS = (0.5, 2.5, 1.0, 3.0, -1.5, 1e10, 1e300)


def _vector(rng: np.random.Generator, code: str, size: int, plain: bool) -> Any:
    dtype = np.dtype(code)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    if plain:
        return (rng.integers(1, 4, size) + (0.5 if dtype.kind in "fc" else 0)).astype(dtype)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        pool = [int(ends.min), int(ends.max), int(ends.max) // 2, 0, 1, 2, 2, 2, 3, 5]
        return np.array([pool[place] for place in rng.integers(0, len(pool), size)], dtype)
    pool = [0.0, -0.0, 1.0, 2.5, -1.5, np.inf, np.nan, float(np.finfo(dtype).max) if dtype.itemsize < 16 else 1e300, 1e-7, 3.0]
    parts = [rng.choice(pool, size) if rng.random() < 0.5 else rng.standard_normal(size) * 3 for _ in range(2)]
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            found = np.empty(size, dtype)
            found.real, found.imag = parts
            return found
        return parts[0].astype(dtype)
