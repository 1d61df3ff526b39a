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
from npexport.symshapes import floats, limits
from npexport.symshapes.constructors import absolute, float_node, int_function, number_of
from npexport.symshapes.foreign import OPERATORS, SPECIAL_NAMES, comparison, operation
from npexport.symshapes.symbolic import Environment, Symbolic

_TOO_LARGE = "its expression has become too large"


def _too_large(value: E.Expr | E.Float) -> bool:
    return value.weight != 0 and (value.weight > limits.SIZE_WEIGHT or value.depth > limits.SIZE_DEPTH)


def wrap_int(expression: E.Expr, env: Environment) -> Any:
    """An ``int`` where the expression is a constant, else a ``SymInt``."""
    if not expression.terms:
        return expression.const
    expression = env.facts.replace(expression)
    if not expression.terms:
        return expression.const
    if _too_large(expression):
        if env.of_data is not None and env.hint(expression) is None:
            return env.of_data("int", SymInt(expression, env))
        return env.specialize(expression, _TOO_LARGE)
    return SymInt(expression, env)


def wrap_bool(truth: E.Bool, env: Environment) -> Any:
    """A ``bool`` where the truth is decided, else a ``SymBool``."""
    answer = env.facts.decide(truth)
    return SymBool(truth, env) if answer is None else answer


def wrap_float(value: Any, env: Environment) -> Any:
    """A ``float`` where the value is a number, else a ``SymFloat``."""
    if not isinstance(value, E.Float):
        return value
    return env.specialize_float(value, _TOO_LARGE) if _too_large(value) else SymFloat(value, env)


def as_expr(value: Any) -> E.Expr | None:
    """The integer expression that ``value`` is, or ``None``. Truths are 0 and 1 as in Python."""
    kind = value.__class__
    if kind is SymInt:
        expression: E.Expr = value.expression
        return expression
    if kind is int or kind is bool:
        return E.integer(int(value))
    if kind is SymBool:
        return int_function("truth", value.expression)
    return E.integer(int(value)) if isinstance(value, int) else None


def as_float(value: Any) -> Any:
    """The operand of a float operation that ``value`` is: a float, an expression or a ``Float``;
    ``None`` where it is no Python number.

    ``np.float64``, a subclass of ``float``, has a dtype that must not be lost: no Python number.
    """
    if value.__class__ is float:
        return value
    return value.expression if value.__class__ is SymFloat else as_expr(value)


def _float_operation(op: str, a: Any, b: Any, env: Environment) -> Any:
    x, y = as_float(a), as_float(b)
    if x is None or y is None:
        return operation(op, a, b, a if is_symbolic(a) else b)
    if (env.is_data(x) and not (op in _DIVIDES and number_of(y) == 0)) or env.is_data(y) or (op in _DIVIDES and _zero_for_data(y, env)):
        return env.of_data(_PYTHON[op], a, b)  # type: ignore[misc]
    if op in _DIVIDES:
        _refuse_zero(y, env, _DIVIDES[op], 1 if isinstance(x, E.Expr) else 1.0)
    return wrap_float(float_node(op, x, y), env)


def _divmod(a: Any, b: Any, env: Environment) -> Any:
    if as_expr(a) is None or as_expr(b) is None:
        divisor = as_float(b)
        if as_float(a) is None or divisor is None:
            size = a if is_symbolic(a) else b
            quotient = operation("ffloordiv", a, b, size)
            return NotImplemented if quotient is NotImplemented else (quotient, operation("fmod", a, b, size))
        if env.is_data(as_float(a)) or env.is_data(divisor) or _zero_for_data(divisor, env):
            return env.of_data("divmod", a, b)  # type: ignore[misc]
        _refuse_zero(divisor, env, divmod)
    elif _zero_for_data(as_expr(b), env):
        return env.of_data("divmod", a, b)  # type: ignore[misc]
    return a // b, a % b


_DIVIDES: dict[str, Callable[[Any, Any], Any]] = {"fdiv": operator.truediv, "ffloordiv": operator.floordiv, "fmod": operator.mod}
_PYTHON = {"fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "truediv", "ffloordiv": "floordiv", "fmod": "mod"}


def _zero_for_data(divisor: Any, env: Environment) -> bool:
    """Whether a divisor is 0 for some data alone: then the program raises when it runs."""
    if not isinstance(divisor, (E.Expr, E.Float)):
        return False
    return env.of_data_alone(E.eq0(divisor) if isinstance(divisor, E.Expr) else floats.compare("feq", divisor, 0.0))


def _refuse_zero(divisor: Any, env: Environment, operation: Callable[[Any, Any], Any], one: Any = 1.0) -> None:
    """Raise Python's ``ZeroDivisionError`` where the divisor is 0 (at the example: guarded)."""
    if isinstance(divisor, E.Expr):
        if env.evaluate(E.eq0(divisor), "it is a divisor"):
            operation(one, 0)
    elif isinstance(divisor, E.Float):
        if env.evaluate(floats.compare("feq", divisor, 0.0), "it is a divisor"):
            operation(one, 0.0)
    elif divisor == 0:
        operation(one, 0.0)


def _int_operation(name: str, combine: Callable[[E.Expr, E.Expr], E.Expr], floating: str) -> tuple[Any, Any]:
    """The method and its reflection for one integer operator."""

    def forward(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return wrap_int(combine(self.expression, e), self.env) if e is not None else _float_operation(floating, self, other, self.env)

    def reflected(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return wrap_int(combine(e, self.expression), self.env) if e is not None else _float_operation(floating, other, self, self.env)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    return forward, reflected


def _int_division(
    name: str, combine: Callable[[E.Expr, E.Expr], E.Expr], host: Callable[[Any, Any], Any], floating: str
) -> tuple[Any, Any]:
    def divide(a: E.Expr, b: E.Expr, env: Environment) -> Any:
        b = env.facts.replace(b)
        if _zero_for_data(b, env):
            return env.of_data(name, SymInt(a, env), SymInt(b, env))  # type: ignore[misc]
        _refuse_zero(b, env, host, 1)
        return wrap_int(combine(a, env.facts.replace(b)), env)

    def forward(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return divide(self.expression, e, self.env) if e is not None else _float_operation(floating, self, other, self.env)

    def reflected(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return divide(e, self.expression, self.env) if e is not None else _float_operation(floating, other, self, self.env)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    return forward, reflected


def _bit_operation(name: str) -> tuple[Any, Any]:
    shifts = name in ("left_shift", "right_shift")

    def combine(a: E.Expr, b: E.Expr, env: Environment) -> Any:
        if shifts and env.of_data_alone(b < 0):
            return env.of_data(name[0] + "shift", SymInt(a, env), SymInt(b, env))  # type: ignore[misc]
        if shifts and env.evaluate(b < 0, "it is the amount of a shift"):
            raise ValueError("negative shift count")
        return wrap_int(int_function(name, a, b), env)

    def forward(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return operation(name, self, other, self) if e is None else combine(self.expression, e, self.env)

    def reflected(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return operation(name, other, self, self) if e is None else combine(e, self.expression, self.env)

    return forward, reflected


def _comparison(op: str, floating: str, swap: bool) -> Any:
    relation: dict[str, Callable[[E.Expr, E.Expr], E.Bool]] = {
        "ge": lambda a, b: E.ge0(a - b), "gt": lambda a, b: E.ge0(a - b - 1),
        "le": lambda a, b: E.ge0(b - a), "lt": lambda a, b: E.ge0(b - a - 1),
        "eq": E.eq, "ne": E.ne,
    }  # fmt: skip
    compare = relation[op]

    def method(self: Any, other: Any) -> Any:
        if self.__class__ is not SymFloat:
            e = as_expr(other)
            if e is not None:
                return wrap_bool(compare(as_expr(self), e), self.env)  # type: ignore[arg-type]
        x, y = as_float(self), as_float(other)
        if y is None:
            return comparison(getattr(operator, op), self, other)
        return wrap_bool(floats.compare(floating, y, x) if swap else floats.compare(floating, x, y), self.env)

    method.__name__ = f"__{op}__"
    return method


class _Comparable(Symbolic):
    __slots__ = ()
    __lt__ = _comparison("lt", "flt", False)
    __le__ = _comparison("le", "fle", False)
    __gt__ = _comparison("gt", "flt", True)
    __ge__ = _comparison("ge", "fle", True)
    __eq__ = _comparison("eq", "feq", False)
    __ne__ = _comparison("ne", "fne", False)
    __hash__ = Symbolic.__hash__


class SymInt(_Comparable):
    """An integer that depends on sizes.

    ``expression`` is its normal form, ``expr`` that of SymPy, ``hint`` its value at the example.
    """

    __slots__ = ()
    expression: E.Expr

    def _constant(self, reason: str) -> int:
        return self.env.specialize(self.expression, reason)

    __add__, __radd__ = _int_operation("add", lambda a, b: a + b, "fadd")
    __sub__, __rsub__ = _int_operation("sub", lambda a, b: a - b, "fsub")
    __mul__, __rmul__ = _int_operation("mul", lambda a, b: a * b, "fmul")
    __floordiv__, __rfloordiv__ = _int_division("floordiv", E.floordiv, operator.floordiv, "ffloordiv")
    __mod__, __rmod__ = _int_division("mod", E.mod, operator.mod, "fmod")
    __and__, __rand__ = _bit_operation("bit_and")
    __or__, __ror__ = _bit_operation("bit_or")
    __xor__, __rxor__ = _bit_operation("bit_xor")
    __lshift__, __rlshift__ = _bit_operation("left_shift")
    __rshift__, __rrshift__ = _bit_operation("right_shift")

    def __truediv__(self, other: Any) -> Any:
        return _float_operation("fdiv", self, other, self.env)

    def __rtruediv__(self, other: Any) -> Any:
        return _float_operation("fdiv", other, self, self.env)

    def __divmod__(self, other: Any) -> Any:
        return _divmod(self, other, self.env)

    def __rdivmod__(self, other: Any) -> Any:
        return _divmod(other, self, self.env)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        return _power(self, exponent, self.env) if modulus is None else power_modulo(self, exponent, modulus, self.env)

    def __rpow__(self, base: Any, modulus: Any = None) -> Any:
        return _power(base, self, self.env) if modulus is None else power_modulo(base, self, modulus, self.env)

    def __neg__(self) -> Any:
        return wrap_int(-self.expression, self.env)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return wrap_int(-self.expression - 1, self.env)

    def __abs__(self) -> Any:
        if self.env.decide(self.expression >= 0):
            return self
        return wrap_int(absolute(self.expression), self.env)

    def __round__(self, digits: Any = None) -> Any:
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


def _power(base: Any, exponent: Any, env: Environment) -> Any:
    a, b = as_expr(base), as_expr(exponent)
    if a is None or b is None:
        x, y = as_float(base), as_float(exponent)
        if x is None or y is None:
            return operation("fpow", base, exponent, base if is_symbolic(base) else exponent)
        raises = env.is_unknown(x, y) and not (number_of(y) or 0.0) >= 0
        return env.of_data("pow", base, exponent) if raises or env.is_data(x) or env.is_data(y) else _float_power(x, y, env)  # type: ignore[misc]
    if env.of_data_alone(b >= 0) or (b.terms and env.is_data(b)) or (env.is_unknown(a) and env.decide(b >= 0) is False):
        return env.of_data("pow", base, exponent)  # type: ignore[misc]
    if env.evaluate(b >= 0, "it is the exponent of a power"):
        return wrap_int(E.power(a, b), env)
    return _float_power(a, b, env)


def power_modulo(base: Any, exponent: Any, modulus: Any, env: Environment) -> Any:
    """``pow(base, exponent, modulus)``."""
    numbers = [as_expr(value) for value in (base, exponent, modulus)]
    if None in numbers:
        return NotImplemented
    if env.of_data is not None and any(env.hint(number) is None for number in numbers):
        return env.of_data("pow_mod", base, exponent, modulus)
    return _power(base, exponent, env) % modulus


def _float_power(base: Any, exponent: Any, env: Environment) -> Any:
    """A power that is a float; a negative base, whose powers are complex, is refused, but for whole
    exponents."""
    whole = number_of(exponent)
    if whole is not None and whole >= 0 and float(whole).is_integer():
        return wrap_float(float_node("fpow", base, exponent), env)
    if isinstance(base, (E.Expr, E.Float)):
        negative = floats.compare("flt", base, 0.0)
    else:
        negative = E.boolean(base < 0)
    if env.evaluate(negative, "it is the base of a power"):
        raise TypeError("powers of negative sizes are complex numbers, which sizes cannot be")
    return wrap_float(float_node("fpow", base, exponent), env)


class SymBool(_Comparable):
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
    return (lambda self, other: _float_operation(op, self, other, self.env)), (
        lambda self, other: _float_operation(op, other, self, self.env)
    )


class SymFloat(_Comparable):
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
        return _divmod(self, other, self.env)

    def __rdivmod__(self, other: Any) -> Any:
        return _divmod(other, self, self.env)

    def __pow__(self, exponent: Any) -> Any:
        return _power(self, exponent, self.env)

    def __rpow__(self, base: Any) -> Any:
        return _power(base, self, self.env)

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
        positive = self.env.decide(floats.compare("fle", 0.0, self.expression)) is True
        return wrap_int(floats.rounded(how, self.expression, positive), self.env)

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
        return self.env.evaluate(floats.compare("fne", self.expression, 0.0))

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
        exact = floats.quotient(self.expression)
        if exact is None:
            return float(self).is_integer()
        return wrap_bool(E.eq0(E.mod(*exact)), self.env)


for _class, _kind in ((SymInt, int), (SymBool, bool), (SymFloat, float)):
    _class.__name__ = _kind.__name__  # as messages of CPython call what they stand for


def is_symbolic(value: Any) -> bool:
    """Whether ``value`` is a size, truth or float that is not a plain Python number."""
    return isinstance(value, Symbolic)


def python_type(value: Any) -> type:
    """What ``type(value)`` means to the user: ``int``, ``bool``, ``float`` for symbolic values."""
    return {SymInt: int, SymBool: bool, SymFloat: float}.get(value.__class__, type(value))
