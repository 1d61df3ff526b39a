"""The ``bounds`` of records: bounds on the integers of an array whose data are not known, derived
from the call that computed it.

An extent ``(low, high)`` bounds every element; its ends are integers or sizes. It is never
contradictory, even for an empty array, so that declaring it of an element implies nothing about
other sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Extent, Size
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.ir.op import Op
from npexport.ir.ops.rules import axis_index, larger, product, shape_of, smaller
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt

_MAX_DEPTH = 32


def operator_of(node: Node) -> Op | None:
    """The operator that a node calls; ``None`` of other nodes."""
    return node.target if isinstance(node.target, Op) else None


def extent(value: Any, depth: int = 0) -> Extent | None:
    """The extent of a node's elements, or of a number; ``None`` where nothing is known beyond the
    dtype."""
    if type(value) is not Node:
        return (int(value), int(value)) if isinstance(value, (int, np.integer)) else None
    meta = value.meta["val"]
    if type(meta) is SymInt:
        return meta, meta
    if not isinstance(meta, TensorMeta) or meta.dtype.kind not in "biu" or depth > _MAX_DEPTH:
        return None
    op = operator_of(value)
    found = None if op is None or op.bounds is None else op.bounds(value, depth + 1)
    if found is not None and not _holds(meta.dtype, found):
        found = None
    return (0, 1) if found is None and meta.dtype.kind == "b" else found


def _holds(dtype: np.dtype[Any], found: Extent) -> bool:
    """Whether the dtype holds these numbers, so that none of them wrapped around; it holds sizes if
    it is wide."""
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    signed = dtype.kind == "i" or (bool(known(found[0] >= 0)))
    return signed and all(low <= end <= high if isinstance(end, int) else dtype.itemsize == 8 for end in found)


def _length(value: Any, axis: Any = None) -> Size:
    """How many elements of an array a reduction over ``axis`` takes together. NumPy takes axes 0
    and -1 of an array without axes."""
    shape = shape_of(value_of(value))
    axes = () if not shape else range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return product(tuple([shape[axis_index(i, len(shape))] for i in axes]))


def _argument(node: Node, index: int, name: str, default: Any = None) -> Any:
    return node.args[index] if len(node.args) > index else node.kwargs.get(name, default)


def same(node: Node, depth: int) -> Extent | None:
    return None if "initial" in node.kwargs else extent(node.args[0], depth)


def below(count: Callable[[Node], Size]) -> Callable[[Node, int], Extent]:
    """Positions below ``count(node)``; if that is 0, the array has no elements."""
    return lambda node, depth: (0, larger(count(node) - 1, 0))


def total(node: Node, depth: int) -> Extent | None:
    """For booleans, at most as many as there are; unknown for all else, since sums may overflow."""
    source, plain = node.args[0], not {"initial", "where"} & node.kwargs.keys()
    if type(source) is Node and plain and _is_counting(source) and node.meta["val"].dtype.itemsize == 8:
        return 0, _length(source, _argument(node, 1, "axis"))
    return None


def _is_counting(node: Node) -> bool:
    meta = node.meta["val"]
    found = (0, 1) if meta.dtype == bool else extent(node)
    return found is not None and known(found[0] >= 0) is True and known(found[1] <= 1) is True


def _united(items: Any, depth: int) -> Extent | None:
    low, high = None, None
    for item in items:
        found = extent(item, depth)
        if found is None:
            return None
        low = found[0] if low is None else smaller(low, found[0])
        high = found[1] if high is None else larger(high, found[1])
    return None if low is None else (low, high)


def one_of(first: int, last: int) -> Callable[[Node, int], Extent | None]:
    return lambda node, depth: _united(node.args[first:last], depth)


def ends(combine: Callable[[Size, Size], Size], crossed: bool = False) -> Callable[[Node, int], Extent | None]:
    """Of two arguments, end by end; ``crossed``: the low end of one with the high end of
    the other."""

    def rule(node: Node, depth: int) -> Extent | None:
        a, b = (extent(arg, depth) for arg in node.args[:2])
        if a is None or b is None:
            return None
        return combine(a[0], b[crossed]), combine(a[1], b[not crossed])

    return rule


def clip(node: Node, depth: int) -> Extent | None:
    bounds = [extent(node.kwargs.get(name, arg), depth) for name, arg in zip(("min", "max"), (*node.args[1:3], None, None), strict=False)]
    if bounds[0] is None or bounds[1] is None:
        return None
    return smaller(bounds[0][0], bounds[1][0]), bounds[1][1]


def multiplied(node: Node, depth: int) -> Extent | None:
    a, b = (extent(arg, depth) for arg in node.args[:2])
    if a is None or b is None or not (known(a[0] >= 0) and known(b[0] >= 0)):
        return None
    return a[0] * b[0], a[1] * b[1]


def quotient(node: Node, depth: int) -> Extent | None:
    found, divisor = extent(node.args[0], depth), node.args[1]
    return (found[0] // divisor, found[1] // divisor) if found is not None and isinstance(divisor, int) and divisor > 0 else None


def remainder(node: Node, depth: int) -> Extent | None:
    divisor = node.args[1]
    return (0, divisor - 1) if isinstance(divisor, int) and divisor > 0 else None


def counting(node: Node, depth: int) -> Extent | None:
    start, stop = (0, node.args[0]) if _argument(node, 1, "stop") is None else node.args[:2]
    sizes = [value_of(item) for item in (start, stop)]
    if _argument(node, 2, "step", 1) not in (1, None) or any(isinstance(item, (TensorMeta, float)) for item in sizes):
        return None
    return sizes[0], larger(sizes[1] - 1, sizes[0])


def item(node: Node, depth: int) -> Extent | None:
    """One array of those that an operator returns."""
    source, index = node.args
    op = operator_of(source)
    found = None if op is None or op.bounds is None else op.bounds(source, depth)
    return found[index] if isinstance(found, list) else None


def positions(node: Node, depth: int) -> list[Extent] | None:
    """An array of positions for each axis of the first argument."""
    return [(0, larger(size - 1, 0)) for size in shape_of(value_of(node.args[0]))]


def distinct(node: Node, depth: int) -> Any:
    """The different elements of the first argument; beside them, positions and counts."""
    found, metas = extent(node.args[0], depth), node.meta["val"]
    return found if isinstance(metas, TensorMeta) else [found] + [(0, product(shape_of(value_of(node.args[0]))))] * (len(metas) - 1)


def constant(number: int) -> Callable[[Node, int], Extent]:
    """Every element is this number."""
    return lambda node, depth: (number, number)


def up_to(argument: int) -> Callable[[Node, int], Extent]:
    """At most the number of elements of an argument."""
    return lambda node, depth: (0, _length(node.args[argument]))


def of_argument(position: int) -> Callable[[Node, int], Extent | None]:
    """Elements of another argument than the first."""
    return lambda node, depth: extent(node.args[position], depth)


def joined(node: Node, depth: int) -> Extent | None:
    """Elements of the arrays in the first argument."""
    return _united(node.args[0], depth)


def nonzero(node: Node, depth: int) -> Extent:
    """How many elements are not zero, along an axis."""
    return 0, _length(node.args[0], _argument(node, 1, "axis"))


def bins(node: Node, depth: int) -> Extent | None:
    """The number of occurrences of each number, without weights."""
    return (0, _length(node.args[0])) if node.meta["val"].dtype.kind == "i" else None


def place(position: int | None = None, default: Any = None) -> Callable[[Node, int], Extent]:
    """Positions along the axis that this argument names; among all elements if it is missing."""
    return below(lambda node: _length(node.args[0], default if position is None else _argument(node, position, "axis", default)))


def drawn(node: Node, depth: int) -> list[Extent | None]:
    """Integers between two parameters, behind the generator's state."""
    low, high = (extent(arg, depth) for arg in node.args[3:5])
    if low is None or high is None:
        return [None, None]
    return [None, (low[0], larger(high[1] - (not node.kwargs.get("endpoint", False)), low[0]))]


def shuffled(node: Node, depth: int) -> list[Extent | None]:
    """Elements of an array, or numbers below this one, behind the generator's state."""
    found = extent(node.args[2], depth)
    if found is None or shape_of(value_of(node.args[2])):
        return [None, found]
    return [None, (0, larger(found[1] - 1, 0))]
