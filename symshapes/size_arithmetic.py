"""Operators of sizes, truths and floats as Python defines them: functions of any two numbers, of
which one is symbolic, and the special methods that are made of them.

Integers stay exact; a float as the other operand makes the operation one of floats. A divisor, a
shift or an exponent for which Python raises is guarded against; where the data decide, the
operation is recorded (``env.of_data``) and raises when the program runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import floats
from npexport.symshapes.constructors import float_node, int_function, number_of
from npexport.symshapes.foreign import comparison as foreign_comparison
from npexport.symshapes.foreign import operation
from npexport.symshapes.symbolic import Environment, Symbolic
from npexport.symshapes.wrapping import as_expr, as_float, symbolic, wrap_bool, wrap_float, wrap_int


def float_operation(op: str, a: Any, b: Any, env: Environment) -> Any:
    x, y = as_float(a), as_float(b)
    if x is None or y is None:
        return operation(op, a, b, a if isinstance(a, Symbolic) else b)
    if (env.is_data(x) and not (op in _DIVIDES and number_of(y) == 0)) or env.is_data(y) or (op in _DIVIDES and _zero_for_data(y, env)):
        return env.of_data(_PYTHON[op], a, b)  # type: ignore[misc]
    if op in _DIVIDES:
        _refuse_zero(y, env, _DIVIDES[op], 1 if isinstance(x, E.Expr) else 1.0)
    return wrap_float(float_node(op, x, y), env)


def quotient_and_remainder(a: Any, b: Any, env: Environment) -> Any:
    if as_expr(a) is None or as_expr(b) is None:
        divisor = as_float(b)
        if as_float(a) is None or divisor is None:
            size = a if isinstance(a, Symbolic) else b
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
    return env.of_data_alone(E.eq0(divisor) if isinstance(divisor, E.Expr) else floats.compare("feq", divisor, 0.0, env.is_exact_float))


def _refuse_zero(divisor: Any, env: Environment, operation: Callable[[Any, Any], Any], one: Any = 1.0) -> None:
    """Raise Python's ``ZeroDivisionError`` where the divisor is 0 (at the example: guarded)."""
    if isinstance(divisor, E.Expr):
        if env.evaluate(E.eq0(divisor), "it is a divisor"):
            operation(one, 0)
    elif isinstance(divisor, E.Float):
        if env.evaluate(floats.compare("feq", divisor, 0.0, env.is_exact_float), "it is a divisor"):
            operation(one, 0.0)
    elif divisor == 0:
        operation(one, 0.0)


def power_of(base: Any, exponent: Any, env: Environment) -> Any:
    a, b = as_expr(base), as_expr(exponent)
    if a is None or b is None:
        x, y = as_float(base), as_float(exponent)
        if x is None or y is None:
            return operation("fpow", base, exponent, base if isinstance(base, Symbolic) else exponent)
        raises = env.is_unknown(x, y) and not (number_of(y) or 0.0) >= 0
        return env.of_data("pow", base, exponent) if raises or env.is_data(x) or env.is_data(y) else _float_power(x, y, env)  # type: ignore[misc]
    if env.of_data_alone(b >= 0) or (b.terms and env.is_data(b)) or (env.is_unknown(a) and env.decide(b >= 0) is False):
        return env.of_data("pow", base, exponent)  # type: ignore[misc]
    if env.evaluate(b >= 0, "it is the exponent of a power"):
        return wrap_int(E.power(a, b), env)
    return _float_power(a, b, env)


def power_modulo(base: Any, exponent: Any, modulus: Any, env: Environment) -> Any:
    """``pow(base, exponent, modulus)``."""
    a, b, m = [as_expr(value) for value in (base, exponent, modulus)]
    if a is None or b is None or m is None:
        return NotImplemented
    if env.is_unknown(a, b, m):
        return env.of_data("pow_mod", base, exponent, modulus)  # type: ignore[misc]
    _refuse_zero(m, env, lambda one, zero: pow(one, one, zero), 1)
    if env.evaluate(E.ge0(b), "it is the exponent of a power"):
        return power_of(base, exponent, env) % modulus
    return pow(*[env.specialize(number, "an inverse is taken of it") for number in (a, b, m)])


def _float_power(base: Any, exponent: Any, env: Environment) -> Any:
    """A power that is a float, or complex: of a negative base that is then made a constant."""
    if env.evaluate(floats.compare("flt", exponent, 0.0, env.is_exact_float), "it is the exponent of a power"):
        _refuse_zero(base, env, lambda one, zero: zero**-one, 1)
    whole = number_of(exponent)
    if isinstance(exponent, E.Expr) or (whole is not None and float(whole).is_integer()):
        return wrap_float(float_node("fpow", base, exponent), env)
    negative = floats.compare("flt", base, 0.0, env.is_exact_float)
    if env.evaluate(negative, "it is the base of a power"):
        return _at_example(base, env) ** _at_example(exponent, env)
    return wrap_float(float_node("fpow", base, exponent), env)


def _at_example(value: Any, env: Environment) -> Any:
    reason = "the power of a negative number is complex"
    if isinstance(value, E.Float):
        return env.specialize_float(value, reason)
    return env.specialize(value, reason) if isinstance(value, E.Expr) else value


def int_operation(name: str, combine: Callable[[E.Expr, E.Expr], E.Expr], floating: str) -> tuple[Any, Any]:
    """The method and its reflection for one integer operator."""

    def forward(self: Symbolic, other: Any) -> Any:
        e = as_expr(other)
        return wrap_int(combine(self.expression, e), self.env) if e is not None else float_operation(floating, self, other, self.env)

    def reflected(self: Symbolic, other: Any) -> Any:
        e = as_expr(other)
        return wrap_int(combine(e, self.expression), self.env) if e is not None else float_operation(floating, other, self, self.env)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    return forward, reflected


def int_division(name: str, combine: Callable[[E.Expr, E.Expr], E.Expr], host: Callable[[Any, Any], Any], floating: str) -> tuple[Any, Any]:
    def divide(a: E.Expr, b: E.Expr, env: Environment) -> Any:
        b = env.facts.replace(b)
        if _zero_for_data(b, env):
            return env.of_data(name, symbolic(int, a, env), symbolic(int, b, env))  # type: ignore[misc]
        _refuse_zero(b, env, host, 1)
        return wrap_int(combine(a, env.facts.replace(b)), env)

    def forward(self: Symbolic, other: Any) -> Any:
        e = as_expr(other)
        return divide(self.expression, e, self.env) if e is not None else float_operation(floating, self, other, self.env)

    def reflected(self: Symbolic, other: Any) -> Any:
        e = as_expr(other)
        return divide(e, self.expression, self.env) if e is not None else float_operation(floating, other, self, self.env)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    return forward, reflected


def bit_operation(name: str) -> tuple[Any, Any]:
    shifts = name in ("left_shift", "right_shift")

    def combine(a: E.Expr, b: E.Expr, env: Environment) -> Any:
        if shifts and env.of_data_alone(b < 0):
            return env.of_data(name[0] + "shift", symbolic(int, a, env), symbolic(int, b, env))  # type: ignore[misc]
        if shifts and env.evaluate(b < 0, "it is the amount of a shift"):
            raise ValueError("negative shift count")
        return wrap_int(int_function(name, a, b), env)

    def forward(self: Symbolic, other: Any) -> Any:
        e = as_expr(other)
        return operation(name, self, other, self) if e is None else combine(self.expression, e, self.env)

    def reflected(self: Symbolic, other: Any) -> Any:
        e = as_expr(other)
        return operation(name, other, self, self) if e is None else combine(e, self.expression, self.env)

    return forward, reflected


def comparison(op: str, floating: str, swap: bool) -> Any:
    relation: dict[str, Callable[[E.Expr, E.Expr], E.Bool]] = {
        "ge": lambda a, b: E.ge0(a - b), "gt": lambda a, b: E.ge0(a - b - 1),
        "le": lambda a, b: E.ge0(b - a), "lt": lambda a, b: E.ge0(b - a - 1),
        "eq": E.eq, "ne": E.ne,
    }  # fmt: skip
    compare = relation[op]

    def method(self: Any, other: Any) -> Any:
        if self.python is not float:
            e = as_expr(other)
            if e is not None:
                return wrap_bool(compare(as_expr(self), e), self.env)  # type: ignore[arg-type]
        x, y = as_float(self), as_float(other)
        if y is None:
            return foreign_comparison(getattr(operator, op), self, other)
        left, right = (y, x) if swap else (x, y)
        return wrap_bool(floats.compare(floating, left, right, self.env.is_exact_float), self.env)

    method.__name__ = f"__{op}__"
    return method
