"""The builtins and functions of ``math`` for sizes: called by the tracer in place of
``min``, ``int``, ``math.sqrt``, ….

Each takes what Python's own takes, with sizes anywhere, gives a plain number where the result is
known, and never specialises. Where no argument is symbolic, Python's own function answers.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.constructors import float_node, int_function, joined_halves, maximum, minimum
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.ranges import ends
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.semantics import round_div
from npexport.symshapes.size_arithmetic import power_modulo
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, is_symbolic, python_type
from npexport.symshapes.wrapping import as_expr, as_float, wrap_bool, wrap_float, wrap_int, wrapped

_MISSING: Any = object()


def env_of(values: Iterable[Any]) -> ShapeEnv | None:
    """The environment of the first symbolic value among ``values``, or ``None``."""
    for value in values:
        if is_symbolic(value):
            env: ShapeEnv = value.env
            return env
    return None


def _extremum(name: str, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    host: Callable[..., Any] = getattr(builtins, name)
    options = {"key": key} if key is not None else {}
    if default is not _MISSING:
        options["default"] = default
    values = tuple(args[0]) if len(args) == 1 else args
    env = env_of(values)
    if env is None or key is not None or not values or (len(args) > 1 and default is not _MISSING):
        return host(values, **options) if len(args) == 1 else host(*args, **options)
    if len(values) == 1:
        return values[0]
    if all(type(value) in (float, SymFloat) for value in values):
        floats = [as_float(value) for value in values]
        if any(map(env.is_data, floats)):
            return env.of_data(name, *values)  # type: ignore[misc]
        return wrap_float(functools.reduce(lambda a, b: float_node(f"f{name}", a, b), floats), env)
    expressions = [as_expr(value) for value in values]
    if None in expressions or any(isinstance(value, (bool, SymBool)) for value in values):
        return host(values)  # mixed kinds: the result's kind depends on the comparison, which is guarded
    found = _reduced(name, [env.simplify(e) for e in expressions if e is not None], env)
    if env.stands_apart(found, limits.EXTREMA_WEIGHT):
        return env.of_data(name, *values)  # type: ignore[misc]
    return wrap_int(found, env)


def _reduced(name: str, expressions: list[E.Expr], env: ShapeEnv) -> E.Expr:
    """The extremum without the arguments that are known not to affect it."""
    facts = env.facts
    reach = {e: (*ends(e, facts.ranges), facts.components.roots(e.symbols)) for e in expressions}

    def exceeds(one: E.Expr, other: E.Expr) -> bool:
        """Whether ``one >= other`` is known; for independent sizes the intervals decide it."""
        (low, _, mine), (_, high, theirs) = reach[one], reach[other]
        return bool(low >= high or (not mine.isdisjoint(theirs) and env.decide(one >= other)))

    kept: list[E.Expr] = []
    for candidate in expressions:
        if not any(exceeds(candidate, other) if name == "min" else exceeds(other, candidate) for other in kept):
            kept = [other for other in kept if not (exceeds(other, candidate) if name == "min" else exceeds(candidate, other))]
            kept.append(candidate)
    return minimum(*kept) if name == "min" else maximum(*kept)


def sym_min(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
    """``min``; it remains an expression if it is unknown which argument is smaller."""
    return _extremum("min", args, key, default)


def sym_max(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
    """``max``; see :func:`sym_min`."""
    return _extremum("max", args, key, default)


def sym_sum(values: Iterable[Any], /, start: Any = 0) -> Any:
    """``sum``.

    Python corrects the rounding of sums of floats: up to the first value that is no number of
    Python, such as a NumPy scalar, which is added as any other object, and so is what follows.
    """
    values = list(values)
    env = env_of((start, *values))
    if env is not None and all(type(value) in (int, SymInt) for value in (start, *values)):
        total = E.combination(0, {}, [(as_expr(value), 1) for value in (start, *values)])  # type: ignore[misc]
        return wrap_int(joined_halves(total), env)
    run = list(itertools.takewhile(_is_of_python, values)) if _is_of_python(start) else []
    terms = [value for value in (start, *run) if type(value) is not int or value]
    total = start
    if env is not None and env.traces and len(terms) > 2 and any(python_type(term) is float for term in terms):
        total, values = env.of_data("sum", run, start), values[len(run) :]  # type: ignore[misc]
    for value in values:
        total = total + value
    return total


def _is_of_python(value: Any) -> bool:
    return python_type(value) in (int, bool, float)


def sym_prod(values: Iterable[Any], *, start: Any = 1) -> Any:
    """``math.prod``."""
    for value in values:
        start = start * value
    return start


def sym_int(value: Any = 0, *args: Any, **kwargs: Any) -> Any:
    """``int``: of a size itself, of a float its truncation, of a truth 0 or 1."""
    if is_symbolic(value) and (args or kwargs):
        return int(python_type(value)(), *args, **kwargs)  # raises: a number has no base
    if isinstance(value, SymInt):
        return value
    if isinstance(value, SymFloat):
        return math.trunc(value)
    return +value if isinstance(value, SymBool) else int(value, *args, **kwargs)


def sym_float(value: Any = 0.0) -> Any:
    """``float``."""
    if isinstance(value, SymFloat):
        return value
    if not is_symbolic(value):
        return float(value)
    number = as_expr(value)
    return value.env.of_data("float", value) if value.env.is_data(number) else wrap_float(float_node("float", number), value.env)


def sym_bool(value: Any = False) -> Any:
    """``bool``, kept as a truth: the tracer guards only where it branches."""
    if isinstance(value, SymBool):
        return value
    if isinstance(value, (SymInt, SymFloat)):
        return value != 0
    return bool(value)


def sym_not(value: Any) -> Any:
    """``not value``, kept as a truth."""
    truth = sym_bool(value)
    return wrap_bool(E.negation(truth.expression), truth.env) if isinstance(truth, SymBool) else not truth


def sym_abs(value: Any) -> Any:
    """``abs``."""
    return abs(value)


def sym_round(value: Any, ndigits: Any = None) -> Any:
    """``round``."""
    return round(value, ndigits if is_symbolic(value) or ndigits is None else operator.index(ndigits))


def sym_divmod(a: Any, b: Any) -> Any:
    """``divmod``."""
    return divmod(a, b)


def sym_pow(base: Any, exp: Any, mod: Any = None) -> Any:
    """``pow``."""
    if mod is None or env_of((base, exp, mod)) is None:
        return pow(base, exp, mod)
    return power_modulo(base, exp, mod, env_of((base, exp, mod)))  # type: ignore[arg-type]


def sym_index(value: Any) -> Any:
    """``operator.index``."""
    if isinstance(value, SymBool):
        return +value
    return value if isinstance(value, SymInt) else operator.index(value)


def sym_ceildiv(a: Any, b: Any) -> Any:
    """``-(-a // b)``."""
    return -(-a // b)


def sym_round_div(a: Any, b: Any) -> Any:
    """``a / b`` rounded to the nearest integer, halves to the even one, in exact arithmetic."""
    env = env_of((a, b))
    return round_div(a, b) if env is None else wrap_int(int_function("round_div", _as(a), _as(b)), env)


def sym_slice_indices(part: slice, length: Any) -> tuple[Any, Any, Any]:
    """``slice.indices``, of a size or with sizes as bounds; the step's sign is decided."""
    step, length = 1 if part.step is None else sym_index(part.step), sym_index(length)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, length) if step > 0 else (-1, length - 1)

    def bound(value: Any, default: Any) -> Any:
        if value is None:
            return default
        value = sym_index(value)
        return sym_max(value + length, low) if value < 0 else sym_min(value, high)

    first, last = (low, high) if step > 0 else (high, low)
    return bound(part.start, first), bound(part.stop, last), step


def _isqrt(value: Any) -> Any:
    if not isinstance(value, (SymInt, SymBool)):
        return math.isqrt(value)
    if value.env.of_data_alone(_as(value) < 0):
        return value.env.of_data("isqrt", value)  # type: ignore[misc]
    if value.env.evaluate(_as(value) < 0, "its square root is taken"):
        math.isqrt(-1)
    return wrap_int(int_function("isqrt", _as(value)), value.env)


def _as(value: Any) -> E.Expr:
    expression = as_expr(value)
    return E.integer(operator.index(value)) if expression is None else expression


def _gcd(*values: Any) -> Any:
    env = env_of(values)
    if env is None:
        return math.gcd(*values)
    total = E.ZERO
    for value in values:
        total = int_function("gcd", total, _as(value)) if total is not E.ZERO else _as(abs(sym_index(value)))
    return wrap_int(total, env)


def _lcm(*values: Any) -> Any:
    if env_of(values) is None:
        return math.lcm(*values)
    total: Any = 1
    for value in map(sym_index, values):
        total = 0 if known(total == 0) else abs(total * value) // sym_max(_gcd(total, value), 1)
    return total


def _has_power(base: Any, exponent: Any) -> bool:
    """Whether ``math.pow`` of a base that may be 0 or negative is a number."""
    if _is_whole(exponent) or base >= 0:
        return bool(exponent >= 0 or base != 0)
    return _is_whole(exponent._constant("a negative number has powers of whole numbers only") if is_symbolic(exponent) else exponent)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, (float, SymFloat)) or (type(value) is float and (value.is_integer() or math.isinf(value)))


_DOMAIN: dict[str, Callable[..., Any]] = {
    "pow": _has_power,
    "sqrt": lambda value: value >= 0,
    "log": lambda *values: all(value > 0 for value in values),
    "log2": lambda value: value > 0,
    "log10": lambda value: value > 0,
    "log1p": lambda value: value > -1,
}


_FLOAT_NAMES = {"pow": "math_pow"}


def _float_function(name: str) -> Callable[..., Any]:
    host: Callable[..., Any] = getattr(math, name)

    def function(*values: Any) -> Any:
        env = env_of(values)
        if env is None:
            return host(*values)
        operands = [as_float(value) for value in values]
        if None in operands or len(operands) > 2 or (len(operands) == 2 and name not in ("log", "pow")):
            return host(*[float(value) if is_symbolic(value) else value for value in values])
        if any(map(env.is_data, operands)) or (name != "sqrt" and env.is_unknown(*operands)):
            return env.of_data(_FLOAT_NAMES.get(name, name), *values)  # type: ignore[misc]
        if name in _DOMAIN and not _DOMAIN[name](*values):
            return host(*[value.hint if is_symbolic(value) else value for value in values])  # raises what Python raises
        if name == "log" and len(values) == 2:
            return function(values[0]) / function(values[1])
        return wrap_float(float_node(_FLOAT_NAMES.get(name, name), *operands), env)

    function.__name__ = f"sym_{name}"
    function.__doc__ = f"``math.{name}``; outside its domain (guarded) it raises what Python raises."
    return function


def _comb(n: Any, k: Any) -> Any:
    n, k = sym_index(n), sym_index(k)
    env = env_of((n, k))
    if env is not None and any(env.is_data(as_expr(v)) or env.of_data_alone(_as(v) < 0) for v in (n, k) if is_symbolic(v)):
        return env.of_data("comb", n, k)  # type: ignore[misc]
    if env is None or is_symbolic(k) or not 0 <= k <= 4:
        return math.comb(operator.index(n), operator.index(k))
    if n < 0:
        math.comb(-1, k)  # raises
    product: Any = 1
    for i in range(k):
        product = product * (n - i)
    return product // math.factorial(k)


MODELS: dict[Callable[..., Any], Callable[..., Any]] = {
    min: sym_min, max: sym_max, sum: sym_sum, int: sym_int, float: sym_float, abs: sym_abs, round: sym_round,
    divmod: sym_divmod, pow: sym_pow, operator.index: sym_index, math.prod: sym_prod,
    math.isqrt: _isqrt, math.gcd: _gcd, math.lcm: _lcm, math.comb: _comb,
    math.floor: math.floor, math.ceil: math.ceil, math.trunc: math.trunc,
    math.fabs: lambda value: abs(sym_float(value)),
}  # fmt: skip
"""The function to call instead, where an argument is a size (or a container of sizes). ``bool`` is
none of them: it decides.
"""
for _name in ("sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "atan", "tanh", "pow"):
    MODELS[getattr(math, _name)] = _float_function(_name)


def substituted(number: SymInt | SymFloat | SymBool, mapping: Mapping[str, E.Expr]) -> Any:
    """The number with symbols of its expression replaced, all at once; a plain one where that
    decides it.
    """
    return wrapped(number.python, substitute(number.expression, mapping), number.env)
