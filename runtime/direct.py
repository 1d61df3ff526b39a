"""Programs of a few calls: what the C extension does itself, without a frame of Python.

It is read off the source of the compiled function: where that is one call after the other, between
checks and ``return``, the extension makes them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

MOST = 8
"""More steps gain nothing: Python makes the single step as fast."""
_STATEMENTS = 4 * MOST
"""A function of more statements than this is not parsed: it makes more calls than that."""
_OPERANDS = 32
"""The largest number of operands that the C extension has room for."""


class Step(NamedTuple):
    """``kind``: of `KINDS`. ``function``: what is called, the name of a method or an attribute, or
    the number of an operator. ``operands``: places of parameters, of constants behind them, and of
    results of steps, from -1 down; the last ones are passed by these ``keywords``. ``line``: that
    of the statement.
    """

    kind: int
    function: Any
    operands: tuple[int, ...]
    keywords: tuple[str, ...]
    line: int


class Direct(NamedTuple):
    """``given``: the place of the result."""

    steps: tuple[Step, ...]
    constants: tuple[Any, ...]
    given: int


CALL, METHOD, ATTRIBUTE, READ, WRITE, OPERATE, COMPARE, TUPLE, LIST, RELEASE = KINDS = range(10)
_OPERATORS = ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.USub, ast.Not
"""The operators by their numbers."""
_COMPARISONS = ast.Lt, ast.LtE, ast.Eq, ast.NotEq, ast.Gt, ast.GtE


def direct(lines: Sequence[str], result: str, parameters: Sequence[str], namespace: Mapping[str, Any], before: int) -> Direct | None:
    """What a function does that has these statements, on lines behind those ``before``, and returns
    ``result``; ``None`` where that is anything but a few calls.
    """
    if len(lines) > _STATEMENTS:
        return None
    reader = _Reader(parameters, namespace)
    try:
        for statement in ast.parse("\n".join(lines)).body:
            reader.statement(statement, before + statement.lineno)
        given = reader.place(ast.parse(result, mode="eval").body, 0)
    except (LookupError, ValueError):
        return None
    made = sum(step.kind != RELEASE for step in reader.steps)
    return Direct(tuple(reader.steps), tuple(reader.constants), given) if made <= MOST else None


class _Reader:
    """Raises `LookupError` or `ValueError` for anything but calls of parameters and constants."""

    def __init__(self, parameters: Sequence[str], namespace: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self.places = {name: place for place, name in enumerate(parameters)}
        self.first = len(parameters)
        self.constants: list[Any] = []
        self.steps: list[Step] = []

    def statement(self, statement: ast.stmt, line: int) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.places[name] = self.place(value, line)
            case ast.Assign(targets=[ast.Subscript(value=base, slice=index)], value=value):
                new = self.place(value, line)
                self._step(WRITE, None, [self.place(base, line), self.place(index, line), new], line)
            case ast.Expr(value=ast.Call() as value):  # what it gives is the array that it has written to
                self._step(RELEASE, None, [self.place(value, line)], line)
            case ast.Delete(targets=targets):
                gone = [self.places.pop(target.id) for target in targets if isinstance(target, ast.Name)]
                self._step(RELEASE, None, [place for place in gone if place < 0 and place not in self.places.values()], line)
            case _:
                raise LookupError

    def _step(self, kind: int, function: Any, operands: Sequence[int], line: int, keywords: Sequence[str] = ()) -> int:
        if len(operands) > _OPERANDS:
            raise LookupError
        self.steps.append(Step(kind, function, tuple(operands), tuple(keywords), line))
        return -len(self.steps)

    def place(self, text: ast.expr, line: int) -> int:
        """The place of a value, which the steps until then have made."""
        match text:
            case ast.Name(id=name) if name in self.places:
                return self.places[name]
            case ast.Name(id=name):
                return self._constant(self.namespace[name])
            case ast.Constant() | ast.Tuple() | ast.UnaryOp() if not any(isinstance(part, (ast.Name, ast.List)) for part in ast.walk(text)):
                return self._constant(ast.literal_eval(text))
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return self._step(TUPLE if isinstance(text, ast.Tuple) else LIST, None, [self.place(item, line) for item in items], line)
            case ast.Subscript(value=base, slice=index):
                return self._step(READ, None, [self.place(base, line), self.place(index, line)], line)
            case ast.Attribute(value=base, attr=name):
                return self._step(ATTRIBUTE, name, [self.place(base, line)], line)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._step(OPERATE, _OPERATORS.index(type(operator)), [self.place(left, line), self.place(right, line)], line)
            case ast.UnaryOp(op=operator, operand=operand):
                return self._step(OPERATE, _OPERATORS.index(type(operator)), [self.place(operand, line)], line)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self._step(COMPARE, _COMPARISONS.index(type(operator)), [self.place(left, line), self.place(right, line)], line)
            case ast.Call(func=function, args=args, keywords=keywords):
                return self._call(function, args, keywords, line)
        raise LookupError

    def _call(self, function: ast.expr, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], line: int) -> int:
        base: list[ast.expr]
        match function:
            case ast.Name(id=name):
                kind, called, base = CALL, self.namespace[name], []
            case ast.Attribute(value=ast.Name(id=name) as value, attr=method) if self.places.get(name, -1) >= 0:
                kind, called, base = CALL, getattr(np.ndarray, method), [value]
            case ast.Attribute(value=value, attr=method):
                kind, called, base = METHOD, method, [value]
            case _:
                raise LookupError
        operands = [self.place(operand, line) for operand in (*base, *args, *[keyword.value for keyword in keywords])]
        return self._step(kind, called, operands, line, [_named(keyword) for keyword in keywords])

    def _constant(self, value: Any) -> int:
        self.constants.append(value)
        return self.first + len(self.constants) - 1


def _named(keyword: ast.keyword) -> str:
    if keyword.arg is None:
        raise LookupError
    return keyword.arg
