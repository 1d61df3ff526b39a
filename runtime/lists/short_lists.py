"""Lists of which only the beginning is there, and zeros are behind it: a queue costs what its items
cost, not what there is room for.

Laws:

1. A short list stands for an array of a known size: it has the first elements, and all behind them
   are zeros.
2. Items are read and written one by one, at the beginning of the array and by shifts that close
   gaps; whatever else takes a beginning gets all its items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.node import Node, value_of
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.list_calls import READS, SCALAR, TYPES, WRITES, calls, moves_row, shift_of
from npexport.runtime.lists.list_texts import named
from npexport.symshapes.env import known


class Short(NamedTuple):
    """What a short list stands for: the size of the array, and what its zeros are."""

    size: int
    zero: Any

    def read(self, items: str, node: Node, place: str, source: Source) -> tuple[list[str], str]:
        """The lines before an item is read, and the text of the item."""
        place, lines = named(place, source)
        if place == "0":
            return lines, f"({items}[0] if {items} else {source.value(self.zero)})"
        there = f"{place} < {source.bind(len)}({items})"
        there = there if known(value_of(node.args[1]) >= 0) is True else f"0 <= {there}"
        arguments = f"{items}, {place}, {self.size}, {source.value(self.zero)}"
        return lines, f"({items}[{place}] if {there} else {source.bind(item)}({arguments}))"

    def write(self, items: str, node: Node, place: str, text: str, source: Source) -> Iterator[str]:
        """The lines that put a value there."""
        surely = type(node.args[1]) is not Node or not calls(node.args[1], ops.py.place)
        place, lines = named(place, source)
        yield from lines
        yield f"if {place} == {source.bind(len)}({items}){'' if surely else f' != {self.size}'}: {items}.append({text})"
        yield f"elif 0 <= {place} < {source.bind(len)}({items}): {items}[{place}] = {text}"
        yield f"else: {source.bind(put)}({items}, {place}, {self.size}, {source.value(self.zero)}, {text})"

    def close(self, items: str, place: int, source: Source) -> Iterator[str]:
        """The lines that move all items behind a place one back; the last one stays."""
        if place < self.size:
            yield f"if {source.bind(len)}({items}) == {self.size}: {items}.append({items}[-1])"
            yield f"if {source.bind(len)}({items}) > {place}: del {items}[{place}]" if place else f"if {items}: del {items}[0]"

    def beginning(self, items: str, end: str, source: Source) -> str:
        """The text of all items before a place."""
        return f"{source.bind(beginning)}({items}, {end}, {self.size}, {source.value(self.zero)})"


def closes_gap(node: Node) -> bool:
    """Whether a call moves all items behind a place one back."""
    shift = None if moves_row(node) else shift_of(node)
    return shift is not None and shift.back


def size_of(nodes: Iterable[Node]) -> int | None:
    """The size that all of these arrays have; ``None`` if they differ or it is not known."""
    shapes = {node.meta["val"].shape for node in nodes}
    (size,) = shapes.pop() if len(shapes) == 1 else (None,)
    return size if type(size) is int else None


def zero_of(array: Node, kind: str) -> Any:
    """The zero of a list that stands for an array."""
    dtype = array.meta["val"].dtype
    return dtype.type(0) if kind == SCALAR else TYPES[dtype](0)


def item(items: list[Any], place: int, size: int, zero: Any) -> Any:
    """The item at a place, as an array of this size has it."""
    if not -size <= place < size:
        raise IndexError(READS[list])
    place %= size
    return items[place] if place < len(items) else zero


def put(items: list[Any], place: int, size: int, zero: Any, value: Any) -> None:
    """Write an item where an array of this size has one."""
    if not -size <= place < size:
        raise IndexError(WRITES)
    place %= size
    if place < len(items):
        items[place] = value
    else:
        items += [zero] * (place - len(items))
        items.append(value)


def beginning(items: list[Any], end: int, size: int, zero: Any) -> list[Any]:
    """The items before a place, zeros included."""
    return items[:end] + [zero] * (min(end, size) - len(items))
