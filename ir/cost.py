"""The cost of a program: arithmetic and memory, per line and per module, as expressions in its
sizes.

The operations of products are counted (``flops`` of their records), and one operation for each
element that an element-wise operator makes or a reduction takes; sorting, drawing, moving and
looking up cost none. Bytes are those of new arrays; views make none. For a loop that is one node,
one iteration is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from npexport.ir.aliasing import may_alias
from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.graph import Graph
from npexport.ir.meta import TensorMeta
from npexport.ir.node import CALL, Node, value_of
from npexport.ir.rows import product
from npexport.symshapes.errors import blamed
from npexport.symshapes.expr import Expr, integer
from npexport.symshapes.rewrite import evaluate


class Cost(NamedTuple):
    """The calls in a part of a program, their operations, and the bytes of the arrays that they
    make.
    """

    calls: int = 0
    flops: Expr = integer(0)
    bytes: Expr = integer(0)

    def plus(self, other: Cost) -> Cost:
        """Both."""
        return Cost(self.calls + other.calls, self.flops + other.flops, self.bytes + other.bytes)


class Peak(NamedTuple):
    """The largest total size of arrays alive at the same time, and the call where that is."""

    bytes: Expr
    node: Node | None


def by_line(graph: Graph) -> dict[tuple[str, int, str], Cost]:
    """The cost of each line: (file, line, source)."""

    def line(node: Node) -> Iterable[tuple[str, int, str]]:
        place = blamed(node.meta.get("stack_trace", ()))
        return [] if place is None else [(place.file, place.line, place.source.strip())]

    return _sums(graph, line)


def by_module(graph: Graph) -> dict[str, Cost]:
    """The cost of each module by its path, those in it included; that of the whole program is
    called ``""``.
    """
    return _sums(graph, lambda node: dict.fromkeys(["", *node.meta.get("nn_module_stack", {})]))


def _sums(graph: Graph, keys: Any) -> dict[Any, Cost]:
    found: dict[Hashable, Cost] = {}
    for each in graph.all_graphs():
        for node in each.nodes:
            for key in keys(node) if node.op == CALL else ():
                found[key] = found.get(key, Cost()).plus(of_call(node))
    return found


def of_call(node: Node) -> Cost:
    """The cost of one call."""
    op: Any = node.target
    made = integer(0) if "view" in op.traits or op.namespace == "sym" else _bytes(node)  # sizes, and parts of results
    return Cost(1, _flops(node), made)


def _flops(node: Node) -> Expr:
    op: Any = node.target
    result = node.meta.get("val")
    if op.flops is not None:
        bound = op.signature.bind(*node.args, **node.kwargs)
        bound.apply_defaults()
        arguments = map_leaves(dict(bound.arguments), value_of)
        counted: Expr = op.flops(arguments, result)
        return counted
    if "reduction" in op.traits:
        operands = [leaf.meta["val"] for leaf in leaves_of(node.args[:1]) if type(leaf) is Node]
        return _elements(operands)
    return _elements(result) if "elementwise" in op.traits else integer(0)


def _elements(value: Any) -> Expr:
    return sum([product(meta.shape) for meta in _metas(value)], start=integer(0))


def _bytes(node: Node) -> Expr:
    return sum([product(meta.shape) * meta.dtype.itemsize for meta in _metas(node.meta.get("val"))], start=integer(0))


def _metas(value: Any) -> list[TensorMeta]:
    parts = value if isinstance(value, (tuple, list)) else [value]
    return [part for part in parts if isinstance(part, TensorMeta)]


def peak(graph: Graph) -> Peak:
    """When each array goes as soon as nothing needs it, at the sizes of the example; inputs,
    parameters and what branches and loops make meanwhile are not counted.
    """
    storages, nodes = may_alias(graph), list(graph.nodes)
    last: dict[Node, int] = {}
    for place, node in enumerate(nodes):
        for operand in (node, *node.all_input_nodes):
            last.update(dict.fromkeys(storages.get(operand, ()), place))
    ends: dict[int, list[Node]] = defaultdict(list)
    for node, place in last.items():
        ends[place].append(node)
    numbers = hints(graph)
    alive, most, found = integer(0), -1, Peak(integer(0), None)
    for place, node in enumerate(nodes):
        alive += _own(node, storages)
        if node.op == CALL and (now := evaluate(alive, numbers)) > most:
            most, found = now, Peak(alive, node)
        alive -= sum([_own(each, storages) for each in ends[place]], start=integer(0))
    return found


def number(size: Expr) -> int | str:
    """A number of operations or bytes as data: an ``int``, or the expression."""
    return int(size.const) if size.is_const else str(size)


def as_dict(graph: Graph) -> dict[str, Any]:
    """The costs as data that JSON takes: of each of ``lines`` and ``modules`` its ``calls``,
    ``flops`` and ``bytes``; of the ``peak`` its ``bytes``, and the ``node`` and the line where it
    is, ``None`` where nothing is called.
    """
    lines = [{"file": file, "line": line, "source": code, **_as_dict(row)} for (file, line, code), row in by_line(graph).items()]
    modules = [{"path": path, **_as_dict(row)} for path, row in by_module(graph).items()]
    most = peak(graph)
    place = None if most.node is None else blamed(most.node.meta.get("stack_trace", ()))
    return {
        "lines": lines,
        "modules": modules,
        "peak": {
            "bytes": number(most.bytes),
            "node": most.node.name if most.node is not None else None,
            "file": place.file if place is not None else None,
            "line": place.line if place is not None else None,
        },
    }


def _as_dict(row: Cost) -> dict[str, Any]:
    return {"calls": row.calls, "flops": number(row.flops), "bytes": number(row.bytes)}


def as_text(graph: Graph) -> str:
    """The costs for people: a row for each line and module, and the peak."""
    found = as_dict(graph)
    rows = [("calls", "FLOPs", "bytes", "")]
    rows += [(*_cells(row), at(row["file"], row["line"], row["source"])) for row in found["lines"]]
    rows += [(*_cells(row), f"module {row['path']}" if row["path"] else "the program") for row in found["modules"]]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    texts = ["  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in rows]
    most = found["peak"]
    where = f" at {most['node']}" if most["node"] else ""
    return "\n".join([*texts, f"Peak memory of new arrays: {most['bytes']} bytes{where}"])


def at(file: str, line: int, source: str) -> str:
    """A line for people: with its text, where that is known.

    >>> at("model.py", 3, "return x"), at("<string>", 3, "")
    ('model.py:3: return x', '<string>:3')
    """
    return f"{file}:{line}: {source}" if source else f"{file}:{line}"


def _cells(row: dict[str, Any]) -> tuple[str, str, str]:
    return str(row["calls"]), str(row["flops"]), str(row["bytes"])


def _own(node: Node, storages: Mapping[Node, set[Node]]) -> Expr:
    return _bytes(node) if node.op == CALL and storages.get(node) == {node} else integer(0)


def hints(graph: Graph) -> Mapping[str, int]:
    """The sizes of the example; of those that only the data decide, 1."""
    known = {name: hint for env in graph.environments() for name, hint in env.hints.items() if isinstance(hint, int)}
    return defaultdict(lambda: 1, known)
