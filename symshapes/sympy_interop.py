"""To and from SymPy, the language of sizes at the border: it represents, simplifies and solves for
users.

npexport's own normal form decides. SymPy is imported when one of these functions is first called
for an expression that is not a constant: exports, saved programs and their calls do without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.constructors import absolute, int_function, is_float_name, maximum, minimum
from npexport.symshapes.rewrite import fold
from npexport.symshapes.semantics import INT_FUNCTIONS


def is_sympy(value: Any) -> bool:
    """Whether the value is an expression or a number of SymPy's; SymPy is not imported for the
    question.
    """
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def to_sympy(value: Any) -> Any:
    """An expression, truth or float as SymPy's. Symbols are integers; ``a // b`` is ``floor(a/b)``;
    what SymPy has no word for is an undefined function.

    >>> to_sympy((E.symbol("s0") + 1) % 4)
    Mod(s0 + 1, 4)
    """
    import sympy  # type: ignore[import-untyped, unused-ignore]

    def undefined(name: str) -> Callable[..., Any]:
        made: Callable[..., Any] = sympy.Function(name, integer=True)
        return made

    operators: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: sympy.sympify(a) + b, "sub": lambda a, b: sympy.sympify(a) - b, "neg": lambda a: -a,
        "mul": lambda a, b: sympy.sympify(a) * b,
        "floordiv": lambda a, b: sympy.floor(sympy.sympify(a) / b), "mod": sympy.Mod, "min": sympy.Min, "max": sympy.Max, "pow": sympy.Pow,
        "isqrt": lambda a: sympy.floor(sympy.sqrt(a)), "truth": lambda a: sympy.Piecewise((1, a), (0, True)),
        "ge": lambda a: sympy.Ge(a, 0), "eq": lambda a: sympy.Eq(a, 0), "ne": lambda a: sympy.Ne(a, 0), "and": sympy.And, "or": sympy.Or,
        "not": sympy.Not, "flt": sympy.Lt, "fle": sympy.Le, "feq": sympy.Eq, "fne": sympy.Ne,
        "fadd": lambda a, b: sympy.sympify(a) + b, "fsub": lambda a, b: sympy.sympify(a) - b, "fmul": lambda a, b: sympy.sympify(a) * b,
        "fdiv": lambda a, b: sympy.sympify(a) / b, "fpow": sympy.Pow, "math_pow": sympy.Pow, "fneg": lambda a: -a, "sqrt": sympy.sqrt,
        "exp": sympy.exp, "log": sympy.log, "floor": sympy.floor, "ceil": sympy.ceiling, "float": lambda a: a,
    }  # fmt: skip

    def apply(op: str, *args: Any) -> Any:
        return operators.get(op, undefined(op))(*args)

    result = fold(value, lambda name: sympy.Symbol(name, integer=not is_float_name(name)), apply)
    return sympy.sympify(result) if isinstance(result, (bool, int, float)) else result


def from_sympy(value: Any) -> Any:
    """The inverse of :func:`to_sympy`. Raises ``ValueError`` for what is not an expression over
    integers.

    >>> import sympy
    >>> s0 = sympy.Symbol("s0", integer=True)
    >>> from_sympy(2 * s0 + 1), from_sympy(sympy.floor(s0 / 2)), from_sympy(s0 >= 3)
    (2*s0 + 1, s0//2, s0 >= 3)
    """
    import sympy  # type: ignore[import-untyped, unused-ignore]

    readers: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
        (sympy.Integer, lambda v: E.integer(int(v))),
        (sympy.Symbol, lambda v: E.symbol(v.name)),
        (sympy.Add, lambda v: sum((from_sympy(arg) for arg in v.args), E.ZERO)),
        (sympy.Mul, _product),
        (sympy.Pow, lambda v: E.power(from_sympy(v.base), from_sympy(v.exp))),
        (sympy.floor, _floor),
        (sympy.ceiling, lambda v: -_floor(sympy.floor(-v.args[0], evaluate=False))),
        (sympy.Mod, lambda v: E.mod(from_sympy(v.args[0]), from_sympy(v.args[1]))),
        (sympy.Min, lambda v: minimum(*map(from_sympy, v.args))),
        (sympy.Max, lambda v: maximum(*map(from_sympy, v.args))),
        (sympy.Abs, lambda v: absolute(from_sympy(v.args[0]))),
        (sympy.Piecewise, _truth),
        (sympy.core.function.AppliedUndef, _undefined),
        (sympy.logic.boolalg.BooleanTrue, lambda v: E.TRUE),
        (sympy.logic.boolalg.BooleanFalse, lambda v: E.FALSE),
        (sympy.Ge, lambda v: from_sympy(v.args[0]) >= from_sympy(v.args[1])),
        (sympy.Gt, lambda v: from_sympy(v.args[0]) > from_sympy(v.args[1])),
        (sympy.Le, lambda v: from_sympy(v.args[0]) <= from_sympy(v.args[1])),
        (sympy.Lt, lambda v: from_sympy(v.args[0]) < from_sympy(v.args[1])),
        (sympy.Eq, lambda v: E.eq(from_sympy(v.args[0]), from_sympy(v.args[1]))),
        (sympy.Ne, lambda v: E.ne(from_sympy(v.args[0]), from_sympy(v.args[1]))),
        (sympy.And, lambda v: E.conjunction(map(from_sympy, v.args))),
        (sympy.Or, lambda v: E.disjunction(map(from_sympy, v.args))),
        (sympy.Not, lambda v: E.negation(from_sympy(v.args[0]))),
    )
    for kind, read in readers:
        if isinstance(value, kind):
            return read(value)
    raise ValueError(f"not an expression over integers: {value}")


def _truth(value: Any) -> E.Expr:
    """1 where a condition holds, else 0."""
    if len(value.args) != 2 or tuple(part for part, _ in value.args) != (1, 0) or value.args[1][1] != True:  # noqa: E712  SymPy's
        raise ValueError(f"not an expression over integers: {value}")
    return int_function("truth", from_sympy(value.args[0][1]))


def _undefined(value: Any) -> E.Expr:
    if value.func.__name__ not in INT_FUNCTIONS:
        raise ValueError(f"not an expression over integers: {value}")
    return int_function(value.func.__name__, *map(from_sympy, value.args))


def _product(value: Any) -> E.Expr:
    result = E.ONE
    for arg in value.args:
        result = result * from_sympy(arg)
    return result


def _floor(value: Any) -> E.Expr:
    """``floor(p/q)``."""
    import sympy  # type: ignore[import-untyped, unused-ignore]

    (inner,) = value.args
    if isinstance(inner, sympy.Pow) and inner.exp == sympy.Rational(1, 2):
        return int_function("isqrt", from_sympy(inner.base))
    numerator, denominator = sympy.fraction(sympy.together(inner))
    return E.floordiv(from_sympy(numerator), from_sympy(denominator))
