"""Sizes that depend on data and are one and the same: a mask has one count, whichever operator asks for it.

``x[m]``, ``np.nonzero(m)``, ``np.compress(m, x)``, ``int(m.sum())`` and the rest have the same size; ``x[~m]`` has the others.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.np_indexing import open_sign
from npexport.ir.ops.rules import Size, larger, product, smaller
from npexport.symshapes.env import known
from npexport.tracer.arrays.extents import Extent, extent, operator_of, value_of


class Count(NamedTuple):
    """What a size counts: ``key`` names it; ``extent`` bounds it where that is known better than the operator's rule knows.

    ``others``: what counts the rest, where the size and that are the high end together.
    """

    key: Any
    extent: Extent | None = None
    others: Any = None


_SAME_COUNT = frozenset({
    "copy", "expand_dims", "flatten", "matrix_transpose", "moveaxis", "ravel", "reshape", "roll", "squeeze", "swapaxes", "transpose",
})  # fmt: skip
"""Operators that only move elements."""


def counted(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Count]:
    """What the sizes count that the operator's rule asks for, in its order; each looked up when it is asked for."""
    if op is ops.np.index:
        items = args[1] if type(args[1]) is tuple else (args[1],)
        yield from [mask_count(item) for item in items if type(item) is Node and getattr(item.meta["val"], "dtype", None) == np.bool_]
    elif op is ops.np.getitem:
        yield from _slice_lengths(args[0].meta["val"].shape, args[1])
    elif args and type(args[0]) is Node:
        rule = _of_element if op is ops.sym.element else _COUNTED.get(op.name)
        if rule is not None:
            yield from filter(None, (rule(*args, **kwargs),))


def _slice_lengths(shape: tuple[Size, ...], index: Any) -> Iterator[Count]:
    """The lengths of slices whose bounds are data: the same bounds take as many elements of axes of the same size."""
    items = index if type(index) is tuple else (index,)
    axes = iter(shape)
    skipped = len(shape) - sum(item is not None and item is not Ellipsis for item in items)
    for item in items:
        if item is None:
            continue
        for _ in range(skipped if item is Ellipsis else 1):
            size = next(axes, 0)
        if type(item) is slice and any(open_sign(value_of(bound)) for bound in (item.start, item.stop)):
            yield Count(("slice", item.start, item.stop, item.step, getattr(size, "expr", size)))


def _moved(node: Node) -> Node:
    """The array whose elements these are, in another order."""
    while operator_of(node) in _SAME_COUNT:
        node = node.args[0]
    return node


def mask_count(node: Node) -> Count:
    """How many elements are not zero."""
    found, negated = _moved(node), False
    while name := operator_of(found):
        if name in ("logical_not", "invert") and found.args[0].meta["val"].dtype == bool:
            negated = not negated
        elif not (
            (name == "astype" and np.bool_ in (found.meta["val"].dtype, found.args[0].meta["val"].dtype))
            or (name == "not_equal" and type(found.args[0]) is Node and type(found.args[1]) in (int, float) and found.args[1] == 0)
        ):
            break
        found = _moved(found.args[0])
    keys = [(found, "true"), (found, "false")]
    if operator_of(found) == "tri":
        size = _triangle(*found.args, **found.kwargs, below=not negated)
        if size is not None:
            return Count(keys[negated], (size, size))
    return Count(keys[negated], (0, product(node.meta["val"].shape)), keys[not negated])


def _triangle(rows: Any, columns: Any = None, k: Any = 0, dtype: Any = None, *, below: bool) -> Size | None:
    """How many places of a square lie on and below its ``k``-th diagonal, or above it."""
    n, m = map(value_of, (rows, rows if columns is None else columns))
    if type(k) is not int or known(n == m) is not True or known(n >= 0) is not True:
        return None
    if not below:  # seen from the other side
        k = -k - 1
    if k > 0:
        above = larger(n - 1 - k, 0)
        return n * n - above * (above + 1) // 2
    side = n + k if k >= -1 else larger(n + k, 0)
    return side * (side + 1) // 2


def _of_mask(node: Node, *args: Any, **kwargs: Any) -> Count:
    return mask_count(node)


def _of_different(node: Node, *args: Any, axis: Any = None, equal_nan: bool = True, **kwargs: Any) -> Count:
    """How many different elements there are."""
    return Count((node, args[3] if len(args) > 3 else axis, equal_nan))


def _of_distinct_nans(node: Node) -> Count:
    return _of_different(node, equal_nan=False)


def arithmetic(node: Node) -> tuple[Callable[[Size, Size], Size], tuple[Any, Any]] | None:
    """How a number is computed from two others, where that is arithmetic of integers that cannot overflow."""
    node = _plain(node)
    function = _ARITHMETIC.get(operator_of(node))
    if function is None or extent(node) is None or any(type(arg) is Node and _rank(arg) for arg in node.args[:2]):
        return None
    return function, (node.args[0], node.args[1])


def _rank(node: Node) -> int:
    return len(getattr(node.meta["val"], "shape", ()))


_ARITHMETIC: dict[str, Callable[[Size, Size], Size]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "minimum": smaller,
    "maximum": larger,
}


def _plain(node: Node) -> Node:
    """The number that is only written in another form."""
    node = _moved(node)
    while operator_of(node) in ("scalar", "astype", "array") and _is_wide(node):
        node = node.args[0]
    return node


def _of_element(node: Node) -> Count | None:
    """A number that was computed: perhaps how many elements of a mask are true, or what an array sums to."""
    node = _plain(node)
    if operator_of(node) == "getitem" and node.args[1] in (-1, (-1,)):
        node = _last(node)
    if operator_of(node) in ("count_nonzero", "sum", "cumsum") and _is_whole(node):
        source = node.args[0]
        if operator_of(node) == "count_nonzero" or _of_truths(source):
            return mask_count(source)
        return Count((_moved(source), "sum"), extent(node))
    found = extent(node)
    return None if found is None else Count((node, "element"), found)


def _is_wide(node: Node) -> bool:
    """Whether a cast of integers changes none of them; counts are small."""
    if type(node.args[0]) is not Node or not isinstance(node.args[0].meta["val"], TensorMeta):
        return False
    source, target = node.args[0].meta["val"].dtype, node.meta["val"].dtype
    return source.kind in "iu" and (np.can_cast(source, target) or source.itemsize == target.itemsize == 8)


def _is_whole(node: Node) -> bool:
    """Whether a reduction is over all elements of an array, and does not overflow."""
    axis = node.args[1] if len(node.args) > 1 else node.kwargs.get("axis")
    over_all = axis is None or (len(node.args[0].meta["val"].shape) == 1 and axis in (0, -1, (0,), (-1,)))
    return over_all and not {"initial", "where"} & node.kwargs.keys() and node.meta["val"].dtype.itemsize == 8


def _last(node: Node) -> Node:
    """The last of running sums is the sum."""
    sums = node.args[0]
    return sums if sums.target is ops.np.cumsum and len(sums.args[0].meta["val"].shape) == 1 else node


def _of_truths(node: Node) -> bool:
    while node.meta["val"].dtype != bool:
        if operator_of(node) not in ("astype", *_SAME_COUNT):
            return False
        node = node.args[0]
    return True


def _of_repeats(a: Node, repeats: Any, axis: Any = None) -> Count | None:
    """The result of ``np.repeat`` is as long as its counts are together."""
    if type(repeats) is not Node or len(repeats.meta["val"].shape) != 1:
        return None
    shape, (counts,) = a.meta["val"].shape, repeats.meta["val"].shape
    length = product(shape) if axis is None or not shape else shape[axis]
    if counts is not length and known(counts == length) is not True:
        return None
    return mask_count(repeats) if _of_truths(repeats) else Count((_moved(repeats), "sum"))


def _of_bins(x: Node, weights: Any = None, minlength: Any = 0) -> Count:
    """There are as many bins as the greatest number asks for."""
    found = extent(x)
    least = value_of(minlength)
    return Count((x, "bins", minlength), None if found is None else (least, larger(found[1] + 1, least)))


_COUNTED: dict[str, Callable[..., Count | None]] = {
    **dict.fromkeys(("argwhere", "compress", "extract", "flatnonzero", "nonzero"), _of_mask),
    "bincount": _of_bins,
    "repeat": _of_repeats,
    "unique": _of_different,
    **dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values"), _of_distinct_nans),
}
