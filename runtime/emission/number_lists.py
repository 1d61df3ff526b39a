"""Arrays of which a program takes every number: one list of Python numbers holds them.

Law: the numbers are taken where the first of them is, from an array that is a value of the graph,
which nothing changes; so no result reveals that they are taken at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.pytree import TreeSpec
from npexport.runtime.emission.emit import Source
from npexport.runtime.origins import Row

LEAST = 2
"""Fewer numbers are taken one by one."""

Places = tuple[int, ...]


class Element(NamedTuple):
    """A number as the one at these places of an array, or of a part of it."""

    array: Node
    places: Places


def _elements(node: Any) -> Iterator[Element]:
    """All that a value is a part of, if integers say which part it is; from the inside."""
    places: Places = ()
    while type(node) is Node and node.op == CALL and node.target is ops.np.getitem and "raises" not in node.meta:
        base, index = node.args
        index = index if type(index) is tuple else (index,)
        meta = base.meta["val"]
        shape = meta.shape if isinstance(meta, TensorMeta) and not meta.scalar else ()
        if not 0 < len(index) <= len(shape) or not all(type(size) is int for size in shape):
            return
        if not all(type(place) is int and -size <= place < size for place, size in zip(index, shape, strict=False)):
            return
        places = (*[place % size for place, size in zip(index, shape, strict=False)], *places)
        node = base
        yield Element(node, places)


class NumberLists:
    """The lists of a graph; ``others``: the values that are lists already."""

    def __init__(self, graph: Graph, others: Container[Node]) -> None:
        self._elements = dict(_wholly_taken(graph, others))
        arrays = {element.array for element in self._elements.values()}
        self._parts: dict[Node, Node] = {}  # views and scalars that are there for these numbers alone -> the array
        for node in reversed(graph.nodes) if arrays else ():
            array = next((element.array for element in _elements(node) if element.array in arrays), None)
            if array is not None and node not in arrays and all(user in self for user in node.users):
                self._parts[node] = array
        self._texts: dict[Node, str] = {}
        self._given = Counter[str]()

    def __contains__(self, node: Node) -> bool:
        return node in self._elements or node in self._parts

    def taken(self, node: Node, names: dict[Node, str], source: Source) -> list[Row]:
        """Gives a number its text, and what is there for numbers alone none; the statement that has
        to be made before: the list is taken while the array is surely there.
        """
        element, rows = self._elements.get(node), []
        array = self._parts[node] if element is None else element.array
        if array not in self._texts:
            self._texts[array] = text = source.fresh()
            rows.append(Row(f"{text} = {names[array]}.tolist()", (node,)))
            parts = [text]
            for size in array.meta["val"].shape:
                source.lengths.update(dict.fromkeys(parts, size))
                parts = [f"{part}[{place}]" for part in parts for place in range(size)]
        names[node] = "" if element is None else self._texts[array] + "".join(f"[{place}]" for place in element.places)
        return rows

    def whole(self, spec: TreeSpec, children: Sequence[str], source: Source) -> str | None:
        """The text of a list or tuple of these children if they are all items of one list: the
        first time the list itself, since nothing else holds it.
        """
        text = source.whole(children) if spec.type in (list, tuple) else None
        if text is None:
            return None
        if spec.type is tuple:
            return f"(*{text},)"
        self._given[text] += 1
        return text if self._given[text] == 1 else f"{text}[:]"


def _wholly_taken(graph: Graph, others: Container[Node]) -> Iterator[tuple[Node, Element]]:
    """The numbers of arrays of which every element is taken, each with its element."""
    arrays: dict[Node, dict[Node, Element]] = {}
    for node in graph.nodes:
        if node.op == CALL and node.target.emit.is_number(node) and "raises" not in node.meta:  # type: ignore[union-attr]
            for element in _elements(node.args[0]):
                if len(element.places) == element.array.meta["val"].ndim and element.array not in others:
                    arrays.setdefault(element.array, {})[node] = element
    taken = set[Node]()
    for array in [node for node in graph.nodes if node in arrays]:  # a whole stands before its parts
        numbers = arrays[array]
        every = len({element.places for element in numbers.values()}) == math.prod(array.meta["val"].shape) >= LEAST
        if every and taken.isdisjoint(numbers) and _are_for_numbers(array, numbers):
            taken.update(numbers)
            yield from numbers.items()


def _are_for_numbers(array: Node, numbers: dict[Node, Element]) -> bool:
    """Whether the values between an array and its numbers are used for nothing else. The list is
    made where the first of them is computed; the array need not exist after the last.
    """
    between = set[Node]()
    for node in numbers:
        part = node.args[0]
        while part is not array:
            between.add(part)
            part = part.args[0]
    return all(user in between or user in numbers for part in between for user in part.users)
