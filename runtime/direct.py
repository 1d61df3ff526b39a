"""Programs of one call: what the C extension does itself, without a frame of Python.

It is read off the source of the compiled function: where that is one call between checks and
``return``, of parameters and constants, the extension makes it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Direct(NamedTuple):
    """``kind``: of `KINDS`. ``operands``: places among the parameters and, behind them, the
    ``constants``; the last ones are passed by these ``keywords``. ``given``: the place of the
    result, -1 for that of the call.
    """

    kind: int
    function: Any
    operands: tuple[int, ...]
    keywords: tuple[str, ...]
    constants: tuple[Any, ...]
    given: int


CALL, READ, WRITE, NOTHING = KINDS = range(4)
"""A call of a function, an index that is read, one that is written, no call at all."""


def direct(lines: Sequence[str], result: str, parameters: Sequence[str], namespace: Mapping[str, Any]) -> Direct | None:
    """What a function does that has these statements and returns ``result``; ``None`` where that is
    more than one call.
    """
    try:
        reader = _Reader(parameters, namespace)
        kind, function, operands, keywords, name = reader.statement(lines)
        places = [reader.place(operand) for operand in (*operands, *keywords.values())]
        given = -1 if result == name else reader.place(ast.parse(result, mode="eval").body)
    except (LookupError, ValueError):
        return None
    return Direct(kind, function, tuple(places), tuple(keywords), tuple(reader.constants), given)


class _Reader:
    """Raises `LookupError` or `ValueError` for what is no call of parameters and constants."""

    def __init__(self, parameters: Sequence[str], namespace: Mapping[str, Any]) -> None:
        self.parameters, self.namespace = list(parameters), namespace
        self.constants: list[Any] = []

    def place(self, text: ast.expr) -> int:
        """The place of an operand."""
        if isinstance(text, ast.Name) and text.id in self.parameters:
            return self.parameters.index(text.id)
        self.constants.append(self._constant(text))
        return len(self.parameters) + len(self.constants) - 1

    def _constant(self, text: ast.expr) -> Any:
        if isinstance(text, ast.Name):
            return self.namespace[text.id]
        if isinstance(text, (ast.Constant, ast.Tuple, ast.UnaryOp)) and not any(isinstance(part, ast.Name) for part in ast.walk(text)):
            return ast.literal_eval(text)
        raise LookupError

    def statement(self, lines: Sequence[str]) -> tuple[int, Any, list[ast.expr], dict[str, ast.expr], str]:
        """The kind, the function that is called, the operands, those by name, and the name of the
        result.
        """
        if not lines:
            return NOTHING, None, [], {}, ""
        match ast.parse("\n".join(lines)).body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
                return *self._call(value), name
            case [ast.Assign(targets=[ast.Subscript(value=base, slice=index)], value=value)]:
                return WRITE, None, [base, index, value], {}, ""
            case [ast.Expr(value=value)]:
                return *self._call(value), ""
        raise LookupError

    def _call(self, text: ast.expr) -> tuple[int, Any, list[ast.expr], dict[str, ast.expr]]:
        match text:
            case ast.Subscript(value=base, slice=index):
                return READ, None, [base, index], {}
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in self.namespace:
                return CALL, self.namespace[name], args, _named(keywords)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as base, attr=method), args=args, keywords=keywords) if (
                name in self.parameters
            ):
                return CALL, getattr(np.ndarray, method), [base, *args], _named(keywords)
        raise LookupError


def _named(keywords: Sequence[ast.keyword]) -> dict[str, ast.expr]:
    if any(keyword.arg is None for keyword in keywords):
        raise LookupError
    return {str(keyword.arg): keyword.value for keyword in keywords}
