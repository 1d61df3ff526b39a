"""Graphs and programs as readable text: Python-like, each value with its shape, each group of nodes
under the user's line.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from npexport.ir.error_states import managers_text
from npexport.ir.meta import TensorMeta, size_text
from npexport.ir.node import CALL, OUTPUT, PLACEHOLDER, Node, SubGraph, map_nodes, sub_graphs
from npexport.ir.pytree import default_name
from npexport.ir.statics import TYPES, taken_apart
from npexport.symshapes.errors import blamed
from npexport.symshapes.plain import plain

INDENT = "    "
SCALAR = " scalar"  # after a NumPy scalar that is an input, or that a user's operator gives; others follow from their operators


class Nodes(Protocol):
    """The part of a graph that is printed."""

    nodes: list[Node]


def value_text(val: Any, scalars: bool = False) -> str:
    """What stands in a node's annotation: ``f32[s0, 64]``, ``Sym(s0 + 1)``, a Python value's own
    text, or several in parentheses. ``scalars``: whether scalars of NumPy are marked.
    """
    if isinstance(val, TensorMeta):
        return str(val) + (SCALAR if scalars and val.scalar else "")
    if isinstance(val, (tuple, list)):
        return f"({', '.join([value_text(part, scalars) for part in val])}{',' if len(val) == 1 else ''})"
    if val is None or isinstance(val, (bool, int, float, complex, str, bytes, np.generic)):
        return arg_text(val)
    return f"Sym({size_text(val)})"


def arg_text(arg: Any) -> str:
    """An argument as Python source: nodes by name, dtypes as ``np.dtype('float32')``."""
    kind = type(arg)
    if kind is Node or isinstance(arg, SubGraph):
        return str(arg.name)
    if kind is tuple:
        return f"({', '.join(map(arg_text, arg))}{',' if len(arg) == 1 else ''})"
    if kind is list:
        return f"[{', '.join(map(arg_text, arg))}]"
    if kind is dict:
        return "{" + ", ".join(f"{arg_text(key)}: {arg_text(item)}" for key, item in arg.items()) + "}"
    if kind is slice:
        return f"slice({arg_text(arg.start)}, {arg_text(arg.stop)}, {arg_text(arg.step)})"
    if kind is frozenset:
        return f"frozenset([{', '.join(sorted(map(arg_text, arg)))}])"
    if arg is Ellipsis:
        return "..."
    if isinstance(arg, enum.Enum):
        return f"member({default_name(kind)!r}, {arg._name_!r})"
    if kind is float and not math.isfinite(arg):
        return f"float('{arg!r}')"
    if isinstance(arg, np.inexact) and kind not in (np.longdouble, np.clongdouble) and not (np.isfinite(arg) and np.isrealobj(arg)):
        return f"np.{kind.__name__}({arg_text(arg.item())})"
    if isinstance(arg, type):
        name = f"{arg.__module__}.{arg.__name__}"
        return f"type({name!r})" if TYPES.get(name) is arg else f"exception({default_name(arg)!r})"  # of a module of the user's
    if kind is complex:
        return f"complex({arg_text(arg.real)}, {arg_text(arg.imag)})"
    if isinstance(arg, np.dtype):
        return "np.dtype('T')" if arg.kind == "T" else f"np.{arg!r}"
    apart = taken_apart(arg)
    return repr(arg) if apart is None else f"{apart[0]}({', '.join(map(repr, apart[1]))})"


def call_text(node: Node) -> str:
    """``ops.np.sum(x, axis=0)``."""
    parts = [arg_text(arg) for arg in node.args]
    parts += [f"{key}={arg_text(value)}" for key, value in node.kwargs.items()]
    return f"{node.target}({', '.join(parts)})"


def node_text(node: Node) -> str:
    """One node as a line:

    ``sin: "f32[10, 10]" = ops.np.sin(x)``, a placeholder as ``x: "f32[10, 10]"``, the output as
    ``return (sin,)``.
    """
    if node.op == OUTPUT:
        return f"return {arg_text(node.args[0])}"
    head = node.name
    if "val" in node.meta:
        value = value_text(node.meta["val"], node.op == PLACEHOLDER or _is_declared(node))
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        head += f': "{quoted}"'
    return f"{head} = {call_text(node)}" if node.op == CALL else head


def _is_declared(node: Node) -> bool:
    """Whether no rule says what a call gives."""
    return node.op == CALL and bool(getattr(node.target, "home", ""))


def source_comment(node: Node, shown: Callable[[str], str] = str) -> str:
    """``# model.py:12 in forward, code: y = np.sin(x)``: the user's line, not that of a layer it
    calls; empty where the node has none. ``shown``: how files are named.
    """
    where = blamed(node.meta.get("stack_trace", ()))
    if where is None:
        return ""
    where = replace(where, file=shown(where.file))
    code = plain(where.source.strip())
    return f"# {where}, code: {code}" if code else f"# {where}"


def _body(graph: Nodes) -> Iterator[str]:
    previous, state = "", ()
    for node in graph.nodes:
        if node.op == PLACEHOLDER:
            continue
        before, state = state, node.meta.get("errors", ())
        comment = source_comment(node)
        if comment and comment != previous:
            yield from (("",) if previous else ())
            yield INDENT * bool(state and state == before) + comment
        previous = comment or previous
        if state and state != before:
            yield f"with {managers_text(state)}:"
        yield INDENT * bool(state) + node_text(node)


def graph_code(graph: Nodes) -> str:
    """The graph as a function: ``def forward(self, x: "f32[10]"):`` and its body."""
    inputs = ", ".join(["self", *(node_text(node) for node in graph.nodes if node.op == PLACEHOLDER)])
    lines = [f"def forward({inputs}):", *(line and INDENT + line for line in _body(graph))]
    parts = ["\n".join(map(plain, lines)) + "\n"]
    parts += [f"class {module.name}(nn.Module):\n{indent(graph_code(module.graph))}" for module in sub_graphs(graph.nodes)]
    return "\n".join(parts)


def graph_module_code(graph: Nodes) -> str:
    """The graph as the ``forward`` of ``class GraphModule(nn.Module)``."""
    return "class GraphModule(nn.Module):\n" + indent(graph_code(graph))


class _Reference:
    """A node as the listing writes it: ``%sin``."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"%{self.node}"


def graph_listing(graph: Nodes) -> str:
    """The nodes one a line, each with its kind and how many others use it, as ``torch.fx`` lists
    them.
    """
    lines = ["graph():"]
    for node in graph.nodes:
        if node.op == OUTPUT:
            lines.append(node_text(node))
            continue
        call = ""
        if node.op == CALL:
            args, kwargs = map_nodes((node.args, node.kwargs), _Reference)
            call = f"(args = {arg_text(args)}, kwargs = {arg_text(kwargs)})"
        lines.append(f"%{node} : [num_users={len(node.users)}] = {node.op}[target={node.target}]{call}")
    return f"\n{INDENT}".join(map(plain, lines))


def indent(text: str, by: str = INDENT) -> str:
    """Every line that is not empty, indented."""
    return "\n".join(line and by + line for line in text.split("\n"))
