"""Graphs in Graphviz' language (https:

graphviz.org/doc/info/lang.html): a box per node, clusters for modules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from npexport.ir.arguments import leaves_of
from npexport.ir.node import CALL, OUTPUT, PLACEHOLDER, Node, SubGraph
from npexport.ir.printing import arg_text, value_text
from npexport.symshapes.plain import plain

_SHAPES = {PLACEHOLDER: 'shape=box, style="rounded"', CALL: "shape=box", OUTPUT: 'shape=box, style="bold"'}


def graph_dot(graph: Any) -> str:
    """The text of a ``digraph``: operands point to what uses them; calls of a module stand in its
    cluster, and each sub-graph in one of its own.
    """
    modules = [("", graph), *((module.name, module.graph) for each in graph.all_graphs() for module in each.sub_graphs())]
    ids = {node: f"n{index}" for index, node in enumerate(node for _, each in modules for node in each.nodes)}
    numbers = itertools.count()
    lines = ["digraph program {", "  rankdir=TB;", '  node [fontname="monospace", fontsize=10];']
    for name, each in modules:
        tree: dict[str, Any] = {}
        for node in each.nodes:
            place = tree
            for path in node.meta.get("nn_module_stack", {}) if node.op == CALL and not name else ():
                place = place.setdefault(path, {}) if path else place
            place.setdefault("", []).append(node)
        lines += _cluster({name: tree} if name else tree, ids, "  ", numbers)
    lines += [f"  {ids[operand]} -> {ids[node]};" for node in ids for operand in node.all_input_nodes]
    return "\n".join([*lines, "}", ""])


def _cluster(tree: dict[str, Any], ids: dict[Node, str], indent: str, numbers: Iterator[int]) -> Iterator[str]:
    for path, part in tree.items():
        if path == "":
            yield from (f"{indent}{ids[node]} [{_SHAPES[node.op]}, label={_quoted(_label(node))}];" for node in part)
        else:
            yield f"{indent}subgraph cluster_{next(numbers)} {{"
            yield f"{indent}  label={_quoted(path)};"
            yield from _cluster(part, ids, indent + "  ", numbers)
            yield f"{indent}}}"


def _label(node: Node) -> str:
    if node.op == OUTPUT:
        return "output"
    text = node.name if node.op == PLACEHOLDER else f"{node.name} = {node.target}"
    constants = [arg_text(arg) for arg in node.args if not _holds_node(arg)] if node.op == CALL else []
    constants += [f"{key}={arg_text(arg)}" for key, arg in node.kwargs.items() if not _holds_node(arg)]
    shown = f"\n({', '.join(constants)})" if constants else ""
    return f"{text}{shown}\n{value_text(node.meta['val'])}" if "val" in node.meta else text + shown


def _holds_node(arg: Any) -> bool:
    return any(isinstance(leaf, (Node, SubGraph)) for leaf in leaves_of(arg))


def _quoted(text: str) -> str:
    lines = [plain(line) for line in text.split("\n")]
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'
