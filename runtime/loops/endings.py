"""How iterations end: a branch that stands last in an iteration, and decides whether another one
follows, ends it on each of its sides, by ``break`` where none follows.

So what an iteration only tests, what it counts, and what nobody uses after the loop cost what they
cost in the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.editing import copied_graph
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.runtime.memory.inherited_memory import is_item, results_of
from npexport.runtime.planning.loop_invariants import redirect

Finish = Callable[[Sequence[Any], list[str]], None]
"""Writes what follows a graph that gives these values, which have these texts."""


class Ending(NamedTuple):
    """The branch that a graph ends with. ``number``: which of its results says whether another
    iteration follows; ``texts`` gives the texts of what the graph gives.
    """

    graph: Graph
    branch: Node
    number: int
    texts: Callable[[], list[str]]
    finish: Finish

    def side(self, parts: Sequence[str], values: Sequence[Any], texts: Sequence[str]) -> None:
        """Finish the graph where the branch gives these values; results that have names already are
        in ``parts``.
        """
        pairs = []
        for value, text in zip(self.graph.output_node.args[0], self.texts(), strict=True):
            number = _number_in(self.branch, value)
            given = (value, text) if number is None else (values[number], parts[number] or texts[number])
            pairs.append(given)
        self.finish([value for value, _ in pairs], [text for _, text in pairs])


def ending_of(graph: Graph, going: Any, texts: Callable[[], list[str]], finish: Finish) -> Ending | None:
    """The ending of a graph of which ``going`` says whether another iteration follows; ``None`` if
    no side of a branch decides that.
    """
    branch = last_branch(graph, going)
    return None if branch is None else Ending(graph, branch, going.args[1], texts, finish)


def last_branch(graph: Graph, going: Any) -> Node | None:
    """The branch that gives ``going``, if nothing is computed after it and one of its sides says
    that no iteration follows.
    """
    if type(going) is not Node or not is_item(going) or going.args[0].target.emit.block != "branch":
        return None
    branch: Node = going.args[0]
    calls = [node for node in graph.nodes if node.op == CALL]
    after = calls[calls.index(branch) + 1 :]
    if any(_number_in(branch, node) is None or {*node.users} != {graph.output_node} for node in after):
        return None
    ends = any(_leaves(side, going.args[1]) for side in _sides(branch))
    return branch if ends and all(is_item(user) for user in branch.users) else None


def truths_asked(graph: Graph, number: int) -> set[Node]:
    """The truths of NumPy that a graph, on its ways, gives as this result and for nothing else, of
    which only the truth is asked: they need not become Python's.
    """
    results = graph.output_node.args[0]
    value = results[number]
    if type(value) is not Node or list(value.users) != [graph.output_node] or sum(other is value for other in results) != 1:
        return set()
    if is_item(value) and value.args[0].target.emit.block == "branch":
        if results_of(value.args[0]).get(value.args[1]) is not value:
            return set()
        return set().union(*(truths_asked(side, value.args[1]) for side in _sides(value.args[0])))
    meta = value.args[0].meta["val"] if value.op == CALL and value.target is ops.sym.truth else None
    return {value} if isinstance(meta, TensorMeta) and meta.scalar and meta.dtype == np.bool else set()


def _leaves(side: Graph, number: int) -> bool:
    value = side.output_node.args[0][number]
    return value is False or last_branch(side, value) is not None


def _sides(branch: Node) -> list[Graph]:
    return [module.graph for module in branch.args[1:3]]


def _number_in(branch: Node, value: Any) -> int | None:
    """Which result of a branch a value is."""
    return value.args[1] if type(value) is Node and is_item(value) and value.args[0] is branch else None


def _ways(graph: Graph, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """What the ways through an iteration that another one follows give; the first value says
    whether one does.
    """
    branch = last_branch(graph, values[0])
    if branch is None:
        if values[0] is not False:
            yield values
        return
    for side in _sides(branch):
        numbers = [_number_in(branch, value) for value in values]
        given = [value if number is None else side.output_node.args[0][number] for value, number in zip(values, numbers, strict=True)]
        yield from _ways(side, given)


def unchanged(iteration: Graph, carried: Sequence[Any]) -> set[int]:
    """The carries that are one constant before the loop and after every iteration that another one
    follows, and that no iteration reads.
    """
    ways = list(_ways(iteration, iteration.output_node.args[0]))
    same = [place for place, value in enumerate(carried) if not iteration.placeholders[place].users and type(value) in (bool, int)]
    return {place for place in same if all(type(way[place]) is type(carried[place]) and way[place] == carried[place] for way in ways)}


def staying(iteration: Graph) -> Graph:
    """The only way through an iteration that another one follows, as a graph of the same
    parameters; the iteration itself if there are several, or all are.
    """
    graph = iteration
    while (branch := last_branch(graph, graph.output_node.args[0][0])) is not None:
        if graph is iteration:
            graph = copied_graph(iteration)
            branch = last_branch(graph, graph.output_node.args[0][0])
            assert branch is not None
        (number,) = {_number_in(branch, graph.output_node.args[0][0])}
        sides = [side for side in _sides(branch) if side.output_node.args[0][number] is not False]
        if len(sides) != 1:
            return iteration
        _inline(graph, branch, sides[0])
    return graph


def _inline(graph: Graph, branch: Node, side: Graph) -> None:
    """Put the calls of a side in the place of its branch."""
    inside: dict[Node, Any] = dict(zip(side.placeholders, branch.args[3], strict=True))
    for node in [node for node in side.nodes if node.op == CALL]:
        args, kwargs = map_nodes((node.args, node.kwargs), inside.__getitem__)
        call = Node(graph.fresh_name(node.name), CALL, node.target, args, kwargs, dict(node.meta))
        inside[node] = graph.insert(graph.nodes.index(branch), call)
    results = map_nodes(tuple(side.output_node.args[0]), inside.__getitem__)
    for item in list(branch.users):
        redirect(item, results[item.args[1]])
    graph.keep([node for node in graph.nodes if node is not branch and _number_in(branch, node) is None])


def without(graph: Graph, going: int, place: int | None, used: bool = True) -> Graph:
    """A graph that no longer says whether another iteration follows, but where none does, nor gives
    the value of this place where one does; ``used``: but where none does it gives that.
    """
    graph = copied_graph(graph)
    output = graph.output_node
    outputs = list(output.args[0])
    branch = last_branch(graph, outputs[going])
    if branch is None:
        outputs[going] = True
        if place is not None:
            outputs[place] = True
    else:
        number, counter = outputs[going].args[1], None if place is None else _number_in(branch, outputs[place])
        once = counter is not None and sum(_number_in(branch, value) == counter for value in outputs) == 1
        modules = []
        for module in branch.args[1:3]:
            if module.graph.output_node.args[0][number] is not False:
                module = GraphModule(without(module.graph, number, counter if once else None, used), module.name)
            elif once and not used:
                module.graph.output_node.args = (tuple(_but(module.graph.output_node.args[0], counter)),)
                module.graph.keep(_needed(module.graph))
            modules.append(module)
        branch.args = (branch.args[0], *modules, _used_operands(modules, branch.args[3]))
    output.args = (tuple(outputs),)
    graph.keep(_needed(graph))
    return graph


def _needed(graph: Graph) -> list[Node]:
    needed = graph.needed(())
    return [node for node in graph.nodes if node.op != CALL or node in needed]


def _but(values: Sequence[Any], place: int | None) -> list[Any]:
    """The values, with a truth at one place."""
    return [True if number == place else value for number, value in enumerate(values)]


def _used_operands(sides: Sequence[GraphModule], operands: Sequence[Any]) -> tuple[Any, ...]:
    """The operands that sides of a branch use; the sides take no others from now on."""
    parameters = [side.graph.placeholders for side in sides]
    unused = {place for place in range(len(operands)) if not any(each[place].users for each in parameters)}
    for side, each in zip(sides, parameters, strict=True):
        gone = {each[place] for place in unused}
        side.graph.keep([node for node in side.graph.nodes if node not in gone])
    return tuple([operand for place, operand in enumerate(operands) if place not in unused])
