"""Between Python's numbers and expressions: a result that is a constant is a plain number, any
other is a `Symbolic` value of its environment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.constructors import int_function
from npexport.symshapes.symbolic import CLASSES, Environment, Symbolic

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
    return env.specialize_float(value, _TOO_LARGE) if _too_large(value) else symbolic(float, value, env)


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
