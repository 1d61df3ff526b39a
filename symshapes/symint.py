"""Sizes as Python values: ``SymInt``, ``SymBool`` and ``SymFloat`` wrap an expression and its ``ShapeEnv``.

Operators build expressions; a result that is a constant is a plain ``int``, ``bool`` or ``float``, and so is a comparison that the
facts decide.
``bool(n < 3)`` asks the environment (which may record a guard). What C must know as a number (``__index__``, ``__int__``, ``__hash__``,
``__str__``,
``__format__``) *specialises*: the size becomes a constant with a guard that names the line and the reason. So a ``SymInt`` as a dict key
is the number that it is; code of npexport that wants a key per expression uses ``n.expr``, which never specialises, and prints with
``str(n.expr)``.
``n == m`` is a ``SymBool`` (or a plain truth), never identity. After ``env.close()`` a size prints as its expression.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from npexport.symshapes import expr as E
from npexport.symshapes import floats
from npexport.symshapes.applied import absolute, float_node, int_function, number_of
from npexport.symshapes.arithmetic import FLOAT_OPERATORS

if TYPE_CHECKING:
    from npexport.symshapes.env import ShapeEnv


class _Symbolic:
    """What the three classes share."""

    __slots__ = ("env", "expr")
    __array_ufunc__ = None  # NumPy's own scalars and arrays hand operators over instead of making object arrays
    expr: Any
    env: ShapeEnv

    def __init__(self, expr: Any, env: ShapeEnv) -> None:
        self.expr = expr
        self.env = env

    @property
    def hint(self) -> Any:
        """The value at the example inputs; ``None`` where only the data know."""
        return self.env.hint(self.expr)

    def _constant(self, reason: str) -> Any:
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.expr) if self.env.closed else str(self._constant("its text is used"))

    def __repr__(self) -> str:
        return str(self.expr) if self.env.closed else repr(self._constant("its text is used"))

    def __format__(self, spec: str) -> str:
        return format(str(self.expr), spec) if self.env.closed else format(self._constant("its text is used"), spec)

    def __hash__(self) -> int:
        return hash(self.expr) if self.env.closed else hash(self._constant("it is used as a key of a dict or member of a set"))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


_MAX_WEIGHT, _MAX_DEPTH = 1000, 40
_TOO_LARGE = "its expression has become too large"


def _too_large(value: E.Expr | E.Float) -> bool:
    return value.weight != 0 and (value.weight > _MAX_WEIGHT or value.depth > _MAX_DEPTH)


def wrap_int(expression: E.Expr, env: ShapeEnv) -> Any:
    """An ``int`` where the expression is a constant, else a ``SymInt``."""
    if not expression.terms:
        return expression.const
    expression = env.facts.replace(expression)
    if not expression.terms:
        return expression.const
    if _too_large(expression):
        return env.specialize(expression, _TOO_LARGE)
    return SymInt(expression, env)


def wrap_bool(truth: E.Bool, env: ShapeEnv) -> Any:
    """A ``bool`` where the truth is decided, else a ``SymBool``."""
    answer = env.facts.decide(truth)
    return SymBool(truth, env) if answer is None else answer


def wrap_float(value: Any, env: ShapeEnv) -> Any:
    """A ``float`` where the value is a number, else a ``SymFloat``."""
    if not isinstance(value, E.Float):
        return value
    return env.specialize_float(value, _TOO_LARGE) if _too_large(value) else SymFloat(value, env)


def as_expr(value: Any) -> E.Expr | None:
    """The integer expression that ``value`` is, or ``None``. Truths are 0 and 1 as in Python."""
    kind = value.__class__
    if kind is SymInt:
        expression: E.Expr = value.expr
        return expression
    if kind is int or kind is bool:
        return E.integer(int(value))
    if kind is SymBool:
        return int_function("truth", value.expr)
    return E.integer(int(value)) if isinstance(value, int) else None


def as_float(value: Any) -> Any:
    """The operand of a float operation that ``value`` is: a float, an expression or a ``Float``; ``None`` where it is no Python number.

    ``np.float64`` is a subclass of ``float`` with a dtype that must not be lost; it is no Python number.
    """
    if value.__class__ is float:
        return value
    return value.expr if value.__class__ is SymFloat else as_expr(value)


def _unknown(op: str, a: Any, b: Any, env: ShapeEnv) -> Any:
    """The result where one operand is no real number of Python: NumPy's scalars are known to the tracer, next to a complex number a size is
    a constant, all others may know themselves.
    """
    if type(a) is complex or type(b) is complex:
        return FLOAT_OPERATORS[op](*[value if type(value) is complex else complex(value) for value in (a, b)])
    return env.foreign(op, a, b) if _is_numpy_scalar(a) or _is_numpy_scalar(b) else NotImplemented


def _is_numpy_scalar(value: Any) -> bool:
    return type(value).__module__ == "numpy" and hasattr(value, "item") and value.shape == ()


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python number that it equals."""
    return value.item() if _is_numpy_scalar(value) and value.dtype.kind in "biuf" else value


def _float_operation(op: str, a: Any, b: Any, env: ShapeEnv) -> Any:
    x, y = as_float(a), as_float(b)
    if x is None or y is None:
        return _unknown(op, a, b, env)
    if op in _DIVIDES:
        _refuse_zero(y, env, _DIVIDES[op], 1 if isinstance(x, E.Expr) else 1.0)
    return wrap_float(float_node(op, x, y), env)


def _divmod(a: Any, b: Any, env: ShapeEnv) -> Any:
    if as_expr(a) is None or as_expr(b) is None:
        divisor = as_float(b)
        if as_float(a) is None or divisor is None:
            quotient = _unknown("ffloordiv", a, b, env)
            return NotImplemented if quotient is NotImplemented else (quotient, _unknown("fmod", a, b, env))
        _refuse_zero(divisor, env, divmod)
    return a // b, a % b


_DIVIDES: dict[str, Callable[[Any, Any], Any]] = {"fdiv": operator.truediv, "ffloordiv": operator.floordiv, "fmod": operator.mod}


def _refuse_zero(divisor: Any, env: ShapeEnv, operation: Callable[[Any, Any], Any], one: Any = 1.0) -> None:
    """Raise Python's own ``ZeroDivisionError`` where the divisor is 0 (at the example: guarded either way)."""
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
        return wrap_int(combine(self.expr, e), self.env) if e is not None else _float_operation(floating, self, other, self.env)

    def reflected(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return wrap_int(combine(e, self.expr), self.env) if e is not None else _float_operation(floating, other, self, self.env)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    return forward, reflected


def _int_division(
    name: str, combine: Callable[[E.Expr, E.Expr], E.Expr], host: Callable[[Any, Any], Any], floating: str
) -> tuple[Any, Any]:
    def divide(a: E.Expr, b: E.Expr, env: ShapeEnv) -> Any:
        b = env.facts.replace(b)
        _refuse_zero(b, env, host, 1)
        return wrap_int(combine(a, env.facts.replace(b)), env)

    def forward(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return divide(self.expr, e, self.env) if e is not None else _float_operation(floating, self, other, self.env)

    def reflected(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return divide(e, self.expr, self.env) if e is not None else _float_operation(floating, other, self, self.env)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    return forward, reflected


def _bit_operation(combine: Callable[[E.Expr, E.Expr, ShapeEnv], E.Expr]) -> tuple[Any, Any]:
    def forward(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return NotImplemented if e is None else wrap_int(combine(self.expr, e, self.env), self.env)

    def reflected(self: SymInt, other: Any) -> Any:
        e = as_expr(other)
        return NotImplemented if e is None else wrap_int(combine(e, self.expr, self.env), self.env)

    return forward, reflected


def _shift(name: str) -> Callable[[E.Expr, E.Expr, ShapeEnv], E.Expr]:
    def combine(a: E.Expr, b: E.Expr, env: ShapeEnv) -> E.Expr:
        if env.evaluate(b < 0, "it is the amount of a shift"):
            raise ValueError("negative shift count")
        return int_function(name, a, b)

    return combine


def _comparison(op: str, floating: str, swap: bool) -> Any:
    relation: dict[str, Callable[[E.Expr, E.Expr], E.Bool]] = {
        "ge": lambda a, b: E.ge0(a - b), "gt": lambda a, b: E.ge0(a - b - 1),
        "le": lambda a, b: E.ge0(b - a), "lt": lambda a, b: E.ge0(b - a - 1),
        "eq": E.eq, "ne": E.ne,
    }  # fmt: skip
    compare = relation[op]

    def method(self: Any, other: Any) -> Any:
        other = _plain(other)
        if self.__class__ is not SymFloat:
            e = as_expr(other)
            if e is not None:
                return wrap_bool(compare(as_expr(self), e), self.env)  # type: ignore[arg-type]
        x, y = as_float(self), as_float(other)
        if y is None:
            return NotImplemented
        return wrap_bool(floats.compare(floating, y, x) if swap else floats.compare(floating, x, y), self.env)

    method.__name__ = f"__{op}__"
    return method


class _Comparable(_Symbolic):
    __slots__ = ()
    __lt__ = _comparison("lt", "flt", False)
    __le__ = _comparison("le", "fle", False)
    __gt__ = _comparison("gt", "flt", True)
    __ge__ = _comparison("ge", "fle", True)
    __eq__ = _comparison("eq", "feq", False)
    __ne__ = _comparison("ne", "fne", False)
    __hash__ = _Symbolic.__hash__


class SymInt(_Comparable):
    """An integer that depends on sizes. ``expr`` is its expression, ``hint`` its value at the example."""

    __slots__ = ()
    expr: E.Expr

    def _constant(self, reason: str) -> int:
        return self.env.specialize(self.expr, reason)

    __add__, __radd__ = _int_operation("add", lambda a, b: a + b, "fadd")
    __sub__, __rsub__ = _int_operation("sub", lambda a, b: a - b, "fsub")
    __mul__, __rmul__ = _int_operation("mul", lambda a, b: a * b, "fmul")
    __floordiv__, __rfloordiv__ = _int_division("floordiv", E.floordiv, operator.floordiv, "ffloordiv")
    __mod__, __rmod__ = _int_division("mod", E.mod, operator.mod, "fmod")
    __and__, __rand__ = _bit_operation(lambda a, b, env: int_function("bit_and", a, b))
    __or__, __ror__ = _bit_operation(lambda a, b, env: int_function("bit_or", a, b))
    __xor__, __rxor__ = _bit_operation(lambda a, b, env: int_function("bit_xor", a, b))
    __lshift__, __rlshift__ = _bit_operation(_shift("left_shift"))
    __rshift__, __rrshift__ = _bit_operation(_shift("right_shift"))

    def __truediv__(self, other: Any) -> Any:
        return _float_operation("fdiv", self, other, self.env)

    def __rtruediv__(self, other: Any) -> Any:
        return _float_operation("fdiv", other, self, self.env)

    def __divmod__(self, other: Any) -> Any:
        return _divmod(self, other, self.env)

    def __rdivmod__(self, other: Any) -> Any:
        return _divmod(other, self, self.env)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        power = _power(self, exponent, self.env)
        return power if modulus is None or power is NotImplemented else power % modulus

    def __rpow__(self, base: Any, modulus: Any = None) -> Any:
        power = _power(base, self, self.env)
        return power if modulus is None or power is NotImplemented else power % modulus

    def __neg__(self) -> Any:
        return wrap_int(-self.expr, self.env)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return wrap_int(-self.expr - 1, self.env)

    def __abs__(self) -> Any:
        if self.env.decide(self.expr >= 0):
            return self
        return wrap_int(absolute(self.expr), self.env)

    def __round__(self, digits: Any = None) -> Any:
        if digits is None or self.env.evaluate(_required(as_expr(digits)) >= 0, "it is the number of digits to round to"):
            return self
        return round(self._constant("it is rounded to tens"), operator.index(digits))

    def __trunc__(self) -> Any:
        return self

    __floor__ = __ceil__ = __trunc__

    def __bool__(self) -> bool:
        return self.env.evaluate(E.ne0(self.expr))

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
        return wrap_int(int_function("bit_length", self.expr), self.env)

    def bit_count(self) -> int:
        return self._constant("its bits are counted").bit_count()

    def to_bytes(self, *args: Any, **kwargs: Any) -> bytes:
        return self._constant("its bytes are used").to_bytes(*args, **kwargs)


def _required(value: E.Expr | None) -> E.Expr:
    if value is None:
        raise TypeError("an integer is required")
    return value


def _power(base: Any, exponent: Any, env: ShapeEnv) -> Any:
    a, b = as_expr(base), as_expr(exponent)
    if a is None or b is None:
        x, y = as_float(base), as_float(exponent)
        return _unknown("fpow", base, exponent, env) if x is None or y is None else _float_power(x, y, env)
    if env.evaluate(b >= 0, "it is the exponent of a power"):
        return wrap_int(E.power(a, b), env)
    return _float_power(a, b, env)


def _float_power(base: Any, exponent: Any, env: ShapeEnv) -> Any:
    """A power that is a float; a negative base, whose powers are complex, is refused, but for whole exponents."""
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
    """A truth about sizes; ``bool()`` of it asks the environment. It counts as 0 or 1 in arithmetic, as Python's truths do."""

    __slots__ = ()
    expr: E.Bool

    def _constant(self, reason: str) -> bool:
        return self.env.evaluate(self.expr, reason)

    def __bool__(self) -> bool:
        return self.env.evaluate(self.expr)

    def __index__(self) -> int:
        return int(self.env.evaluate(self.expr, "its value is needed as a plain integer"))

    __int__ = __index__

    def __float__(self) -> float:
        return float(bool(self))

    def __and__(self, other: Any) -> Any:
        return _logical(self, other, E.conjunction, operator.and_)

    def __or__(self, other: Any) -> Any:
        return _logical(self, other, E.disjunction, operator.or_)

    def __xor__(self, other: Any) -> Any:
        return _logical(self, other, _exclusive, operator.xor)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __neg__(self) -> Any:
        return -self._number()

    def __pos__(self) -> Any:
        return self._number()

    def __invert__(self) -> Any:
        return ~self._number()

    __abs__ = __pos__

    def _number(self) -> Any:
        return wrap_int(int_function("truth", self.expr), self.env)


def _exclusive(pair: tuple[E.Bool, E.Bool]) -> E.Bool:
    a, b = pair
    return (a & ~b) | (~a & b)


def _logical(self: SymBool, other: Any, combine: Callable[[tuple[E.Bool, E.Bool]], E.Bool], host: Callable[[Any, Any], Any]) -> Any:
    if isinstance(other, bool):
        return wrap_bool(combine((self.expr, E.boolean(other))), self.env)
    if isinstance(other, SymBool):
        return wrap_bool(combine((self.expr, other.expr)), self.env)
    return host(self._number(), other) if as_expr(other) is not None else NotImplemented


def _as_number(name: str) -> Any:
    method: Callable[..., Any] = getattr(operator, name)
    return lambda self, other: method(self._number(), other) if as_float(other) is not None else NotImplemented


def _as_number_reflected(name: str) -> Any:
    method: Callable[..., Any] = getattr(operator, name)
    return lambda self, other: method(other, self._number()) if as_float(other) is not None else NotImplemented


for _name in ("add", "sub", "mul", "floordiv", "mod", "truediv", "pow", "lshift", "rshift"):
    setattr(SymBool, f"__{_name}__", _as_number(_name))
    setattr(SymBool, f"__r{_name}__", _as_number_reflected(_name))


def _float_methods(op: str) -> tuple[Any, Any]:
    return (lambda self, other: _float_operation(op, self, other, self.env)), (
        lambda self, other: _float_operation(op, other, self, self.env)
    )


class SymFloat(_Comparable):
    """A float computed from sizes by Python's float operations, each done exactly as Python does it."""

    __slots__ = ()
    expr: E.Float

    def _constant(self, reason: str) -> float:
        return self.env.specialize_float(self.expr, reason)

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
        return wrap_float(float_node("fneg", self.expr), self.env)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return wrap_float(float_node("fabs", self.expr), self.env)

    def _rounded(self, how: str) -> Any:
        positive = self.env.decide(floats.compare("fle", 0.0, self.expr)) is True
        return wrap_int(floats.rounded(how, self.expr, positive), self.env)

    def __trunc__(self) -> Any:
        return self._rounded("trunc")

    def __floor__(self) -> Any:
        return self._rounded("floor")

    def __ceil__(self) -> Any:
        return self._rounded("ceil")

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return self._rounded("round")
        return wrap_float(float_node("ndigits", self.expr, operator.index(digits)), self.env)

    def __bool__(self) -> bool:
        return self.env.evaluate(floats.compare("fne", self.expr, 0.0))

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

    def is_integer(self) -> Any:
        exact = floats.quotient(self.expr)
        if exact is None:
            return float(self).is_integer()
        return wrap_bool(E.eq0(E.mod(*exact)), self.env)


def is_symbolic(value: Any) -> bool:
    """Whether ``value`` is a size, truth or float that is not a plain Python number."""
    return isinstance(value, _Symbolic)


def python_type(value: Any) -> type:
    """What ``type(value)`` means to the user: ``int``, ``bool`` or ``float`` for symbolic values."""
    return {SymInt: int, SymBool: bool, SymFloat: float}.get(value.__class__, type(value))
