"""Statements about items of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.node import Node, value_of
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.key_columns import row_place
from npexport.runtime.lists.list_calls import LEAST, MOST, Shift, calls
from npexport.symshapes.env import known


def checked(number: str, value: Any, source: Source) -> str:
    """The statement that raises where an array has no room for an integer; ``value``: what is known
    of it.
    """
    test = f"not {LEAST} <= {number} <= {MOST}"
    if known(value_of(value) >= LEAST) is True:
        test = f"{number} > {MOST}"
    elif known(value_of(value) <= MOST) is True:
        test = f"{number} < {LEAST}"
    return f"if {test}: {source.bind(overflow)}({number})"


def moved(node: Node, name: str, names: Mapping[Node, str], source: Source) -> Iterator[str]:
    """The lines that put one item elsewhere in a list."""
    places, (size,), length = list[str](), node.meta["val"].shape, f"{source.bind(len)}({name})"
    for number in node.args[1:]:
        place, lines = named(source.text(number, names), source)
        yield from lines
        places.append(place)
    old, new = places
    if known(value_of(node.args[2]) == size - 1) is True:
        yield f"if 0 <= {old} < {length}: {name}.append({name}.pop({old}))"
    else:
        yield f"if 0 <= {old} < {length} and 0 <= {new} < {length}: {name}.insert({new}, {name}.pop({old}))"


def named(text: str, source: Source) -> tuple[str, list[str]]:
    """An expression as a name, and the line that gives it this name."""
    if text.isidentifier() or text.isdigit():
        return text, []
    name = source.fresh()
    return name, [f"{name} = {text}"]


def misplaced(place: int, size: int) -> None:
    np.zeros(size, np.bool_)[place] = False


def overflow(number: int) -> None:
    np.zeros(1, np.int64)[0] = number


def found_at(node: Node, names: Mapping[Node, str], source: Source) -> str:
    """The text of the place of a key."""
    columns, key, count = [source.text(arg, names) for arg in node.args]
    if len(node.args[0]) == 1:
        keys, number = names[node.args[0][0]], source.text(node.args[1][0], names)
        return f"{keys}.places.get({number}, {count}) if {keys}.searched == {count} else {keys}.find({number}, {count})"
    parts = [names[column] for column in node.args[0]]
    same = " and ".join(
        [f"{part}.table is {parts[0]}.table" for part in parts[1:]] + [f"{part}.number == {number}" for number, part in enumerate(parts)]
    )
    found = f"{parts[0]}.table.places.get({key}, {count}) if {same} and {source.bind(len)}({parts[0]}.table.rows) == {count}"
    return f"{found} else {source.bind(row_place)}({columns}, {key}, {count})"


def found_for(write: Node) -> Node | None:
    """The search that found the place where a call writes the very key that was looked up."""
    place = write.args[1]
    searched = type(place) is Node and calls(place, ops.py.row_place) and place.args[:2] == ((write.args[0],), (write.args[2],))
    return place if searched else None


def placed(node: Node, misses: tuple[bool, bool], place: str, items: str, source: Source) -> str:
    """The statement that raises where an array has no element at a place."""
    (size,), (before, behind) = node.args[0].meta["val"].shape, misses
    size = size if type(size) is int else f"{source.bind(len)}({items})"
    test = f"{place} >= {size}" if not before else f"not -{size} <= {place}{f' < {size}' if behind else ''}"
    return f"if {test}: {source.bind(misplaced)}({place}, {size})"


def shifted(node: Node, shift: Shift, name: str, source: Source) -> str:
    """The statement that moves the items of a list behind a place."""
    last, first = f"{name}[-1]", f"{name}[{shift.place}]"
    text = f"{name}.append({last}); del {first}" if shift.back else f"{name}.insert({shift.place}, {first}); del {last}"
    (size,) = node.meta["val"].shape
    return text if known(size > shift.place) is True else f"if {source.bind(len)}({name}) > {shift.place}: {text}"
