"""The data for the drawing of a report: the nested boxes of a graph.

A box is a module's call, a function's call, a line, or a stretch of a long list. Each contains
consecutive nodes, so that a folded graph has no cycle: an edge leads from what comes earlier to
what comes later. ``report.js`` computes the positions of the boxes.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from npexport.ir.graph import Graph
from npexport.ir.node import CALL, OUTPUT, PLACEHOLDER, Node, sub_graphs
from npexport.ir.printing import value_text
from npexport.symshapes.errors import own_frames
from npexport.symshapes.plain import plain

_DEEPEST = 100  # boxes within one another; calls that are deeper show in the innermost
_MANY = 24  # more inputs than this stand where they are used, and more nodes in one box stand in boxes of their lines
_STRETCH = 40  # of a list that is long all the same, so many stand in a box


class Box(NamedTuple):
    """A box that can be folded."""

    title: str
    note: str
    items: list[Any]


Item = Node | Box
Call = tuple[Hashable, str, str]
"""A call that contains others: what distinguishes it from its neighbours, its title and its
note.
"""


def drawing(whole: Graph, hidden: Collection[str], lines: dict[Node, str]) -> str:
    """The nodes, edges and boxes as JSON that may stand in an HTML script.

    Parameters
    ----------
    whole : Graph
        The graph; those of branches and loops stand in the boxes of their calls.
    hidden : collection of str
        Placeholders that are not drawn: there may be hundreds of parameters.
    lines : dict of Node to str
        What marks the source line of a node.
    """
    nodes = [node for graph in whole.all_graphs() for node in graph.nodes]
    numbers = {node: number for number, node in enumerate(nodes)}
    unseen = {node for node in whole.nodes if node.op == PLACEHOLDER and node.name in hidden}
    edges = [(numbers[operand], numbers[node]) for node in nodes for operand in node.all_input_nodes if operand not in unseen]
    for node in nodes:
        edges += [(numbers[node], numbers[entry]) for module in sub_graphs([node]) for entry in module.graph.placeholders]
    names: dict[Node, str] = {}
    boxes = _graph([node for node in whole.nodes if node not in unseen], names)
    content = {
        "nodes": [[node.op, names.get(node, "") + _title(node), _value(node), lines.get(node, "")] for node in nodes],
        "edges": edges,
        "boxes": _numbered(boxes, numbers),
    }
    text = json.dumps(content, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _title(node: Node) -> str:
    return plain(getattr(node.target, "name", node.name))


def _value(node: Node) -> str:
    return plain(value_text(node.meta["val"])) if "val" in node.meta and node.op != OUTPUT else ""


def _numbered(items: Iterable[Item], numbers: dict[Node, int]) -> list[Any]:
    """Nodes as their numbers, boxes as ``[title, note, items]``."""
    return [
        [plain(item.title), plain(item.note), _numbered(item.items, numbers)] if isinstance(item, Box) else numbers[item] for item in items
    ]


def _graph(nodes: list[Node], names: dict[Node, str]) -> list[Item]:
    """The boxes of a graph: by modules, where there are any, else by the functions called."""
    inputs = [node for node in nodes if node.op == PLACEHOLDER]
    calls = [node for node in nodes if node.op == CALL]
    modules = {node: [(path, path, kind) for path, kind in node.meta.get("nn_module_stack", {}).items() if path] for node in calls}
    boxes = _Boxes(modules, names) if any(modules.values()) else _Boxes(_iterations(calls), {})
    rest = [node for node in nodes if node.op != PLACEHOLDER]
    return boxes.of(rest, inputs, 0) if len(inputs) > _MANY else [*inputs, *boxes.of(rest, [], 0)]


class _Boxes:
    """Puts nodes into the boxes of the calls that they belong to, outermost first.

    ``names`` gets the label of a node that is the only contents of a box.
    """

    def __init__(self, calls: dict[Node, list[Call]], names: dict[Node, str]) -> None:
        self.calls = calls
        self.names = names

    def of(self, nodes: list[Node], inputs: list[Node], depth: int) -> list[Item]:
        """The items of one box, from the nodes in it and the inputs that no other box uses."""

        def call(node: Node) -> Call | None:
            calls = self.calls.get(node, ())
            return calls[depth] if depth < min(len(calls), _DEEPEST) else None

        groups = [(key, list(group)) for key, group in itertools.groupby(nodes, call)]
        used = _where_used(inputs, groups)
        items: list[Item] = []
        for number, (key, group) in enumerate(groups):
            if key is None:
                items += [item for node in group for item in (*used.pop(node, ()), *self._with_bodies(node))]
                continue
            items += used.pop(group[0], ())
            inside = self.of(group, used.pop(number, []), depth + 1)
            if len(inside) == 1 and isinstance(inside[0], Node):
                self.names.setdefault(inside[0], f"{key[1]}: ")
            items += _box(key[1], key[2], inside)
        return _stretches(_by_line([*items, *used.get(None, ())]))

    def _with_bodies(self, node: Node) -> Iterator[Item]:
        """A branch or loop stands in a box with the graphs of its sides."""
        bodies = [Box(module.name, "", _graph(module.graph.nodes, self.names)) for module in sub_graphs([node])]
        yield from _box(_title(node), _value(node), [node, *bodies])


def _where_used(inputs: list[Node], groups: list[tuple[Call | None, list[Node]]]) -> dict[Any, list[Node]]:
    """Inputs by the number of the only box that uses them, else by the node that they stand before,
    which is the first of a box, or by ``None`` where nothing uses them.
    """
    found: dict[Any, list[Node]] = {}
    number = {node: place for place, (_, group) in enumerate(groups) for node in group}
    order = {node: place for place, node in enumerate(number)}
    for node in inputs:
        users = sorted((user for user in node.users if user in order), key=order.__getitem__)
        boxes = {number[user] for user in users}
        key, group = groups[min(boxes)] if users else (None, [])
        place = None if not users else users[0] if key is None else min(boxes) if len(boxes) == 1 else group[0]
        found.setdefault(place, []).append(node)
    return found


def _box(title: str, note: str, items: list[Item]) -> list[Item]:
    return items if len(items) == 1 else [Box(title, note, items)]


def _iterations(calls: list[Node]) -> dict[Node, list[Call]]:
    """The functions' calls that each node is computed in.

    Two calls from one place of a loop are told apart by the callee's lines: where they step back to
    where the call began, another begins.
    """
    found: dict[Node, list[Call]] = {}
    begun: list[tuple[Hashable, int, int, int]] = []  # of each depth: whence, which call, its first line, its last
    for node in calls:
        found[node] = []
        frames = own_frames(node.meta.get("stack_trace", ()))
        for depth, (caller, callee) in enumerate(itertools.pairwise(frames)):
            whence = (caller.file, caller.line, caller.column, callee.file, callee.function)
            known = begun[depth] if depth < len(begun) else (None, -1, 0, 0)
            if known[0] != whence or callee.line <= known[2] < known[3]:
                begun[depth:] = [(whence, known[1] + 1, callee.line, callee.line)]
            else:
                begun[depth] = (*known[:3], callee.line)
            found[node].append(((whence, begun[depth][1]), callee.function, f"line {caller.line}"))
        del begun[max(len(frames) - 1, 0) :]
    return found


def _by_line(items: list[Item]) -> list[Item]:
    """Where there are many nodes, those of a line in a box."""
    if len(items) <= _MANY:
        return items
    found: list[Item] = []
    for place, group in itertools.groupby(items, _line):
        inside = list(group)
        if place is None or len(inside) == len(items):
            found += inside
        else:
            found += _box(place[2], f"line {place[1]}", _stretches(inside))
    return found


def _line(item: Item) -> tuple[str, int, str] | None:
    frames = own_frames(item.meta.get("stack_trace", ())) if isinstance(item, Node) and item.op != OUTPUT else ()
    return (frames[-1].file, frames[-1].line, frames[-1].source.strip()) if frames else None


def _stretches(items: list[Item]) -> list[Item]:
    """A list that is long all the same, in boxes named after their first and last item."""
    while len(items) > 1.5 * _STRETCH:
        parts = [items[start : start + _STRETCH] for start in range(0, len(items), _STRETCH)]
        items = [item for part in parts for item in _box(f"{_name(part[0])} … {_name(part[-1])}", "", part)]
    return items


def _name(item: Item) -> str:
    return item.title.partition(" … ")[0] if isinstance(item, Box) else item.name
