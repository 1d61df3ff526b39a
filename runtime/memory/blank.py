"""New arrays of zeros whose elements are all written before any is read: nobody can tell their
first contents, so they are not initialised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.memory.layouts import is_array, items_of
from npexport.runtime.memory.view_writes import is_part_write

INSTEAD = {np.zeros: np.empty, np.zeros_like: np.empty_like}
"""An operator that makes an array of zeros -> the one that makes it without initialisation."""

_Range = tuple[int, int, int]
"""An axis, and a range of indices along it."""


def blank(graph: Graph) -> set[Node]:
    """The arrays of zeros that are filled by writes to ranges of one axis before anything else uses
    them.
    """
    return {node for node in graph.nodes if node.op == CALL and _is_zeros(node) and _is_filled(node)}


def _is_zeros(node: Node) -> bool:
    meta = node.meta["val"]
    return is_array(meta) and all(type(size) is int for size in meta.shape) and node.target.kernel in INSTEAD  # type: ignore[union-attr]


def _is_filled(node: Node) -> bool:
    shape = node.meta["val"].shape
    written: set[_Range] = set()
    while len(node.users) == 1:
        (user,) = node.users
        if user.op != CALL or not is_part_write(user) or user.args[0] is not node or user.args[2] is node:
            return False
        part = _range(items_of(user.args[1]), shape)
        if part is None:
            return False
        written.add(part)
        if _covers(written, part[0], shape):
            return True
        node = user
    return False


def _range(items: tuple[Any, ...], shape: tuple[int, ...]) -> _Range | None:
    """The elements that an index selects, if it selects a range of one axis and all of the
    others.
    """
    place = next((number for number, item in enumerate(items) if item is Ellipsis), len(items))
    rest = (slice(None),) * (len(shape) - len(items) + (place < len(items)))
    items = (*items[:place], *rest, *items[place + 1 :])
    found = (0, 0, shape[0])
    for axis, (item, size) in enumerate(zip(items, shape, strict=False)):
        if item == slice(None):
            continue
        part = _places(item, size)
        if part is None or found != (0, 0, shape[0]):
            return None
        found = axis, *part
    return found if len(items) == len(shape) else None


def _places(item: Any, size: int) -> tuple[int, int] | None:
    if type(item) is int:
        return item % size, item % size + 1
    if type(item) is not slice or any(type(part) not in (int, type(None)) for part in (item.start, item.stop, item.step)):
        return None
    start, stop, step = item.indices(size)
    return (start, stop) if step == 1 else None


def _covers(written: set[_Range], axis: int, shape: tuple[int, ...]) -> bool:
    """Whether the ranges of an axis together cover it, or one of them selects all of it."""
    reached = 0
    for along, start, stop in sorted(written):
        if along == axis and start <= reached:
            reached = max(reached, stop)
    return reached >= shape[axis]
