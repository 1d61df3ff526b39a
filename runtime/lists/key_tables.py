"""Dicts and sets of numbers that loops fill: where a loop carries an array of keys, their number
and an array of their values, and does with them what a dict does, it carries a dict.

Laws:

1. Keys are integers of Python. What is put is a key that has just been looked up among the others,
   behind them if it was not found: so the keys are distinct, and their number is that of the dict.
2. A value is read where its key is known to be there: on the side of a branch that asked for it,
   after a check, or after it was put.
3. All uses of the three are among those that `table_reader` knows, or nothing changes.
4. A key or a value for which its array has no room raises as before. Numbers that only count up in
   small steps never are that large.

A loop that runs in machine code finds keys faster than Python's dicts do: it stays as it is, unless
the program gives a dict that it fills, and no loop is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from npexport.ir import ops
from npexport.ir.editing import copied
from npexport.ir.graph import Graph, Node
from npexport.ir.identities import specs_of
from npexport.ir.list_of_rows import ListOfRows
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import MUTATIONS
from npexport.runtime.lists.list_calls import TYPES, calls, is_new
from npexport.runtime.lists.table_ops import KEYS, VALUES
from npexport.runtime.lists.table_reader import Reader, Unlike
from npexport.runtime.lists.table_writer import Writer
from npexport.runtime.memory.inherited_memory import Block, block_of

MAX_DEPTH = 7
"""How deep in blocks of Python a table is at most: what is deeper may be compiled to functions."""


def with_tables(program: ExportedProgram, machines: Callable[[Graph], Collection[Node]]) -> ExportedProgram:
    """The program with tables in the place of such arrays; the program itself if it has none.
    ``machines``: gives the loops that run in machine code.
    """
    if not any(calls(node, ops.py.row_place) for graph in program.graph.all_graphs() for node in graph.nodes):
        return program
    running = machines(program.graph)
    fast = {place: loop for place, (_, loop) in enumerate(_loops(program.graph, 0)) if loop in running}
    nested = {place for place, loop in fast.items() if next(_loops(loop.args[1].graph, 0), None) is not None}
    found, given = _with_tables(program, nested)
    return found if fast.keys() - nested <= given else _with_tables(program, (fast.keys() - given) | nested)[0]


def _with_tables(program: ExportedProgram, left: set[int]) -> tuple[ExportedProgram, set[int]]:
    """The same, but for the loops that are ``left`` as they are, by number; and those that fill
    what the program gives.
    """
    copy = copied(program)
    loops = list(_loops(copy.graph, 0))
    changed = [_change(graph, loop) for place, (graph, loop) in enumerate(loops) if place not in left]
    given = {loop for table in _given_whole(copy) for loop in table.all_input_nodes}
    symbols = {symbol for guard in program.guards for symbol in guard.truth.symbols}
    shown = [each.graph.unbacked_bindings(symbols).keys() for each in (program, copy)] if symbols else []
    if not any(changed) or (shown and shown[0] != shown[1]):
        return program, set()
    return copy, {place for place, (_, loop) in enumerate(loops) if loop in given}


def _given_whole(program: ExportedProgram) -> list[Node]:
    """A dict of all keys and values of a table, of which nothing else is made, is the table itself:
    it stands in the place of the keys, and nothing in that of the values. These tables.
    """
    output, specs = program.graph.output_node, program.graph_signature.output_specs
    values, given = list(output.args[0]), list[Node]()
    leaves = [place for place, spec in enumerate(specs) if spec.kind not in MUTATIONS]
    for spec, leaf in specs_of(program.call_spec.out_spec):
        if spec.type is not ListOfRows or spec.context[1:] != (("tuple", "number", "number"),) or spec.context[0] == "deque":
            continue
        first, second = leaves[leaf : leaf + 2]
        keys, of_keys = values[first], values[second]
        if type(keys) is not Node or type(of_keys) is not Node or (keys.target, of_keys.target) != (KEYS, VALUES):
            continue
        table = keys.args[0]
        if of_keys.args == (table,) and {*table.users} == {keys, of_keys} and values.count(keys) == values.count(of_keys) == 1:
            values[first], values[second] = table, None
            given.append(table)
    output.args = (tuple(values),)
    program.graph.keep([node for node in program.graph.nodes if node.target not in (KEYS, VALUES) or node.users])
    return given


def _loops(graph: Graph, depth: int) -> Iterator[tuple[Graph, Node]]:
    """The loops of a graph and of its branches and loops, as far as all in them is not too deep,
    each with the graph that it is in.
    """
    for node in graph.nodes:
        block = block_of(node)
        if block is None:
            continue
        if block.loops and depth + _height(block) <= MAX_DEPTH:
            yield graph, node
        for inner in block.graphs:
            yield from _loops(inner, depth + 1 + block.loops)


def _height(block: Block) -> int:
    """How deep a branch or a loop is; a loop may be two blocks of Python."""
    inner = [found for graph in block.graphs for node in graph.nodes if (found := block_of(node)) is not None]
    return 1 + block.loops + max(map(_height, inner), default=0)


def _change(graph: Graph, loop: Node) -> bool:
    """Whether a loop that begins with empty tables carries them as such now."""
    tried, changed = set[Node](), False
    while waiting := [each for each in _candidates(loop) if loop.args[1].graph.placeholders[each[0]] not in tried]:
        tried.add(loop.args[1].graph.placeholders[waiting[0][0]])
        reader = _read(graph, loop, waiting[0], True) or _read(graph, loop, waiting[0], False)
        if reader is not None:
            Writer(reader).write(graph, loop, waiting[0][0])
            changed = True
    return changed


def _read(graph: Graph, loop: Node, carries: tuple[int, int, int | None], again: bool) -> Reader | None:
    """What a graph does with a table that begins in a loop; ``None`` if it is none."""
    reader = Reader(again)
    try:
        reader.loop(graph, loop, *carries)
        reader.graph(graph)
        reader.leave(graph)
    except Unlike:
        for item in reversed(reader.made):
            item.graph.erase_node(item)
        return None
    return reader


def _candidates(loop: Node) -> Iterator[tuple[int, int, int | None]]:
    """The numbers of the carries that are keys, their number, and values: of loops that begin with
    none.
    """
    carried, body = loop.args[2], loop.args[1].graph
    roots: dict[Node, Any] = {}
    nodes = list(_calls(body, roots))
    places = {node: place for place, node in enumerate(body.placeholders[: len(carried)])}

    def place_of(value: Any) -> int | None:
        root = _root(value, roots)
        return places.get(root) if type(root) is Node else None

    searches: dict[tuple[int, int], list[Node]] = {}
    for search in [node for node in nodes if calls(node, ops.py.row_place) and len(node.args[0]) == 1]:
        keys, count = place_of(search.args[0][0]), place_of(search.args[2])
        if keys is not None and count is not None and type(carried[count]) is int and carried[count] == 0 and _is_seed(carried[keys]):
            searches.setdefault((keys, count), []).append(search)
    for (keys, count), found in searches.items():
        writes = [node for node in nodes if calls(node, ops.np.setitem) and _root(node.args[1], roots) in found]
        values = {place for node in writes if (place := place_of(node.args[0])) is not None} - {keys}
        if all(_is_seed(carried[place]) for place in values) and len(values) <= 1:
            yield keys, count, next(iter(values), None)


def _root(value: Any, roots: dict[Node, Any]) -> Any:
    while type(value) is Node and value in roots:
        value = roots[value]
    return value


def _calls(graph: Graph, roots: dict[Node, Any]) -> Iterator[Node]:
    """The calls of a graph and of its branches and loops, whose parameters are what they begin
    with.
    """
    for node in graph.nodes:
        block = block_of(node)
        if block is None:
            yield node
            continue
        values = (*node.args[2], *node.args[3]) if block.loops else block.values
        for inner in block.graphs:
            roots.update(zip(inner.placeholders, values, strict=True))
            yield from _calls(inner, roots)


def _is_seed(value: Any) -> bool:
    return type(value) is Node and is_new(value) and value.meta["val"].dtype in TYPES
