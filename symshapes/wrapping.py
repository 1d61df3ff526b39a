"""Between Python's numbers and expressions: a result that is a constant is a plain number, any
other is a `Symbolic` value of its environment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits, overflow
from npexport.symshapes.constructors import int_function, number_of
from npexport.symshapes.symbolic import CLASSES, Environment, Symbolic

_OVERFLOWS = "a function of it is too large for a float elsewhere"
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
    if env.stands_apart(expression, limits.DATA_WEIGHT):
        return env.of_data("int", symbolic(int, expression, env))  # type: ignore[misc]
    if _too_large(expression):
        return env.specialize(expression, _TOO_LARGE)
    return symbolic(int, expression, env)


def wrap_bool(truth: E.Bool, env: Environment) -> Any:
    """A ``bool`` where the truth is decided, else a ``SymBool``."""
    answer = env.facts.decide(truth)
    if answer is not None:
        return answer
    if env.stands_apart(truth, limits.DATA_WEIGHT):
        truth = E.ne0(env.of_data("int", symbolic(bool, truth, env)).expression)  # type: ignore[misc]
    return symbolic(bool, truth, env)


def wrap_float(value: Any, env: Environment) -> Any:
    """A ``float`` where the value is a number, else a ``SymFloat``."""
    if not isinstance(value, E.Float):
        return value
    try:
        env.hint(value)
    except (ArithmeticError, ValueError):  # of the program: it overflows at the example
        for name in sorted(value.symbols):
            env.specialize(E.symbol(name), "a function of it raises")
        raise
    if env.traces:
        truth = overflow.holds_no_overflow(value, env.facts.ranges)
        if env.of_data_alone(truth) or (truth is E.FALSE and env.is_unknown(value)):
            return env.of_data(_OF_DATA.get(value.op, value.op), *[_number(arg, env) for arg in value.args])  # type: ignore[misc]
        if not settled(truth, value, env):
            return env.hint(value)
    return env.specialize_float(value, _TOO_LARGE) if _too_large(value) else symbolic(float, value, env)


_OF_DATA = {
    "fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "truediv", "ffloordiv": "floordiv", "fmod": "mod", "fpow": "pow", "fneg": "neg",
    "fabs": "abs", "ndigits": "round_to",
}  # fmt: skip
"""What operations on floats are called where the program computes them."""


def _number(value: Any, env: Environment) -> Any:
    constant = number_of(value)
    return constant if constant is not None else symbolic(float if isinstance(value, E.Float) else int, value, env)


def settled(truth: E.Bool, value: Any, env: Environment) -> bool:
    """Whether a truth under which a number is computed without an error holds at the example:
    guarded. Where it does not, the number's symbols become constants.
    """
    if not env.hint(truth):
        for name in sorted(value.symbols):
            env.specialize(E.symbol(name), _OVERFLOWS)
        return False
    env.evaluate(truth, _OVERFLOWS)
    return True


_WRAPPING: dict[type, Callable[..., Any]] = {int: wrap_int, bool: wrap_bool, float: wrap_float}


def wrapped(python: type, value: Any, env: Environment) -> Any:
    """A plain number of this type where the expression is a constant or decided, else a symbolic
    one.
    """
    return _WRAPPING[python](value, env)


def symbolic(python: type, expression: Any, env: Environment) -> Symbolic:
    """The size, truth or float of an expression, even of one that is a constant."""
    return CLASSES[python](expression, env)


def as_expr(value: Any) -> E.Expr | None:
    """The integer expression that ``value`` is, or ``None``. Truths are 0 and 1 as in Python."""
    kind = value.__class__
    if kind is int or kind is bool:
        return E.integer(int(value))
    if isinstance(value, Symbolic):
        if value.python is int:
            expression: E.Expr = value.expression
            return expression
        return int_function("truth", value.expression) if value.python is bool else None
    return E.integer(int(value)) if isinstance(value, int) else None


def as_float(value: Any) -> Any:
    """The operand of a float operation that ``value`` is: a float, an expression or a ``Float``;
    ``None`` where it is no Python number.

    ``np.float64``, a subclass of ``float``, has a dtype that must not be lost: no Python number.
    """
    if value.__class__ is float:
        return value
    return value.expression if isinstance(value, Symbolic) and value.python is float else as_expr(value)
