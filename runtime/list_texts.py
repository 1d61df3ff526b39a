"""Statements about items of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.ops.bounds import value_of
from npexport.runtime.emit import Source
from npexport.runtime.list_calls import LEAST, MOST
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
