"""Graphs and programs as readable text: Python-like, each value with its shape, each group of nodes under the user's line."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Graph, Node, map_nodes
from npexport.ir.meta import TensorMeta, size_text
from npexport.symshapes.errors import blamed

if TYPE_CHECKING:
    from npexport.ir.program import ExportedProgram

INDENT = "    "
SCALAR = " scalar"  # after the value of an input that is a NumPy scalar; those of calls follow from their operators


def value_text(val: Any) -> str:
    """What stands in a node's annotation: ``f32[s0, 64]``, ``Sym(s0 + 1)``, a Python value's own text, or several in parentheses."""
    if isinstance(val, TensorMeta):
        return str(val)
    if isinstance(val, (tuple, list)):
        return f"({', '.join(map(value_text, val))}{',' if len(val) == 1 else ''})"
    if val is None or isinstance(val, (bool, int, float, complex, str, bytes, np.generic)):
        return arg_text(val)
    return f"Sym({size_text(val)})"


def arg_text(arg: Any) -> str:
    """An argument as Python source: nodes by name, dtypes as ``np.dtype('float32')``."""
    kind = type(arg)
    if kind is Node:
        return str(arg.name)
    if kind is tuple:
        return f"({', '.join(map(arg_text, arg))}{',' if len(arg) == 1 else ''})"
    if kind is list:
        return f"[{', '.join(map(arg_text, arg))}]"
    if kind is dict:
        return "{" + ", ".join(f"{key!r}: {arg_text(item)}" for key, item in arg.items()) + "}"
    if kind is slice:
        return f"slice({arg_text(arg.start)}, {arg_text(arg.stop)}, {arg_text(arg.step)})"
    if arg is Ellipsis:
        return "..."
    if kind is float and not math.isfinite(arg):
        return f"float('{arg!r}')"
    if isinstance(arg, np.inexact) and kind is not np.longdouble and not (np.isfinite(arg) and np.isrealobj(arg)):
        return f"np.{kind.__name__}({arg_text(arg.item())})"
    if kind is complex:
        return f"complex({arg_text(arg.real)}, {arg_text(arg.imag)})"
    return f"np.{arg!r}" if isinstance(arg, np.dtype) else repr(arg)


def call_text(node: Node) -> str:
    """``ops.np.sum(x, axis=0)``."""
    parts = [arg_text(arg) for arg in node.args]
    parts += [f"{key}={arg_text(value)}" for key, value in node.kwargs.items()]
    return f"{node.target}({', '.join(parts)})"


def node_text(node: Node) -> str:
    """One node as a line:

    ``sin: "f32[10, 10]" = ops.np.sin(x)``, a placeholder as ``x: "f32[10, 10]"``, the output as ``return (sin,)``.
    """
    if node.op == OUTPUT:
        return f"return {arg_text(node.args[0])}"
    head = node.name
    if "val" in node.meta:
        value = value_text(node.meta["val"]) + (SCALAR if node.op == PLACEHOLDER and _is_scalar(node.meta["val"]) else "")
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        head += f': "{quoted}"'
    return f"{head} = {call_text(node)}" if node.op == CALL else head


def _is_scalar(value: Any) -> bool:
    return isinstance(value, TensorMeta) and value.scalar


def source_comment(node: Node) -> str:
    """``# model.py:12 in forward, code: y = np.sin(x)``: the user's line, not that of a layer it calls; empty where the node has none."""
    where = blamed(node.meta.get("stack_trace", ()))
    if where is None:
        return ""
    code = where.source.strip()
    return f"# {where}, code: {code}" if code else f"# {where}"


def _body(graph: Graph) -> Iterator[str]:
    previous = ""
    for node in graph.nodes:
        if node.op == PLACEHOLDER:
            continue
        comment = source_comment(node)
        if comment and comment != previous:
            yield from (("",) if previous else ())
            yield comment
        previous = comment or previous
        yield node_text(node)


def graph_code(graph: Graph) -> str:
    """The graph as a function: ``def forward(self, x: "f32[10]"):`` and its body."""
    inputs = ", ".join(["self", *(node_text(node) for node in graph.placeholders)])
    lines = [f"def forward({inputs}):", *(line and INDENT + line for line in _body(graph))]
    return "\n".join(lines) + "\n"


def graph_module_code(graph: Graph) -> str:
    """The graph as the ``forward`` of ``class GraphModule(nn.Module)``."""
    return "class GraphModule(nn.Module):\n" + indent(graph_code(graph))


class _Reference:
    """A node as the listing writes it: ``%sin``."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"%{self.node}"


def graph_listing(graph: Graph) -> str:
    """The nodes one a line, each with its kind and how many others use it, as ``torch.fx`` lists them."""
    users = Counter(operand for node in graph for operand in node.all_input_nodes)
    lines = ["graph():"]
    for node in graph:
        if node.op == OUTPUT:
            lines.append(node_text(node))
            continue
        call = ""
        if node.op == CALL:
            args, kwargs = map_nodes((node.args, node.kwargs), _Reference)
            call = f"(args = {arg_text(args)}, kwargs = {arg_text(kwargs)})"
        lines.append(f"%{node} : [num_users={users[node]}] = {node.op}[target={node.target}]{call}")
    return f"\n{INDENT}".join(lines)


def indent(text: str, by: str = INDENT) -> str:
    """Every line that is not empty, indented."""
    return "\n".join(line and by + line for line in text.split("\n"))


def range_text(ranges: Mapping[Any, Any]) -> str:
    """``{s0: VR[3, 6], s0 + 1: VR[4, 7]}``."""
    return "{" + ", ".join(f"{symbol}: {bounds}" for symbol, bounds in ranges.items()) + "}"


def program_text(program: ExportedProgram) -> str:
    """The whole program: graph, signature, ranges, and the guards where there are any."""
    text = "ExportedProgram:\n" + indent(graph_module_code(program.graph))
    text += f"\nGraph signature:\n{indent(repr(program.graph_signature))}\n"
    text += f"Range constraints: {range_text(program.range_constraints)}\n"
    if program.guards:
        text += "Guards:\n" + "".join(f"{INDENT}{guard}\n" for guard in program.guards)
    return text
