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
from npexport.runtime.emission.emit import Source
from npexport.runtime.kernels.control_flow import Iteration, classes_of, number_of, raised


def keeping(node: Node, args: tuple[Any, ...], source: Source, names: Mapping[Node, str]) -> tuple[str | None, Sequence[Node]]:
    """The source of an attempt that keeps the result of its one call, and the later calls that are
    the same and reuse it; ``None`` if there are none, or if the call is not compiled as a plain
    call of its kernel.

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
    """An attempt at one call, compiled to a ``try`` statement. ``again``: the later calls that are
    the same and reuse its result.
    """

    attempt: Node
    call: Node
    again: list[Node]

    def lines(self, source: Source, operands: Sequence[str], number: str, result: str) -> Iterator[str]:
        """The ``try`` statement. It sets the variable ``number`` to that of the exception, 0 if
        there is none, and ``result`` to what the call returns.
        """
        module, errors, _ = self.attempt.args
        error, classes = source.fresh(), source.bind(classes_of(errors))
        yield "try:"
        yield f"    {result} = {source.call(self.call, dict(zip(module.graph.placeholders, operands, strict=True)), None)}"
        yield f"    {number} = 0"
        yield f"except {classes} as {error}:"
        yield f"    {number}, {result} = {source.bind(number_of)}({error}, {classes}), None"


def in_place(node: Node) -> InPlace | None:
    """The attempt of a node as a statement, if it attempts one call that meets no floating-point
    errors, or one of a user's operator, which is made as often as the program makes it.
    """
    call = _call_of(node)
    if call is None or not (call.target.home or meets_no_errors(node.args[0].graph)):  # type: ignore[union-attr]
        return None
    again = _made_again(node, call)
    return InPlace(node, call, again[:1] if call.target.home else again)  # type: ignore[union-attr]


def meets_no_errors(graph: Graph) -> bool:
    """Whether no call of a graph meets floating-point errors, for example because all compute with
    Python's numbers.
    """
    calls = [node for node in graph.nodes if node.op == CALL]
    return not any(sub_graphs(calls)) and not any(may_meet_errors(call.target, call.args) for call in calls)  # type: ignore[arg-type]


def _call_of(node: Node) -> Node | None:
    """The one call that a node attempts; ``None`` if it attempts none or several."""
    if node.target is not ops.control.raised or type(node.args[0]) is not GraphModule:
        return None
    calls = [each for each in node.args[0].graph.nodes if each.op == CALL]
    return calls[0] if len(calls) == 1 else None


def _made_again(node: Node, call: Node) -> list[Node]:
    """The calls that are the same as the attempted one, in the graph around the node and in its
    branches.
    """
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
    """What `raised` returns, and the result of the call; ``None`` instead of a result means that
    the call has to be repeated.
    """
    try:
        with np.errstate(all="raise"):
            return 0, kernel(*args, **kwargs)
    except Exception:  # the graph is asked which it is
        return raised(try_graph, errors, operands), None
