"""Calls and names as people write them, for readers of generated modules: operators of arrays,
methods, ``raise``, and the names that the program's own source gives to its values.

Each form runs the code of NumPy that the kernel runs, on the same operands.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control import TEXT, class_of, has_own_init
from npexport.ir.ops.np_products import OPERATORS_OF_ARRAYS
from npexport.runtime.kernels.control import check
from npexport.symshapes.errors import blamed

_IN_PLACE = frozenset("+ - * / // % & | ^ << >>".split())
_NUMBERS = bool, int, float, complex, np.generic


def is_array(arg: Any) -> bool:
    return isinstance(arg, Node) and isinstance(arg.meta["val"], TensorMeta) and not arg.meta["val"].scalar


def has_slices(index: Any) -> bool:
    return type(index) is slice or (type(index) is tuple and any(type(item) is slice for item in index))


def operator_of(node: Node) -> str | None:
    """The template of a ufunc's call as the operator of arrays that calls it, if there is one."""
    if node.kwargs or not any(map(is_array, node.args)) or not all(isinstance(arg, (Node, *_NUMBERS)) for arg in node.args):
        return None
    return OPERATORS_OF_ARRAYS.get(node.target)  # type: ignore[arg-type]


def operator_in_place(node: Node) -> str | None:
    """The template of ``x += y`` for a call that writes to its first operand, if there is one."""
    template = operator_of(node)
    sign = None if template is None or len(node.args) == 1 else template.split()[1]
    return f"{{0}} {sign}= {{1}}" if sign in _IN_PLACE else None


def reduction_of(node: Node) -> str | None:
    """The template of ``x.sum(0)`` for a reduction of an array; ``None`` of any other call."""
    op: Any = node.target
    is_reduction = op.method is not None and op.method.__name__ == "reduce" and hasattr(np.ndarray, op.name)
    if not (is_reduction and is_array(node.args[0]) and len(node.args) <= 2 and node.kwargs.keys() <= {"axis", "keepdims"}):
        return None
    first = len(node.args) if node.args[1:] in ((), (None,)) else 1
    places = [*range(first, len(node.args)), *range(len(node.args), len(node.args) + len(node.kwargs))]
    return f"{{0}}.{op.name}({', '.join(f'{{{place}}}' for place in places)})"


def raised(node: Node) -> tuple[type[BaseException], tuple[Any, ...]] | None:
    """The class and the arguments of what a check raises, where a ``raise`` says all of it."""
    if node.target.kernel is not check or len(node.args) != 3:  # type: ignore[union-attr]
        return None
    _, error, args = node.args
    cls = class_of(error)
    return (cls, args) if not has_own_init(cls) and all(type(arg) in (str, int, float, bool) and arg != TEXT for arg in args) else None


def own_name(node: Node) -> str | None:
    """The variable to which the user's line assigns the value, ``x`` of ``x = y + 1``, ``x += 1``,
    ``self.x = y + 1`` and ``x[0] = y``; ``None`` where it is a part of the line only.
    """
    stack = node.meta.get("stack_trace", ())
    where = blamed(stack)
    if where is None or where.column is None or where.end_line != where.line:
        return None
    scatter = "scatter" in getattr(node.target, "traits", ())
    if any((scatter or user.target is not node.target) and user.meta.get("stack_trace") == stack for user in node.users):
        return None  # another step of the same call
    values, written = _targets(where.source)
    return (written if scatter else values).get((where.column, where.end_column))


_Names = dict[tuple[int | None, int | None], str]


@functools.lru_cache(1024)
def _targets(line: str) -> tuple[_Names, _Names]:
    """The spans of values that a line assigns, and what it calls them; and the spans of the writes
    to items, with the variables that hold these.
    """
    text = line.lstrip()
    indent = len(line) - len(text)
    values: _Names = {}
    written: _Names = {}
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a part of a statement, or what no person wrote
        return values, written
    for each in (each for statement in statements for each in ast.walk(statement)):
        if isinstance(each, ast.Assign) and len(each.targets) == 1:
            target: Any = each.targets[0]
            value: Any = each.value
        elif isinstance(each, (ast.AugAssign, ast.NamedExpr, ast.AnnAssign)) and each.value is not None:
            target, value = each.target, each if isinstance(each, ast.AugAssign) else each.value
        else:
            continue
        item = isinstance(target, ast.Subscript)
        span = target if item and value is not each else value
        name = _variable(target)
        if name is not None:
            (written if item else values)[indent + span.col_offset, indent + span.end_col_offset] = name
    return values, written


def _variable(target: Any) -> str | None:
    """The variable or attribute that a target is, or whose items it is among."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else None
