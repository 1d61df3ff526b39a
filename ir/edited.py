"""Whether a program was edited since its laws were last held.

Nodes, specs and dicts of a program are open to edits. A program that nobody touched is only
compared with what it was, object by object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import is_
from typing import Any

from npexport.ir.graph import Graph
from npexport.ir.signature import ExportGraphSignature


class Form:
    """The objects that a program consists of: those of the graph and its signature, and its arrays.

    A copy of a form, which belongs to a copy of the program, is that of no program.
    """

    __slots__ = ("arrays", "parts")

    def __init__(self, parts: list[Any] | None = None, arrays: list[Any] | None = None) -> None:
        self.parts, self.arrays = parts, arrays

    def __reduce__(self) -> Any:
        return Form, ()


def form_of(graph: Graph, signature: ExportGraphSignature, arrays: Iterable[Any], others: Iterable[Any]) -> Form:
    """The form of a program with these arrays and other parts."""
    return Form([*_parts(graph, signature), *others], list(arrays))


def same(one: list[Any] | None, other: list[Any] | None) -> bool:
    """Whether the lists are known and hold the same objects."""
    return one is not None and other is not None and len(one) == len(other) and all(map(is_, one, other))


def _inside(args: Iterable[Any]) -> Iterator[Any]:
    """What stands in containers, each of which may have been changed in place."""
    for arg in args:
        if type(arg) in (tuple, list, dict):
            items = [*arg, *arg.values()] if type(arg) is dict else arg
            yield from items
            yield from _inside(items)


def _parts(whole: Graph, signature: ExportGraphSignature) -> Iterator[Any]:
    for graph in whole.all_graphs():
        for node in graph.nodes:
            yield from (node, node.name, node.op, node.target, node.args, node.meta.get("val"))
            yield from _inside(node.args)
            if node.kwargs:
                yield from (*node.kwargs, *node.kwargs.values())
                yield from _inside(node.kwargs.values())
    specs: list[Any] = [*signature.input_specs, *signature.output_specs]
    for spec in specs:
        yield from (spec, spec.arg.name, *vars(spec).values())
