"""Text to expressions: the inverse of :mod:`npexport.symshapes.printing`. Nothing is executed:
Python's parser gives a tree, a table gives it meaning.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
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
    """The ``Expr``, ``Bool``, ``Float`` or ``float`` that ``text`` denotes. Raises ``ValueError``
    for any other text.

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
    for value in values:  # noqa: SIM110 (a generator would take longer than the question)
        if isinstance(value, (float, E.Float)):
            return True
    return False


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


_FLOATING = {"<": "flt", "<=": "fle", ">": "flt", ">=": "fle", "==": "feq", "!=": "fne"}
_INTEGER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": E.eq, "!=": E.ne}


def _comparison(name: str, a: Any, b: Any) -> E.Bool:
    if _floats(a, b):
        return compare_floats(_FLOATING[name], *((b, a) if name[0] == ">" else (a, b)))
    truth: E.Bool = _INTEGER[name](E.expr(a), E.expr(b))
    return truth


_COMPARE: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def _extremum(integer: Callable[..., Any], floating: str) -> Callable[..., Any]:
    return lambda *args: float_node(floating, *args) if _floats(*args) else integer(*args)


_CALLS: dict[str, Callable[..., Any]] = {
    "min": _extremum(minimum, "fmin"),
    "max": _extremum(maximum, "fmax"),
    "abs": lambda a: float_node("fabs", a) if _floats(a) else absolute(a),
    "ceildiv": E.ceildiv,
    "pow": lambda a, b: float_node("fpow", a, b),
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
    """A sum of products of integers and symbols, or a comparison of two such sums; ``None`` for any
    other text. Most texts are such, and to parse them with ``ast`` would take most of the time.
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
    read = _READERS.get(type(tree))
    if read is None:
        raise _unknown(tree)
    return _bounded(read(tree))


def _bounded(value: Any) -> Any:
    """The value itself. Raises ``ValueError`` if one of its numbers is too large."""
    if type(value) is E.Expr:
        for number in (value.const, *value.terms.values()):
            if number.bit_length() > limits.PARSED_BITS:
                raise ValueError("a number is too large")
    return value


def _unknown(tree: ast.expr) -> ValueError:
    return ValueError(f"not an expression: {ast.unparse(tree)[:80]!r}")


def _symbol(tree: ast.Name) -> Any:
    return float_symbol(tree.id) if is_float_name(tree.id) else E.symbol(tree.id)


def _constant(tree: ast.Constant) -> Any:
    value = tree.value
    if type(value) is float:
        return value
    if type(value) not in (bool, int):
        raise _unknown(tree)
    return E.boolean(value) if type(value) is bool else E.integer(value)  # type: ignore[arg-type]


def _binary(tree: ast.BinOp) -> Any:
    op = type(tree.op)
    if op is ast.Add or op is ast.Sub:
        return _sum(tree)
    if op is ast.Mult:
        return _product(tree)
    if op not in _BINARY:
        raise _unknown(tree)
    a, b = _read(tree.left), _read(tree.right)
    most = limits.PARSED_EXPONENT if isinstance(a, E.Expr) and a.terms else limits.PARSED_BITS  # of constants it is computed
    if op in (ast.LShift, ast.Pow) and isinstance(b, E.Expr) and b.is_const and b.const > most:
        raise ValueError("an exponent is too large")
    return _BINARY[op](a, b)


def _unary(tree: ast.UnaryOp) -> Any:
    if isinstance(tree.op, ast.Not):
        return E.negation(_truth(_read(tree.operand)))
    if not isinstance(tree.op, ast.USub):
        raise _unknown(tree)
    value = _read(tree.operand)
    return float_node("fneg", value) if isinstance(value, E.Float) else -value


def _connected(tree: ast.BoolOp) -> E.Bool:
    values = [_truth(_read(value)) for value in tree.values]
    return E.conjunction(values) if isinstance(tree.op, ast.And) else E.disjunction(values)


def _compared(tree: ast.Compare) -> E.Bool:
    if any(type(op) not in _COMPARE for op in tree.ops):
        raise _unknown(tree)
    sides = [_read(tree.left), *map(_read, tree.comparators)]
    return E.conjunction([_comparison(_COMPARE[type(op)], a, b) for op, a, b in zip(tree.ops, sides, sides[1:], strict=False)])


def _called(tree: ast.Call) -> Any:
    match tree:
        case ast.Call(ast.Name("float"), [ast.Constant(("inf" | "-inf" | "nan") as value)], []):
            return float(value)
        case ast.Call(ast.Name(name), args, []) if name in _CALLS:
            return _CALLS[name](*[_read(arg) for arg in args])
    raise _unknown(tree)


_READERS: dict[type[ast.expr], Callable[[Any], Any]] = {
    ast.Name: _symbol,
    ast.Constant: _constant,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _connected,
    ast.Compare: _compared,
    ast.Call: _called,
}


def _sum(tree: ast.expr) -> Any:
    """The sum of all terms at once: added one by one, each partial sum would be built, too."""
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
    """The product of all factors: built at once if each factor is a single term."""
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
