"""Between what the integers of an array lie whose data are not known: read off the operators that computed it.

An extent ``(low, high)`` bounds every element; its ends are integers or sizes. It never contradicts itself, also where the array is
empty, so that to declare it of an element says nothing about other sizes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.rules import Size, axis_index, larger, product, shape_of, smaller
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt

Extent = tuple[Size, Size]
_MAX_DEPTH = 32

SAME_ELEMENTS = frozenset({
    "broadcast_to", "copy", "diagonal", "expand_dims", "flatten", "getitem", "index", "matrix_transpose", "max", "min",
    "moveaxis", "partition", "ravel", "repeat", "reshape", "roll", "scalar", "sliding_window_view", "sort", "squeeze", "swapaxes",
    "take", "take_along_axis", "tile", "transpose", "unique",
})  # fmt: skip
"""Operators whose results hold elements of their first argument and nothing else, unless keyword arguments say otherwise."""


def operator_of(node: Node) -> str:
    """The name of the operator that a node calls; empty of other nodes."""
    return node.target.name if isinstance(node.target, Op) else ""


def value_of(arg: Any) -> Any:
    """What an argument of a node is: a node's value, or the argument itself."""
    return arg.meta["val"] if type(arg) is Node else arg


def extent(value: Any, depth: int = 0) -> Extent | None:
    """The extent of a node's elements, or of a number; ``None`` where nothing is known beyond the dtype."""
    if type(value) is not Node:
        return (int(value), int(value)) if isinstance(value, (int, np.integer)) else None
    meta = value.meta["val"]
    if type(meta) is SymInt:
        return meta, meta
    if not isinstance(meta, TensorMeta) or meta.dtype.kind not in "biu" or depth > _MAX_DEPTH:
        return None
    rule = _RULES.get(operator_of(value))
    found = None if rule is None else rule(value, depth + 1)
    if found is not None and not _holds(meta.dtype, found):
        found = None
    return (0, 1) if found is None and meta.dtype.kind == "b" else found


def _holds(dtype: np.dtype[Any], found: Extent) -> bool:
    """Whether the dtype holds these numbers, so that none of them wrapped around; it holds sizes if it is wide."""
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    signed = dtype.kind == "i" or (bool(known(found[0] >= 0)))
    return signed and all(low <= end <= high if isinstance(end, int) else dtype.itemsize == 8 for end in found)


def _length(value: Any, axis: Any = None) -> Size:
    """How many elements of an array a reduction over ``axis`` takes together."""
    shape = shape_of(value_of(value))
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return product(tuple([shape[axis_index(i, len(shape))] for i in axes]))


def _argument(node: Node, index: int, name: str, default: Any = None) -> Any:
    return node.args[index] if len(node.args) > index else node.kwargs.get(name, default)


def _same(node: Node, depth: int) -> Extent | None:
    return None if "initial" in node.kwargs else extent(node.args[0], depth)


def _below(count: Callable[[Node], Size]) -> Callable[[Node, int], Extent]:
    """Positions among ``count(node)``; of none there are no elements."""
    return lambda node, depth: (0, larger(count(node) - 1, 0))


def _sum(node: Node, depth: int) -> Extent | None:
    """At most as many as there are, of truths; of nothing else: a sum may overflow."""
    source, plain = node.args[0], not {"initial", "where"} & node.kwargs.keys()
    if type(source) is Node and plain and _is_counting(source) and node.meta["val"].dtype.itemsize == 8:
        return 0, _length(source, _argument(node, 1, "axis"))
    return None


def _is_counting(node: Node) -> bool:
    meta = node.meta["val"]
    return meta.dtype == bool or extent(node) == (0, 1)


def _united(items: Any, depth: int) -> Extent | None:
    low, high = None, None
    for item in items:
        found = extent(item, depth)
        if found is None:
            return None
        low = found[0] if low is None else smaller(low, found[0])
        high = found[1] if high is None else larger(high, found[1])
    return None if low is None else (low, high)


def _one_of(first: int, last: int) -> Callable[[Node, int], Extent | None]:
    return lambda node, depth: _united(node.args[first:last], depth)


def _ends(combine: Callable[[Size, Size], Size], crossed: bool = False) -> Callable[[Node, int], Extent | None]:
    """Of two arguments, end by end; ``crossed``: the low end of one with the high end of the other."""

    def rule(node: Node, depth: int) -> Extent | None:
        a, b = (extent(arg, depth) for arg in node.args[:2])
        if a is None or b is None:
            return None
        return combine(a[0], b[crossed]), combine(a[1], b[not crossed])

    return rule


def _clip(node: Node, depth: int) -> Extent | None:
    bounds = [extent(node.kwargs.get(name, arg), depth) for name, arg in zip(("min", "max"), (*node.args[1:3], None, None), strict=False)]
    if bounds[0] is None or bounds[1] is None:
        return None
    return smaller(bounds[0][0], bounds[1][0]), bounds[1][1]


def _product(node: Node, depth: int) -> Extent | None:
    a, b = (extent(arg, depth) for arg in node.args[:2])
    if a is None or b is None or not (known(a[0] >= 0) and known(b[0] >= 0)):
        return None
    return a[0] * b[0], a[1] * b[1]


def _quotient(node: Node, depth: int) -> Extent | None:
    found, divisor = extent(node.args[0], depth), node.args[1]
    return (found[0] // divisor, found[1] // divisor) if found is not None and isinstance(divisor, int) and divisor > 0 else None


def _remainder(node: Node, depth: int) -> Extent | None:
    divisor = node.args[1]
    return (0, divisor - 1) if isinstance(divisor, int) and divisor > 0 else None


def _range(node: Node, depth: int) -> Extent | None:
    start, stop = (0, node.args[0]) if _argument(node, 1, "stop") is None else node.args[:2]
    sizes = [value_of(item) for item in (start, stop)]
    if _argument(node, 2, "step", 1) not in (1, None) or any(isinstance(item, (TensorMeta, float)) for item in sizes):
        return None
    return sizes[0], larger(sizes[1] - 1, sizes[0])


def _item(node: Node, depth: int) -> Extent | None:
    """One array of those that an operator returns."""
    source, index = node.args
    shape = source.args[0].meta["val"].shape if source.args and type(source.args[0]) is Node else ()
    match operator_of(source):
        case "nonzero":
            return 0, larger(shape[index] - 1, 0)
        case "unique" | "unique_all" | "unique_inverse" | "unique_counts" if index:
            return 0, product(shape)
        case "unique" | "unique_all" | "unique_inverse" | "unique_counts":
            return extent(source.args[0], depth)
    return None


_RULES: dict[str, Callable[[Node, int], Extent | None]] = {
    **dict.fromkeys(SAME_ELEMENTS, _same),
    "sum": _sum,
    "count_nonzero": lambda node, depth: (0, _length(node.args[0], _argument(node, 1, "axis"))),
    "cumsum": _sum,
    "astype": _same,
    "array": _same,
    "compress": lambda node, depth: extent(node.args[1], depth),
    "item": _item,
    "where": _one_of(1, 3),
    "concatenate": lambda node, depth: _united(node.args[0], depth),
    "stack": lambda node, depth: _united(node.args[0], depth),
    "clip": _clip,
    "minimum": _ends(smaller),
    "maximum": _ends(larger),
    "add": _ends(operator.add),
    "subtract": _ends(operator.sub, crossed=True),
    "multiply": _product,
    "floor_divide": _quotient,
    "remainder": _remainder,
    "arange": _range,
    "searchsorted": lambda node, depth: (0, _length(node.args[0])),
    "digitize": lambda node, depth: (0, _length(node.args[1])),
    "bincount": lambda node, depth: (0, _length(node.args[0])) if node.meta["val"].dtype.kind == "i" else None,
    "flatnonzero": _below(lambda node: _length(node.args[0])),
    "argwhere": _below(lambda node: _length(node.args[0])),
    **{
        name: _below(lambda node: _length(node.args[0], _argument(node, 1, "axis")))
        for name in ("argmax", "argmin", "nanargmax", "nanargmin")
    },
    "argsort": _below(lambda node: _length(node.args[0], _argument(node, 1, "axis", -1))),
    "argpartition": _below(lambda node: _length(node.args[0], _argument(node, 2, "axis", -1))),
    "zeros": lambda node, depth: (0, 0),
    "zeros_like": lambda node, depth: (0, 0),
    "ones": lambda node, depth: (1, 1),
}
