"""Python complex numbers that depend on data or sizes: ``complex(x[0], x[1])``, ``-2j / n``.

Such a number is a pair of floats, at least one of which only the program knows when it runs. What
Python's own operations make of it is computed by Python at run time (``ops.py.complex_pair`` and
its kin). To be joined, carried or returned, it is taken apart into these two.

Beside arrays it is a NumPy scalar, of the dtype that NumPy gives a Python complex number there (NEP
50). Anything else that C would read of it is refused; where sizes alone tell the number, these
become constants.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.containers import register_complex
from npexport.ir.ops.complex_numbers import PAIRS, TRUTHS
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_float
from npexport.symshapes.immutable import Immutable
from npexport.symshapes.symint import is_symbolic, is_unbacked, python_type
from npexport.tracer.arrays.core import coercion, numpy_oracle
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import Proxy, ScalarProxy, as_number
from npexport.tracer.bytecode.host import SUMS_OF_ALL_ARE_COMPENSATED
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, SPECIAL_HAS
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import ASKED, stands_in_for

_HINT = "Compute with NumPy's scalar (z[0] in place of complex(z[0])), or return the number and go on where the program is called."
_REALS = (bool, int, float)
_UFUNCS = {
    "add": ops.np.add, "sub": ops.np.subtract, "mul": ops.np.multiply, "truediv": ops.np.divide, "pow": ops.np.power, "eq": ops.np.equal,
    "ne": ops.np.not_equal,
}  # fmt: skip


Made = tuple[Callable[..., complex], tuple[Any, ...]]
"""A function, and the operands that are known where sizes are."""


class Complex(Immutable):
    """A Python complex number that depends on data or sizes, as two floats.

    ``made`` says how it is made of what sizes tell, if that is all.
    """

    __slots__ = ("_known", "_made", "imag", "real")
    __array_ufunc__ = None  # NumPy leaves operators to it

    def __init__(self, real: Any, imag: Any, made: Made | None = None) -> None:
        self.real, self.imag = real, imag
        self._made = made
        self._known: complex | None = None

    @property
    def is_of_sizes(self) -> bool:
        """Whether sizes alone tell the number."""
        return self._made is not None

    def constant(self) -> complex | None:
        """The number, whose sizes become constants; ``None`` where data tell it."""
        if self._known is None and self._made is not None:
            function, operands = self._made
            self._known = function(*map(_constant, operands))
        return self._known

    __class__ = complex  # type: ignore[assignment]

    def conjugate(self) -> Any:
        return number(self.real, -self.imag, _made(complex.conjugate, (self,)))

    def __pos__(self) -> Any:
        return self

    def __neg__(self) -> Any:
        return number(-self.real, -self.imag, _made(operator.neg, (self,)))

    def __abs__(self) -> Any:
        return _computed(ops.py.complex_float, "abs", (self,))

    def refuse(self, what: str) -> NoReturn:
        raise Unsupported("E104", f"{_READ}{what}", hint=_HINT)

    def beside(self, dtypes: list[np.dtype[Any]], what: str) -> Any:
        """The scalar that NumPy makes of it beside arrays and scalars of these dtypes."""
        dtype = np.dtype(complex)
        for other in dtypes:
            if other.kind not in "biufc":
                self.refuse(f"{what} meets an array of the dtype {other}")
        if dtypes:
            dtype = np.result_type(*dtypes, 1j)
        return self.scalar(dtype)

    def operand(self, other: Any, name: str) -> Any:
        """The scalar, as an operand of the operator ``name`` beside NumPy's operands."""
        return self.beside([other.dtype], f"`{name}`")

    def place(self) -> NoReturn:
        """As an index it is an error."""
        raise IndexError(_not_an_index())

    def element(self, dtype: np.dtype[Any]) -> Any:
        """The scalar, as a new element of an array of this dtype. Where NumPy takes no complex
        number, any stands for it.
        """
        if dtype.kind in "iuf":
            return 1j
        if dtype.kind != "c":
            self.refuse(f"it is written into an array of the dtype {dtype}")
        return self.scalar(np.dtype(complex))

    def scalar(self, dtype: np.dtype[Any]) -> Any:
        """A scalar of this dtype: its parts lie side by side in memory, since arithmetic would make
        NaN of infinite ones.
        """
        rec = recorder()
        parts = [coercion.array_of(part, np.dtype(float)) for part in (self.real, self.imag)]
        pair = rec.call(ops.np.view_dtype, rec.call(ops.np.stack, parts), np.dtype(complex))
        whole = rec.call(ops.np.reshape, pair, ())
        return rec.call(ops.np.scalar, whole if dtype == whole.dtype else rec.call(ops.np.astype, whole, dtype))

    def result(self) -> NoReturn:
        raise AssertionError("a complex number is taken apart where it leaves the program")


def _not_an_index() -> str:
    try:
        np.empty(1)[1j]  # type: ignore[call-overload]
    except IndexError as error:
        return str(error)
    raise AssertionError("complex numbers are not indices")


def number(real: Any, imag: Any, made: Made | None = None) -> Any:
    """The complex number of two floats: Python's own where both are known."""
    if is_symbolic(real) or is_symbolic(imag):
        recorder().session.world.mixes = True
        return Complex(real, imag, made or _made(complex, (real, imag)))
    return complex(real, imag)


def _made(function: Callable[..., Any], operands: tuple[Any, ...]) -> Made | None:
    of_sizes = all(item.is_of_sizes if type(item) is Complex else not is_unbacked(item) for item in operands)
    return (function, operands) if of_sizes else None


def _constant(value: Any) -> Any:
    return value.constant() if type(value) is Complex else python_type(value)(value) if is_symbolic(value) else value


def parts_of(value: Any) -> tuple[Any, Any]:
    """The parts of a complex number."""
    return value.real, value.imag


def is_complex(value: Any) -> bool:
    """Whether a value is a complex number of Python."""
    return type(value) in (complex, Complex)


def are_summed_as_complex(values: Any = (), /, start: Any = 0, *rest: Any, **named: Any) -> bool:
    """Whether ``sum`` adds up rounding errors of complex numbers: it is given Python's numbers
    alone in a sequence, and one is a complex number of data. It takes no other arguments.
    """
    if not SUMS_OF_ALL_ARE_COMPENSATED or type(values) not in (list, tuple) or rest or named:
        return False
    kinds = set(map(python_type, (*values, start)))
    return Complex in kinds and kinds <= {*_REALS, complex, Complex} and type(start) is not bool


def of_proxy(proxy: Proxy) -> Any:
    """The only element of an array of complex numbers, as a Python number."""
    what = "complex()"
    parts = [recorder().call(op, proxy) for op in (ops.np.real, ops.np.imag)]
    return number(*[sym_float(as_number(part, what)) for part in parts])


def operand_of(value: Any) -> Any:
    """A Python number as an argument of the operators: for a complex number its parts."""
    return parts_of(value) if is_complex(value) else value


def _computed(op: Any, name: str, operands: tuple[Any, ...]) -> Any:
    return recorder().node(op, (name, tuple(map(operand_of, operands)))).meta["val"]


def pair(name: str, *operands: Any) -> tuple[Any, Any]:
    """The two floats that the operation ``name`` returns."""
    return _computed(ops.py.complex_pair, name, operands)


def computed(name: str, *operands: Any) -> Any:
    """The complex number that Python's operation ``name`` makes of numbers."""
    floats = tuple([sym_float(item) if is_symbolic(item) and not is_unbacked(item) else item for item in operands])
    return number(*pair(name, *floats), _made(PAIRS[name], floats))


def floating(name: str, *operands: Any) -> Any:
    """The float that it computes of them."""
    return _computed(ops.py.complex_float, name, operands)


def truth(name: str, *operands: Any) -> Any:
    """The truth that it computes of them: sizes that alone tell it become constants."""
    if _made(TRUTHS[name], operands) is not None:
        return TRUTHS[name](*map(_constant, operands))
    return _computed(ops.py.complex_truth, name, operands)


def truth_of(value: Complex) -> Any:
    """Whether it is not zero."""
    return truth("ne", value, 0)


def _python(value: Any) -> Any:
    """A Python number beside a complex one, NumPy floats included; else ``NotImplemented``."""
    if is_complex(value) or python_type(value) in _REALS or (isinstance(value, _REALS) and not isinstance(value, np.generic)):
        return value
    if type(value) is ScalarProxy and value.dtype == np.float64:
        return sym_float(as_number(value, "an operand"))
    return float(value) if type(value) is np.float64 else NotImplemented


def binary(name: str, left: Any, right: Any) -> Any:
    """A binary operator of two numbers, one of which is a complex one of data."""
    one, other = _python(left), _python(right)
    if one is NotImplemented or other is NotImplemented:
        return NotImplemented
    return truth(name, one, other) if name in ("eq", "ne") else computed(name, one, other)


def _operator(name: str, reflected: bool) -> Callable[..., Any]:
    function = getattr(operator, name)

    def method(self: Complex, other: Any, *modulus: Any) -> Any:
        if modulus:
            (1j).__pow__(1, *modulus)  # raises
        numpys = isinstance(other, np.ndarray) or (isinstance(other, np.generic) and other.dtype != np.float64)
        if numpys or (isinstance(other, np.generic) and reflected):
            scalar = self.operand(other, name)
            by_ufunc = isinstance(other, np.generic) and other.dtype.kind != "c"  # NumPy's scalars leave it to them
            compute = functools.partial(recorder().call, _UFUNCS[name]) if by_ufunc else function
            return compute(other, scalar) if reflected else compute(scalar, other)
        return binary(name, other, self) if reflected else binary(name, self, other)

    return method


def _attribute(vm: Machine, value: Complex, name: str, then: Any) -> Any:
    if name in ("real", "imag", "conjugate", "__class__"):
        return getattr(value, name)
    if not hasattr(complex, name):
        return getattr(1j, name)
    method = getattr(value, name, None) if name in vars(Complex) else None
    if method is None and value.is_of_sizes:
        return getattr(value.constant(), name)
    if method is None:
        value.refuse(f"its attribute {name!r} is used")
    return method


def _has(value: Complex, name: str) -> bool:
    return hasattr(0j, name)


def _of_constant(name: str, code: str, what: str) -> Callable[..., Any]:
    """A method that C asks for the number itself."""

    def method(self: Complex, *args: Any) -> Any:
        known = self.constant()
        if known is None:
            raise Unsupported(code, what, hint=_HINT)
        return getattr(known, name)(*args)

    return method


_READ = "a complex number of Python depends on data, and "
for _name, _what in (
    ("__complex__", "C code that npexport does not know reads its value"),
    ("__hash__", "it is used as a key of a dict or member of a set"),
    ("__reduce_ex__", "it is pickled"),
):
    setattr(Complex, _name, _of_constant(_name, "E104", _READ + _what))
for _name in ("__str__", "__repr__", "__format__"):
    setattr(Complex, _name, _of_constant(_name, "E114", "a complex number of Python that depends on data is turned into text"))
Complex.__bool__ = _of_constant("__bool__", "E103", "a branch depends on a complex number of data")  # type: ignore[attr-defined]
for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Complex, f"__{_name}__", _operator(_name, reflected=False))
    setattr(Complex, f"__r{_name}__", _operator(_name, reflected=True))
for _name in ("eq", "ne"):
    setattr(Complex, f"__{_name}__", _operator(_name, reflected=False))
Complex.__qualname__ = "complex"
stands_in_for(Complex, complex)
ASKED.add(Complex)
SPECIAL_GETTERS[Complex] = _attribute
SPECIAL_HAS[Complex] = _has
numpy_oracle.CONVERSIONS[Complex] = lambda stand_in, value: complex(stand_in(value.real), stand_in(value.imag))
coercion.CONVERSIONS[Complex] = lambda value: value.scalar(np.dtype(complex))
register_complex(Complex, number)
