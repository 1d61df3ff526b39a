"""Exceptions from within branches and loops: what their sub-graphs had written by then.

The compiled program forgets what a sub-graph holds when it raises. So the call is made once more,
interpreted, with the same operands, which the plan of memory keeps for it: it raises at the same
place, and the checkpoints of the sub-graphs say what was written. Sub-graphs that are compiled have
none.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir.checkpoints import checkpoint_before, has_checkpoints, is_checkpoint
from npexport.ir.editing import copied
from npexport.ir.graph import CALL, GraphModule, Node, computed, interpreted
from npexport.ir.node import map_nodes
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import MUTATIONS
from npexport.runtime.emission.emit import Source
from npexport.symshapes.errors import InternalError

Values = tuple[Any, ...]


def with_replays(program: ExportedProgram) -> ExportedProgram:
    """The program with a checkpoint before each call whose sub-graphs have checkpoints, that knows
    how to make the call once more; the program itself if there is no such call.
    """

    def replayed(original: Node, node: Node) -> tuple[Any, ...]:
        operands = tuple(node.all_input_nodes)
        _drop_checkpoints(node)
        return Replay(original), operands

    return _with_checkpoints_around(program, replayed)


def without_checkpoints_within(program: ExportedProgram) -> ExportedProgram:
    """The program whose sub-graphs say nothing of what they have written; the program itself if
    none does.
    """
    if not _tells_within(program):
        return program
    copy = copied(program)
    for node in copy.graph.nodes:
        _drop_checkpoints(node)
    return copy


def with_notes(program: ExportedProgram) -> tuple[ExportedProgram, list[Noted]]:
    """The program whose checkpoints in sub-graphs note what they say, for one that runs without
    npexport; and where they note it.
    """
    notes: list[Noted] = []

    def noted(_: Node, node: Node) -> tuple[Any, ...]:
        checkpoints = _checkpoints_within(node)
        notes.append(Noted(_places(checkpoints)))
        for checkpoint in checkpoints:
            checkpoint.args = (*checkpoint.args, notes[-1])
            checkpoint.meta["noted"] = True
        return notes[-1], ()

    return _with_checkpoints_around(program, noted), notes


def _with_checkpoints_around(program: ExportedProgram, tell: Callable[[Node, Node], tuple[Any, ...]]) -> ExportedProgram:
    """The program with a checkpoint before each call whose sub-graphs have checkpoints, and one
    after it. ``tell``: changes the call, and gives what the first one has besides its values.
    """
    if not _tells_within(program):
        return program
    copy, nodes = copied(program), list[Node]()
    graph, last = copy.graph, None
    for original, node in zip(program.graph.nodes, list(graph.nodes), strict=True):
        if is_checkpoint(node):
            last = node.args[0]
        inside = _checkpoints_within(original)
        if not inside:
            nodes.append(node)
            continue
        before = (None,) * len(inside[0].args[0]) if last is None else last
        nodes += [checkpoint_before(graph, node, (before, *tell(original, node))), node, checkpoint_before(graph, node, (before,))]
    graph.keep(nodes)
    return copy


def _tells_within(program: ExportedProgram) -> bool:
    """Whether sub-graphs of a program have checkpoints: none has that mutates nothing."""
    mutates = any(spec.kind in MUTATIONS for spec in program.graph_signature.output_specs)
    return mutates and any(has_checkpoints(module.graph) for module in program.graph.sub_graphs())


def _checkpoints_within(node: Node) -> list[Node]:
    """The checkpoints in the sub-graphs of a call."""
    modules = [arg for arg in node.args if type(arg) is GraphModule]
    return [each for module in modules for graph in module.graph.all_graphs() for each in graph.nodes if is_checkpoint(each)]


def _drop_checkpoints(node: Node) -> None:
    """Take the checkpoints out of the sub-graphs of a call of a copied graph, and what only they
    need.
    """
    for graph in [graph for arg in node.args if type(arg) is GraphModule for graph in arg.graph.all_graphs()]:
        graph.keep([each for each in graph.nodes if not is_checkpoint(each)])
        needed = graph.needed(())
        graph.keep([each for each in graph.nodes if each.op != CALL or each in needed])


def _places(checkpoints: list[Node]) -> list[int]:
    """The mutations that the checkpoints tell of."""
    values = [checkpoint.args[0] for checkpoint in checkpoints]
    return [place for place in range(len(values[0])) if any(each[place] is not None for each in values)]


class Noted:
    """The dict to which a sub-graph notes what it has written, by the number of the mutation.
    ``places``: the mutations of which it tells; ``name``: its name where the program is written.
    """

    def __init__(self, places: list[int]) -> None:
        self.places = places
        self.name = ""


def replayed(checkpoint: Node, source: Source, names: dict[Node, str], lines: list[str]) -> dict[int, str]:
    """The texts of what the call after a checkpoint had written inside of itself, by the number of
    the mutation; the ``lines`` get the one that finds out.
    """
    if len(checkpoint.args) == 1:
        return {}
    _, replay, operands = checkpoint.args
    if type(replay) is Noted:
        return {place: f"{replay.name}.get({place})" for place in replay.places}
    name = source.fresh()
    lines.append(f"{name} = {source.bind(replay.left)}({', '.join([source.text(operand, names) for operand in operands])})")
    return {place: f"{name}[{place}]" for place in replay.places}


class Replay:
    """A call of the program that may raise inside of a sub-graph. ``places``: the mutations that
    its checkpoints tell of.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        checkpoints = _checkpoints_within(node)
        self.count = len(checkpoints[0].args[0])
        self.places = _places(checkpoints)

    def left(self, *operands: Any) -> list[Any]:
        """What the call has written when it raises, for each mutation: a copy, or ``None`` where it
        has written nothing. Raises ``InternalError`` if it does not raise.
        """
        levels: list[Values] = []
        values = dict(zip(self.node.all_input_nodes, operands, strict=True))
        args, kwargs = map_nodes((self.node.args, self.node.kwargs), values.__getitem__)
        try:
            with warnings.catch_warnings(record=True):  # all were issued; those that are errors are raised again
                _called(self.node, args, kwargs, levels)
        except Exception:
            return list(self._merged(levels))
        raise InternalError("E901", f"{self.node.name} raised, and does not raise again")

    def _merged(self, levels: list[Values]) -> Iterator[Any]:
        for place in range(self.count):
            told = [values[place] for values in levels if values and values[place] is not None]
            yield np.copy(told[-1]) if told else None


def _called(node: Node, args: tuple[Any, ...], kwargs: dict[str, Any], levels: list[Values]) -> Any:
    """The value of a call. ``levels``: what the last checkpoint of each graph that is being
    interpreted says, the innermost last.
    """
    depth = len(levels)
    result = computed(node, tuple([_Interpreted(arg, levels) if type(arg) is GraphModule else arg for arg in args]), kwargs)
    del levels[depth:]  # of graphs whose exception an operator has caught
    return result


class _Interpreted:
    """A sub-graph whose checkpoints are noted."""

    def __init__(self, module: GraphModule, levels: list[Values]) -> None:
        self.module = module
        self._levels = levels

    def __call__(self, *inputs: Any) -> Values:
        self._levels.append(())
        outputs = interpreted(self.module.graph, inputs, self._call)
        self._levels.pop()
        return outputs

    def _call(self, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not is_checkpoint(node):
            return _called(node, args, kwargs, self._levels)
        self._levels[-1] = args[0]
        return None
