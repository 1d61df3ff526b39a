"""Callers' generators that a program draws from as eager execution does.

In a graph the state of a generator is an array, which every draw reads and writes anew. If each of
these states is read by the next draw only, and the last one is left in the generator, all of them
are states that the generator itself goes through in the same order: the compiled program calls its
methods.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.emission.emit import Source
from npexport.runtime.kernels import random_draws


class Draw(NamedTuple):
    """One draw: the placeholder of its generator, the state after it, and what was drawn, ``None``
    if nobody uses it.
    """

    generator: Node
    after: Node
    drawn: Node | None


def live_draws(graph: Graph, generators: Mapping[Node, Any]) -> dict[Node, Draw]:
    """The draws from those of the generators whose states nothing else reads; ``generators``:
    placeholder -> the value that is written back."""
    found: dict[Node, Draw] = {}
    for placeholder, last in generators.items():
        draws = dict(_draws(placeholder))
        states = [placeholder, *[draw.after for draw in draws.values()]]
        output = [value for value in graph.output_node.args[0] if value in states]
        if output == [last] and states[-1] is last and _readers(last) == [graph.output_node]:
            found |= draws
    return found


def _draws(placeholder: Node) -> Iterator[tuple[Node, Draw]]:
    """The draws, each of which alone reads the state that the one before leaves."""
    state: Node | None = placeholder
    while state is not None:
        readers = _readers(state)
        if len(readers) != 1 or not _is_draw(readers[0], state):
            return
        draw = readers[0]
        parts = {part.args[1]: part for part in draw.users if part.op == CALL and "projection" in part.target.traits}  # type: ignore[union-attr]
        if len(parts) != len(draw.users) or not parts.keys() <= {0, 1} or 0 not in parts:
            return
        state = parts[0]
        yield draw, Draw(placeholder, state, parts.get(1))


def _readers(state: Node) -> list[Node]:
    """The nodes that read a state: what checkpoints say is true of the generator itself."""
    return [node for node in state.users if not is_checkpoint(node)]


def _is_draw(node: Node, state: Node) -> bool:
    if node.op != CALL or node.target.namespace != "random" or _method(node) is None:  # type: ignore[union-attr]
        return False
    return node.args[0] is state and sum(each is state for each in node.all_input_nodes) == 1 and state not in node.args[1:]


def _method(draw: Node) -> Any:
    """The method of generators that draws, with how it is called, or the function of a shuffle;
    ``None`` if the operator changes more than the state.
    """
    kernel: Any = draw.target.kernel  # type: ignore[union-attr]
    return kernel if isinstance(kernel, functools.partial) or kernel is random_draws.shuffle else None


def text_of(draw: Node, generator: str, source: Source, names: Mapping[Node, str]) -> str:
    """The source of a draw: a call of the generator's method."""
    kernel = _method(draw)
    args = [source.text(arg, names) for arg in draw.args[2:]]
    keywords = source.keywords(draw, names)
    if not isinstance(kernel, functools.partial):
        return f"{source.bind(random_draws.shuffled)}({', '.join([generator, *args, *keywords])})"
    if kernel.func is random_draws.draw:
        args = [*args[1:], f"size={args[0]}"]
    call = f"{generator}.{random_draws.method_of(str(draw.args[1]), kernel.args[0])}({', '.join([*args, *keywords])})"
    return call if draw.meta["val"][1].shape else f"{source.bind(np.asarray)}({call})"
