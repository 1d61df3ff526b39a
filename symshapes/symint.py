"""Sizes as Python values: ``SymInt``, ``SymBool`` and ``SymFloat`` wrap an expression and its
``ShapeEnv``.

Operators build expressions; a result that is a constant is a plain ``int``, ``bool`` or ``float``,
and so is a comparison that the facts decide. ``bool(n < 3)`` asks the environment (which may record
a guard). What C must know as a number (``__index__``, ``__int__``, ``__hash__``, ``__str__``,
``__format__``) *specialises*: the size becomes a constant with a guard that names the line and the
reason. So a ``SymInt`` as a dict key is the number that it is; code of npexport that wants a key
per expression uses ``n.expression``, which never specialises, and prints with
``str(n.expression)``. ``n == m`` is a ``SymBool`` (or a plain truth), never identity. After
``env.close()`` a size prints as its expression.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import floats, overflow
from npexport.symshapes.constructors import absolute, float_node, int_function
from npexport.symshapes.foreign import OPERATORS, SPECIAL_NAMES, operation
from npexport.symshapes.semantics import INT_FUNCTIONS
from npexport.symshapes.size_arithmetic import (
    bit_operation,
    comparison,
    float_operation,
    int_division,
    int_operation,
    power_modulo,
    power_of,
    quotient_and_remainder,
)
from npexport.symshapes.symbolic import Symbolic
from npexport.symshapes.wrapping import as_expr, as_float, settled, wrap_bool, wrap_float, wrap_int


class _Comparable(Symbolic):
    __slots__ = ()
    __lt__ = comparison("lt", "flt", False)
    __le__ = comparison("le", "fle", False)
    __gt__ = comparison("gt", "flt", True)
    __ge__ = comparison("ge", "fle", True)
    __eq__ = comparison("eq", "feq", False)
    __ne__ = comparison("ne", "fne", False)
    __hash__ = Symbolic.__hash__


class SymInt(_Comparable, python=int):
    """An integer that depends on sizes.

    ``expression`` is its normal form, ``expr`` that of SymPy, ``hint`` its value at the example.
    """

    __slots__ = ()
    expression: E.Expr

    def _constant(self, reason: str) -> int:
        return self.env.specialize(self.expression, reason)

    __add__, __radd__ = int_operation("add", lambda a, b: a + b, "fadd")
    __sub__, __rsub__ = int_operation("sub", lambda a, b: a - b, "fsub")
    __mul__, __rmul__ = int_operation("mul", lambda a, b: a * b, "fmul")
    __floordiv__, __rfloordiv__ = int_division("floordiv", E.floordiv, operator.floordiv, "ffloordiv")
    __mod__, __rmod__ = int_division("mod", E.mod, operator.mod, "fmod")
    __and__, __rand__ = bit_operation("bit_and")
    __or__, __ror__ = bit_operation("bit_or")
    __xor__, __rxor__ = bit_operation("bit_xor")
    __lshift__, __rlshift__ = bit_operation("left_shift")
    __rshift__, __rrshift__ = bit_operation("right_shift")

    def __truediv__(self, other: Any) -> Any:
        return float_operation("fdiv", self, other, self.env)

    def __rtruediv__(self, other: Any) -> Any:
        return float_operation("fdiv", other, self, self.env)

    def __divmod__(self, other: Any) -> Any:
        return quotient_and_remainder(self, other, self.env)

    def __rdivmod__(self, other: Any) -> Any:
        return quotient_and_remainder(other, self, self.env)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        return power_of(self, exponent, self.env) if modulus is None else power_modulo(self, exponent, modulus, self.env)

    def __rpow__(self, base: Any, modulus: Any = None) -> Any:
        return power_of(base, self, self.env) if modulus is None else power_modulo(base, self, modulus, self.env)

    def __neg__(self) -> Any:
        return wrap_int(-self.expression, self.env)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return wrap_int(-self.expression - 1, self.env)

    def __abs__(self) -> Any:
        if self.env.decide(self.expression >= 0):
            return self
        if self.env.decide(self.expression <= 0):
            return -self
        return wrap_int(absolute(self.expression), self.env)

    def __round__(self, digits: Any = None) -> Any:
        digits = digits if digits is None or isinstance(digits, SymInt) else operator.index(digits)
        if digits is None or self.env.evaluate(_required(as_expr(digits)) >= 0, "it is the number of digits to round to"):
            return self
        if self.env.is_data(self.expression):
            return self.env.of_data("round_to", self, digits)  # type: ignore[misc]
        return round(self._constant("it is rounded to tens"), operator.index(digits))

    def __trunc__(self) -> Any:
        return self

    __floor__ = __ceil__ = __trunc__

    def __bool__(self) -> bool:
        return self.env.evaluate(E.ne0(self.expression))

    def __index__(self) -> int:
        return self._constant("its value is needed as a plain integer")

    __int__ = __index__

    def __float__(self) -> float:
        return float(self._constant("its value is needed as a plain float"))

    def __complex__(self) -> complex:
        return complex(self._constant("its value is needed as a plain complex number"))

    @property
    def real(self) -> Any:
        return self

    numerator = real

    @property
    def imag(self) -> int:
        return 0

    @property
    def denominator(self) -> int:
        return 1

    def conjugate(self) -> Any:
        return self

    def is_integer(self) -> bool:
        return True

    def as_integer_ratio(self) -> Any:
        return self, 1

    def bit_length(self) -> Any:
        return wrap_int(int_function("bit_length", self.expression), self.env)

    def bit_count(self) -> Any:
        if self.env.is_data(self.expression):
            return self.env.of_data("bit_count", self)  # type: ignore[misc]
        return self._constant("its bits are counted").bit_count()

    def to_bytes(self, *args: Any, **kwargs: Any) -> bytes:
        return self._constant("its bytes are used").to_bytes(*args, **kwargs)


def _required(value: E.Expr | None) -> E.Expr:
    if value is None:
        raise TypeError("an integer is required")
    return value


class SymBool(_Comparable, python=bool):
    """A truth about sizes; ``bool()`` of it asks the environment. It counts as 0 or 1 in
    arithmetic, as Python's truths do."""

    __slots__ = ()
    expression: E.Bool

    def _constant(self, reason: str) -> bool:
        return self.env.evaluate(self.expression, reason)

    def __bool__(self) -> bool:
        return self.env.evaluate(self.expression)

    def __index__(self) -> int:
        return int(self.env.evaluate(self.expression, "its value is needed as a plain integer"))

    __int__ = __index__

    def __float__(self) -> float:
        return float(bool(self))

    def __and__(self, other: Any) -> Any:
        return _logical(self, other, E.conjunction, "bit_and")

    def __or__(self, other: Any) -> Any:
        return _logical(self, other, E.disjunction, "bit_or")

    def __xor__(self, other: Any) -> Any:
        return _logical(self, other, _exclusive, "bit_xor")

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __neg__(self) -> Any:
        return -self._number()

    def __pos__(self) -> Any:
        return self._number()

    def __invert__(self) -> Any:
        return ~self._number()

    __abs__ = __trunc__ = __floor__ = __ceil__ = conjugate = __pos__

    def __round__(self, digits: Any = None) -> Any:
        return round(self._number(), digits)

    def __divmod__(self, other: Any) -> Any:
        return divmod(self._number(), other)

    def __rdivmod__(self, other: Any) -> Any:
        return divmod(other, self._number())

    @property
    def real(self) -> Any:
        return self._number()

    numerator = real

    @property
    def imag(self) -> int:
        return 0

    @property
    def denominator(self) -> int:
        return 1

    def _number(self) -> Any:
        return wrap_int(int_function("truth", self.expression), self.env)


def _exclusive(pair: tuple[E.Bool, E.Bool]) -> E.Bool:
    a, b = pair
    return (a & ~b) | (~a & b)


def _logical(self: SymBool, other: Any, combine: Callable[[tuple[E.Bool, E.Bool]], E.Bool], op: str) -> Any:
    if isinstance(other, bool):
        return wrap_bool(combine((self.expression, E.boolean(other))), self.env)
    if isinstance(other, SymBool):
        return wrap_bool(combine((self.expression, other.expression)), self.env)
    return OPERATORS[op](self._number(), other) if as_expr(other) is not None else operation(op, self, other, self)


def _as_number(name: str, op: str) -> tuple[Any, Any]:
    method: Callable[..., Any] = getattr(operator, name)

    def forward(self: SymBool, other: Any) -> Any:
        return method(self._number(), other) if as_float(other) is not None else operation(op, self, other, self)

    def reflected(self: SymBool, other: Any) -> Any:
        return method(other, self._number()) if as_float(other) is not None else operation(op, other, self, self)

    return forward, reflected


for _op, _name in SPECIAL_NAMES.items():
    if _name not in ("and", "or", "xor"):
        for _prefix, _method in zip(("__", "__r"), _as_number(_name, _op), strict=True):
            setattr(SymBool, f"{_prefix}{_name}__", _method)


def _float_methods(op: str) -> tuple[Any, Any]:
    return (lambda self, other: float_operation(op, self, other, self.env)), (
        lambda self, other: float_operation(op, other, self, self.env)
    )


class SymFloat(_Comparable, python=float):
    """A float computed from sizes by Python's float operations, each exactly as Python does it."""

    __slots__ = ()
    expression: E.Float

    def _constant(self, reason: str) -> float:
        return self.env.specialize_float(self.expression, reason)

    __add__, __radd__ = _float_methods("fadd")
    __sub__, __rsub__ = _float_methods("fsub")
    __mul__, __rmul__ = _float_methods("fmul")
    __truediv__, __rtruediv__ = _float_methods("fdiv")
    __floordiv__, __rfloordiv__ = _float_methods("ffloordiv")
    __mod__, __rmod__ = _float_methods("fmod")

    def __divmod__(self, other: Any) -> Any:
        return quotient_and_remainder(self, other, self.env)

    def __rdivmod__(self, other: Any) -> Any:
        return quotient_and_remainder(other, self, self.env)

    def __pow__(self, exponent: Any) -> Any:
        return power_of(self, exponent, self.env)

    def __rpow__(self, base: Any) -> Any:
        return power_of(base, self, self.env)

    def __neg__(self) -> Any:
        return self._of_data("neg") if self._is_data else wrap_float(float_node("fneg", self.expression), self.env)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._of_data("abs") if self._is_data else wrap_float(float_node("fabs", self.expression), self.env)

    @property
    def _is_data(self) -> bool:
        return self.env.is_data(self.expression)

    def _of_data(self, name: str, *args: Any) -> Any:
        return self.env.of_data(name, self, *args)  # type: ignore[misc]

    def _rounded(self, how: str) -> Any:
        if self._is_data:
            return self._of_data(how)
        small = self.env.is_exact_float
        if self.env.traces and floats.quotient(self.expression, small) is None:
            finite = overflow.is_finite(self.expression, self.env.facts.ranges)
            if self.env.of_data_alone(finite):
                return self._of_data(how)
            if not settled(finite, self.expression, self.env):
                return INT_FUNCTIONS[how](self.hint)
        positive = self.env.decide(floats.compare("fle", 0.0, self.expression, small)) is True
        return wrap_int(floats.rounded(how, self.expression, positive, small), self.env)

    def __trunc__(self) -> Any:
        return self._rounded("trunc")

    def __floor__(self) -> Any:
        return self._rounded("floor")

    def __ceil__(self) -> Any:
        return self._rounded("ceil")

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return self._rounded("round")
        if self._is_data:
            return self._of_data("round_to", operator.index(digits))
        return wrap_float(float_node("ndigits", self.expression, operator.index(digits)), self.env)

    def __bool__(self) -> bool:
        return self.env.evaluate(floats.compare("fne", self.expression, 0.0, self.env.is_exact_float))

    def __float__(self) -> float:
        return self._constant("its value is needed as a plain float")

    def __int__(self) -> int:
        return operator.index(self._rounded("trunc"))

    def __complex__(self) -> complex:
        return complex(float(self))

    @property
    def real(self) -> Any:
        return self

    @property
    def imag(self) -> float:
        return 0.0

    def conjugate(self) -> Any:
        return self

    def as_integer_ratio(self) -> Any:
        return self._of_data("as_integer_ratio") if self._is_data else float(self).as_integer_ratio()

    def is_integer(self) -> Any:
        if self._is_data:
            return self._of_data("is_integer")
        exact = floats.quotient(self.expression, self.env.is_exact_float)
        if exact is None:
            return float(self).is_integer()
        return wrap_bool(E.eq0(E.mod(*exact)), self.env)


def is_symbolic(value: Any) -> bool:
    """Whether ``value`` is a size, truth or float that is not a plain Python number."""
    return issubclass(type(value), Symbolic)


def is_unbacked(value: Any) -> bool:
    """Whether ``value`` is a size, truth or float that only the data know: it has no example."""
    return issubclass(type(value), Symbolic) and value.hint is None


def python_type(value: Any) -> type:
    """What ``type(value)`` means to the user: ``int``, ``bool``, ``float`` for symbolic values."""
    return value.python if is_symbolic(value) else type(value)
