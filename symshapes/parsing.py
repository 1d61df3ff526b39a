"""Text to expressions: the inverse of :mod:`npexport.symshapes.printing`. Nothing is executed:
Python's parser gives a tree, a table gives it meaning.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.constructors import (
    absolute,
    compare_floats,
    float_node,
    float_symbol,
    int_function,
    is_float_name,
    maximum,
    minimum,
)
from npexport.symshapes.semantics import FLOAT_FUNCTIONS


def parse(text: str) -> Any:
    """The ``Expr``, ``Bool``, ``Float`` or ``float`` that ``text`` says. Raises ``ValueError``
    where it says none.

    >>> parse("s0 + 1") is E.symbol("s0") + 1
    True
    """
    if len(text) > limits.PARSED_TEXT:
        raise ValueError("expression text is too long")
    try:
        known = _polynomial(text)
        return _read(ast.parse(text, mode="eval").body) if known is None else known
    except (SyntaxError, RecursionError, MemoryError, TypeError, ZeroDivisionError, OverflowError, IndexError) as error:
        raise ValueError(f"not an expression: {text[:80]!r} ({error})") from error


def parse_expr(text: str) -> E.Expr:
    """Like :func:`parse` where an integer expression is expected."""
    value = parse(text)
    if isinstance(value, E.Expr):
        return value
    raise ValueError(f"not an integer expression: {text[:80]!r}")


def parse_bool(text: str) -> E.Bool:
    """Like :func:`parse` where a truth is expected."""
    return _truth(parse(text))


def _floats(*values: Any) -> bool:
    return any(isinstance(value, (float, E.Float)) for value in values)


def _arithmetic(integer: Callable[..., Any], floating: str) -> Callable[[Any, Any], Any]:
    def operation(a: Any, b: Any) -> Any:
        return float_node(floating, a, b) if _floats(a, b) else integer(E.expr(a), E.expr(b))

    return operation


def _bits(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: int_function(name, E.expr(a), E.expr(b))


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _arithmetic(lambda a, b: a + b, "fadd"),
    ast.Sub: _arithmetic(lambda a, b: a - b, "fsub"),
    ast.Mult: _arithmetic(lambda a, b: a * b, "fmul"),
    ast.FloorDiv: _arithmetic(E.floordiv, "ffloordiv"),
    ast.Mod: _arithmetic(E.mod, "fmod"),
    ast.Pow: _arithmetic(E.power, "fpow"),
    ast.Div: lambda a, b: float_node("fdiv", a, b),
    ast.BitAnd: _bits("bit_and"),
    ast.BitOr: _bits("bit_or"),
    ast.BitXor: _bits("bit_xor"),
    ast.LShift: _bits("left_shift"),
    ast.RShift: _bits("right_shift"),
}


def _comparison(name: str, a: Any, b: Any) -> E.Bool:
    if _floats(a, b):
        floating = {"<": "flt", "<=": "fle", ">": "flt", ">=": "fle", "==": "feq", "!=": "fne"}[name]
        return compare_floats(floating, *((b, a) if name[0] == ">" else (a, b)))
    a, b = E.expr(a), E.expr(b)
    truths = {"<": lambda: a < b, "<=": lambda: a <= b, ">": lambda: a > b, ">=": lambda: a >= b}
    return truths[name]() if name in truths else E.eq(a, b) if name == "==" else E.ne(a, b)


_COMPARE: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def _extremum(integer: Callable[..., Any], floating: str) -> Callable[..., Any]:
    return lambda *args: float_node(floating, *args) if _floats(*args) else integer(*args)


_CALLS: dict[str, Callable[..., Any]] = {
    "min": _extremum(minimum, "fmin"),
    "max": _extremum(maximum, "fmax"),
    "abs": lambda a: float_node("fabs", a) if _floats(a) else absolute(a),
    "ceildiv": E.ceildiv,
    "int": lambda a: int_function("truth", a),
    "round": lambda a, digits=None: int_function("round", a) if digits is None else float_node("ndigits", a, digits),
}
for _name in ("isqrt", "gcd", "round_div", "bit_length", "trunc", "floor", "ceil"):
    _CALLS[_name] = lambda *args, _name=_name: int_function(_name, *args)
for _name in set(FLOAT_FUNCTIONS) - {"fmin", "fmax", "ndigits"}:
    _CALLS[_name] = lambda *args, _name=_name: float_node(_name, *args)


_PRODUCT = r"(?:0|[1-9][0-9]*|[su][0-9]+)(?:\*(?:0|[1-9][0-9]*|[su][0-9]+))*"
_SUM = rf"-?{_PRODUCT}(?: ?[+-] ?{_PRODUCT})*"
_POLYNOMIAL = re.compile(rf"({_SUM})(?: (>=|==|!=) ({_SUM}))?")
_TERM = re.compile(rf"([+-])? ?({_PRODUCT})")


def _polynomial(text: str) -> Any:
    """A sum of products of integers and symbols, or a comparison of two; ``None`` where the text is
    another. Most are such, and a tree of each name would take most of the time.
    """
    match = _POLYNOMIAL.fullmatch(text)
    if match is None:
        return None
    left, comparison, right = match.groups()
    return _total(left) if comparison is None else _comparison(comparison, _total(left), _total(right))


def _total(text: str) -> E.Expr:
    terms = []
    for sign, product in _TERM.findall(text):
        factors = product.split("*")
        coefficient = math.prod([int(factor) for factor in factors if factor[0].isdigit()])
        atoms = [atom for factor in factors if not factor[0].isdigit() and (atom := E.symbol(factor).atom) is not None]
        terms.append((E.monomial(atoms), -coefficient if sign == "-" else coefficient))
    total = E.combination(0, {}, terms)
    _bounded(total)
    return total


def _read(tree: ast.expr) -> Any:
    return _bounded(_value_of(tree))


def _bounded(value: Any) -> Any:
    """The value, of numbers that are not too large. Raises ``ValueError``."""
    numbers = (value.const, *value.terms.values()) if isinstance(value, E.Expr) else ()
    if any(number.bit_length() > limits.PARSED_BITS for number in numbers):
        raise ValueError("a number is too large")
    return value


def _value_of(tree: ast.expr) -> Any:
    match tree:
        case ast.Name(name):
            return float_symbol(name) if is_float_name(name) else E.symbol(name)
        case ast.Constant(bool() as value):
            return E.boolean(value)
        case ast.Constant(int() as value):
            return E.integer(value)
        case ast.Constant(float() as value):
            return value
        case ast.BinOp(_, ast.Add() | ast.Sub(), _):
            return _sum(tree)
        case ast.BinOp(_, ast.Mult(), _):
            return _product(tree)
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            a, b = _read(left), _read(right)
            if isinstance(op, (ast.LShift, ast.Pow)) and isinstance(b, E.Expr) and b.is_const and b.const > limits.PARSED_BITS:
                raise ValueError("an exponent is too large")
            return _BINARY[type(op)](a, b)
        case ast.UnaryOp(ast.USub(), operand):
            value = _read(operand)
            return float_node("fneg", value) if isinstance(value, E.Float) else -value
        case ast.UnaryOp(ast.Not(), operand):
            return E.negation(_truth(_read(operand)))
        case ast.BoolOp(ast.And(), values):
            return E.conjunction([_truth(_read(value)) for value in values])
        case ast.BoolOp(ast.Or(), values):
            return E.disjunction([_truth(_read(value)) for value in values])
        case ast.Compare(left, ops, comparators) if all(type(op) in _COMPARE for op in ops):
            sides = [_read(left), *map(_read, comparators)]
            return E.conjunction([_comparison(_COMPARE[type(op)], a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False)])
        case ast.Call(ast.Name("float"), [ast.Constant(("inf" | "-inf" | "nan") as value)], []):
            return float(value)
        case ast.Call(ast.Name(name), args, []) if name in _CALLS:
            return _CALLS[name](*[_read(arg) for arg in args])
    raise ValueError(f"not an expression: {ast.unparse(tree)[:80]!r}")


def _sum(tree: ast.expr) -> Any:
    """The sum of all terms at once: one by one, each would make a sum of all before it."""
    terms: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
        terms.append((tree.op, tree.right))
        tree = tree.left
    first, rest = _read(tree), [(op, _read(term)) for op, term in reversed(terms)]
    if _floats(first, *(value for _, value in rest)):  # whose sums depend on their order
        return functools.reduce(lambda total, term: _BINARY[type(term[0])](total, term[1]), rest, first)
    signed = [(E.expr(value), 1 if isinstance(op, ast.Add) else -1) for op, value in rest]
    return E.combination(0, {}, ((E.expr(first), 1), *signed))


def _product(tree: ast.expr) -> Any:
    """The product of all factors at once, where it has one term."""
    factors: list[ast.expr] = []
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        factors.append(tree.right)
        tree = tree.left
    values = [_read(tree), *map(_read, reversed(factors))]
    coefficient = 1
    atoms: list[E.Atom] = []
    for value in values:
        if not isinstance(value, E.Expr) or len(value.terms) + bool(value.const) != 1:
            return functools.reduce(_BINARY[ast.Mult], values)
        ((atom, number),) = value.items or ((None, value.const),)
        coefficient *= number
        if atom is not None:
            atoms.extend(atom.args if atom.op == "mul" else (atom,))
    return E.monomial(atoms) * coefficient


def _truth(value: Any) -> E.Bool:
    if isinstance(value, E.Bool):
        return value
    raise ValueError(f"not a truth: {str(value)[:80]}")
