"""A number that is Python's after one side of a branch on data, and NumPy's after the other (``step
= 0.0 if done else np.dot(g, g)``).

Law: any operation on such a number gives what eager execution gives for its kind, or is refused.
Beside arrays and scalars with which both kinds give the same dtype (NEP 50), it is the scalar. An
operator on it and a Python number becomes a call of ``ops.py.mixed_operator``. As a result of the
program it gets its kind at run time. Anything else, such as asking for its type or an attribute, is
refused.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.machine_integers import fits_in_64_bits
from npexport.ir.ops.number_kinds import ARITHMETIC, COMPARISONS, KINDS
from npexport.ir.printing import value_text
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, python_type
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, SPECIAL_HAS
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import ASKED, named
from npexport.tracer.interpreter.polyfills import kinds

EXACT = 2**53
"""Integers up to this one are floats without loss."""
_HINT = "Make it one kind on both sides: write np.float64(0.0) for 0.0, or float(...) around what NumPy computes."


class Divided(Unsupported):
    """An operation whose result differs between the kinds of ``number``."""

    number: Mixed | None


class Mixed:
    """``python``: whether the number is of the type ``kind``; ``scalar``: its value as a NumPy
    scalar.

    ``name``: what the program calls it. ``most``: a bound on a Python integer.
    """

    __slots__ = ("kind", "most", "name", "python", "scalar")
    __array_ufunc__ = None  # NumPy leaves operators to it

    def __init__(self, kind: type, python: Any, scalar: ScalarProxy, name: str, most: int = EXACT) -> None:
        self.kind, self.python, self.scalar, self.name, self.most = kind, python, scalar, name, most

    def refuse(self, what: str, divides: bool = True) -> NoReturn:
        """``divides``: whether a branch on its kind is possible instead."""
        either = f"a Python {self.kind.__name__} after one side, and the NumPy scalar {value_text(self.scalar.meta)} after the other"
        refusal = Divided("E103", f"a branch depends on data, and {self.name} is {either}: {what} differs between these", hint=_HINT)
        refusal.number = self if divides else None
        raise refusal

    def beside(self, dtypes: list[np.dtype[Any]], what: str) -> ScalarProxy:
        """The scalar, if both kinds give the same dtype beside arrays of these dtypes."""
        for dtype in dtypes:
            if dtype.kind not in "biufc" or np.result_type(dtype, self.kind(0)) != np.result_type(dtype, self.scalar.dtype):
                self.refuse(f"{what} beside the dtype {dtype}", False)
        return self.scalar

    def operand(self, other: Any, name: str) -> ScalarProxy:
        """The scalar, as an operand of the operator ``name`` beside NumPy's operands."""
        if name not in _BESIDE or (type(other) is not ArrayProxy and other.dtype != self.scalar.dtype):
            self.refuse(f"`{name}` with a NumPy {'array' if type(other) is ArrayProxy else 'scalar'} of the dtype {other.dtype}")
        return self.beside([other.dtype], f"`{name}`")

    def place(self) -> ScalarProxy:
        """The scalar, as an index."""
        if self.kind is not int or self.scalar.dtype != np.int64:
            self.refuse("an index")
        return self.scalar

    def element(self, dtype: np.dtype[Any]) -> ScalarProxy:
        """The scalar, as a new element of an array of this dtype."""
        if dtype != self.scalar.dtype and not (self.scalar.dtype == np.float64 and dtype == np.complex128):
            self.refuse(f"what is written into an array of the dtype {dtype}")
        return self.scalar

    def result(self) -> Any:
        """The number as the caller of the program gets it: of the kind that the data decide."""
        return recorder().call(ops.py.mixed_number, self.kind.__name__, self.python, self.scalar)


_WRITTEN_ALIKE = {(float, np.dtype(np.float64)), (int, np.dtype(np.int64))}


def as_written(value: Any) -> Any:
    """What `str` and `format` write a value as: the scalar, if they write both kinds of a number
    alike.
    """
    return value.scalar if type(value) is Mixed and (value.kind, value.scalar.dtype) in _WRITTEN_ALIKE else value


def number(kind: type, python: Any, scalar: Any, name: str, most: int = EXACT) -> Any:
    """The number; the scalar, where it is known to be that."""
    return scalar if python is False else Mixed(kind, python, scalar, name, most)


class Side:
    """A number after one side: its Python type if it is a Python number, whether it is one, and its
    value.
    """

    def __init__(self, number: Any) -> None:
        self.number = number
        self.mixed = type(number) is Mixed
        scalar = number.scalar if self.mixed else number
        of_numpy = type(scalar) is ScalarProxy or isinstance(scalar, np.generic)
        self.kind = number.kind if self.mixed else None if of_numpy else python_type(number)
        self.dtype = scalar.dtype if of_numpy else None
        self.python = number.python if self.mixed else not of_numpy
        self.most: int = number.most if self.mixed else abs(number) if type(number) is int else 0

    def fits(self, kind: type, dtype: np.dtype[Any]) -> bool:
        """Whether the number equals the NumPy scalar of ``dtype`` if it is Python's ``kind`` on
        this side: a mixed number was checked when it was made.

        A number that a loop carries is assumed to fit while its other properties are found.
        """
        if self.mixed or self.kind is None or kind is not int:
            return True
        fits = type(self.number) is int and abs(self.number) <= EXACT if dtype == np.float64 else fits_in_64_bits(self.number)
        if fits or type(self.number) is not SymInt:
            return fits
        iteration = recorder().session.world.iteration
        if iteration is not None:
            iteration.supposes = fits = True
        return fits

    def scalar(self, dtype: np.dtype[Any]) -> Any:
        """The value as a NumPy scalar: recorded if the number belongs to the graph."""
        if self.mixed or self.dtype is not None:
            return self.number.scalar if self.mixed else self.number
        return dtype.type(self.number) if type(self.number) in KINDS else recorder().call(ops.np.construct, self.number, dtype)


def is_number(value: Any) -> bool:
    """Whether a value may be one side of a mixed number."""
    if type(value) is Mixed or python_type(value) in KINDS:
        return True
    return (type(value) is ScalarProxy or isinstance(value, np.generic)) and value.dtype in _DTYPES


def kind_of(one: Side, other: Side) -> tuple[type, np.dtype[Any]] | None:
    """The Python type and the NumPy dtype of the two sides together; ``None`` unless there is one
    of each, and the same numbers fit both.
    """
    kinds = {side.kind for side in (one, other) if side.kind is not None}
    dtypes = {side.dtype for side in (one, other) if side.dtype is not None}
    if len(kinds) != 1 or len(dtypes) != 1:
        return None
    kind, dtype = kinds.pop(), dtypes.pop()
    alike = dtype == KINDS[kind] or (kind is int and dtype == np.float64)
    return (kind, dtype) if alike and one.fits(kind, dtype) and other.fits(kind, dtype) else None


_DTYPES = frozenset(map(np.dtype, KINDS.values()))


_BESIDE = ARITHMETIC | COMPARISONS | {"truediv", "floordiv", "mod"}
"""Operators that are NumPy's as soon as one operand is: a Python float leaves them to it."""


def _operator(name: str, reflected: bool) -> Callable[..., Any]:
    function = getattr(operator, name)

    def method(self: Mixed, *others: Any) -> Any:
        other = others[0] if others else None
        if isinstance(other, (np.ndarray, np.generic)):
            scalar = self.operand(other, name)
            return function(other, scalar) if reflected else function(scalar, other)
        if not _computes(self, name, others, reflected):
            self.refuse(f"`{name}`")
        numbers = [*others, self] if reflected else [self, *others]
        python = tuple([number.python if type(number) is Mixed else True for number in numbers])
        values = tuple([number.scalar if type(number) is Mixed else number for number in numbers])
        most = _most(name, numbers)
        both = functools.reduce(lambda a, b: a & b, [number.python for number in numbers if type(number) is Mixed])
        result = recorder().call(ops.py.mixed_operator, name, python, values)
        if most is None or name not in ARITHMETIC:
            return Mixed(bool if name in COMPARISONS else float, both, result, f"what `{name}` makes of {self.name}")
        positive = recorder().call(ops.np.where, both, result + 0.0, result)  # integers have no negative zero
        return Mixed(int, both, recorder().call(ops.np.scalar, positive), f"what `{name}` makes of {self.name}", most)

    return method


def _most(name: str, numbers: list[Any]) -> int | None:
    """A bound on the result of an operator on integers; ``None`` if one operand is a float."""
    sizes = [number.most if type(number) is Mixed else abs(number) for number in numbers if type(number) is int or _is_whole(number)]
    if len(sizes) < len(numbers):
        return None
    return math.prod(sizes) if name == "mul" else sum(sizes)


def _is_whole(number: Any) -> bool:
    return type(number) is Mixed and number.kind is int and number.scalar.dtype == np.float64


def _computes(number: Mixed, name: str, others: tuple[Any, ...], reflected: bool) -> bool:
    """Whether an operator returns a float or a truth of the same value for both kinds.

    Division by zero raises for Python's numbers and warns for NumPy's.
    """
    if number.scalar.dtype != np.float64:
        return False
    most = _most(name, [number, *others])
    if name in ARITHMETIC and most is not None:
        return most <= EXACT
    if not others:
        return number.kind is float and name in ARITHMETIC
    (other,) = others
    floating = (type(other) is Mixed and other.kind is float) or python_type(other) is float
    whole = type(other) is int and abs(other) <= EXACT or type(other) is SymInt and other.hint is not None
    if name == "truediv":
        return not reflected and type(other) is not Mixed and (floating or whole) and known(other != 0) is True
    if name in COMPARISONS:
        return floating or whole or _is_whole(other)
    return name in ARITHMETIC and (floating or ((whole or _is_whole(other)) and number.kind is float))


def _refusing(name: str) -> Callable[..., NoReturn]:
    def method(self: Mixed, *args: Any, **kwargs: Any) -> NoReturn:
        self.refuse(f"`{name}`")

    return method


def _attribute(vm: Machine, number: Mixed, name: str, then: Any) -> Any:
    """The attribute of each kind, on the sides of a branch on the kind."""
    return vm.call(kinds.attribute_of_either_kind, (number.python, number.kind, number.scalar, name), {}, then)


def _has(number: Mixed, name: str) -> NoReturn:
    number.refuse(f"the attribute {name!r}")


_REFUSED = """float int complex index bool len iter round trunc floor ceil contains getitem setitem delitem call invert next enter exit
reduce_ex repr str format hash"""


def _install() -> None:
    for name in "truediv floordiv mod divmod pow matmul lshift rshift and or xor".split():
        setattr(Mixed, f"__{name}__", _refusing(name))
        setattr(Mixed, f"__r{name}__", _refusing(name))
    for name in _REFUSED.split():
        setattr(Mixed, f"__{name}__", _refusing(name))
    for name in _BESIDE:
        setattr(Mixed, f"__{name}__", _operator(name, reflected=False))
        setattr(Mixed, f"__r{name}__", _operator(name, reflected=True))


_install()
named(Mixed, "number of one of several kinds")
ASKED.add(Mixed)
SPECIAL_GETTERS[Mixed] = _attribute
SPECIAL_HAS[Mixed] = _has
coercion.CONVERSIONS[Mixed] = lambda number: number.refuse("an array of it")
