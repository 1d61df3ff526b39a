"""Avoids computing a call inside a ``try`` twice: the result of the attempt is reused for the call
itself if it raised nothing.

Law: a result is kept only if the call has raised nothing and met no floating-point error, of which
the call itself would warn; everything else is computed as the graph says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import key_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.node import sub_graphs
from npexport.ir.raising import may_meet_errors
from npexport.runtime.emit import Source
from npexport.runtime.kernels.control_flow import Iteration, classes_of, number_of, raised


def keeping(node: Node, args: tuple[Any, ...], source: Source, names: Mapping[Node, str]) -> tuple[str | None, Sequence[Node]]:
    """The text of an attempt that keeps what its one call gives, and the calls that follow and are
    that one; ``None`` where there are none, or it is made otherwise than by its kernel.

    ``args``: the arguments of the attempt as they are compiled.
    """
    call = _call_of(node)
    again = [] if call is None else _made_again(node, call)
    if call is None or not again:
        return None, ()
    module, _, operands = node.args
    inner = {inside: source.text(operand, names) for inside, operand in zip(module.graph.placeholders, operands, strict=True)}
    kernel, _, given = source.call(call, inner, None).partition("(")
    if kernel != source.bind(call.target.kernel):  # type: ignore[union-attr]
        return None, ()
    before = ", ".join([kernel, *[source.text(arg, names) for arg in args]])
    return f"{source.bind(kept)}({before}, {given}", again


class InPlace(NamedTuple):
    """An attempt at one call, ``again``: the calls that follow and are that."""

    attempt: Node
    call: Node
    again: list[Node]

    def lines(self, source: Source, operands: Sequence[str], number: str, result: str) -> Iterator[str]:
        """The statements that make it in place: the variables of its number, and of what it
        gives.
        """
        module, errors, _ = self.attempt.args
        error, classes = source.fresh(), source.bind(classes_of(errors))
        yield "try:"
        yield f"    {result} = {source.call(self.call, dict(zip(module.graph.placeholders, operands, strict=True)), None)}"
        yield f"    {number} = 0"
        yield f"except {classes} as {error}:"
        yield f"    {number}, {result} = {source.bind(number_of)}({error}, {classes}), None"


def in_place(node: Node) -> InPlace | None:
    """What a node attempts, if that is one call which meets no floating-point errors."""
    call = _call_of(node)
    if call is None or not meets_no_errors(node.args[0].graph):
        return None
    return InPlace(node, call, list(_made_again(node, call)))


def meets_no_errors(graph: Graph) -> bool:
    """Whether no call of a graph meets floating-point errors, as those of numbers of Python."""
    calls = [node for node in graph.nodes if node.op == CALL]
    return not any(sub_graphs(calls)) and not any(may_meet_errors(call.target, call.args) for call in calls)  # type: ignore[arg-type]


def _call_of(node: Node) -> Node | None:
    """The one call that a node attempts; ``None`` where it attempts none, or more than that."""
    if node.target is not ops.control.raised or type(node.args[0]) is not GraphModule:
        return None
    calls = [each for each in node.args[0].graph.nodes if each.op == CALL]
    return calls[0] if len(calls) == 1 else None


def _made_again(node: Node, call: Node) -> list[Node]:
    """The calls that are the attempted one, in the graph around the node and in its branches."""
    module, _, operands = node.args
    outer = dict(zip(module.graph.placeholders, operands, strict=True))
    args, kwargs = map_nodes((call.args, call.kwargs), lambda operand: outer.get(operand, operand))
    users = {user: None for operand in operands if type(operand) is Node for user in operand.users}
    return list(_found(users, call.target, args, kwargs))


def _found(nodes: Iterable[Node], target: Any, args: Any, kwargs: Any) -> Iterator[Node]:
    for node in nodes:
        if node.target is target and key_of((node.args, node.kwargs)) == key_of((args, kwargs)):
            yield node
        elif node.target is ops.control.cond:
            _, *branches, operands = node.args
            for branch in branches:
                inner = dict(zip(operands, branch.graph.placeholders, strict=True))
                known = map_nodes((args, kwargs), lambda operand: inner.get(operand, operand))  # noqa: B023
                yield from _found(branch.graph.nodes, target, *known)


def kept(kernel: Callable[..., Any], try_graph: Iteration, errors: Any, operands: Any, /, *args: Any, **kwargs: Any) -> tuple[int, Any]:
    """As `raised`; and what the call gives, ``None`` where it is to be made again."""
    try:
        with np.errstate(all="raise"):
            return 0, kernel(*args, **kwargs)
    except Exception:  # the graph is asked which it is
        return raised(try_graph, errors, operands), None
