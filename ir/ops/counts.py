"""The ``counts`` of records: data-dependent sizes that are equal because they count the same thing:
a mask has one count, whichever operator asks for it.

``x[m]``, ``np.nonzero(m)``, ``np.compress(m, x)``, ``int(m.sum())`` and others have the same size;
``x[~m]`` counts the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Count, Counts, Size
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.ir.op import Op
from npexport.ir.ops.bounds import extent, operator_of
from npexport.ir.ops.rules import larger, product, shape_of
from npexport.symshapes.env import known


def count_of(slot: int, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Count | None:
    """What the size counts for which the operator's rule asks under this slot, where that has a
    name."""
    if op.counts.sizes is None or not args or type(args[0]) is not Node or not isinstance(args[0].meta["val"], TensorMeta):
        return None
    return op.counts.sizes(slot, *args, **kwargs)


def _has(node: Node, *traits: str) -> bool:
    op = operator_of(node)
    return op is not None and not op.traits.isdisjoint(traits)


def _of_item(slot: int, x: Node, index: Any) -> Count:
    """What an item of an index takes: a mask its true elements; a slice whose bounds are data as
    many of any axis of the same size."""
    items, shape = index if type(index) is tuple else (index,), x.meta["val"].shape
    item = items[slot]
    if type(item) is Node:
        return mask_count(item)
    axes = list(map(_axes, items))
    skipped = len(shape) - sum(axes) if any(other is Ellipsis for other in items[:slot]) else 0
    size = shape[sum(axes[:slot]) + skipped]
    return Count(("slice", item.start, item.stop, item.step, getattr(size, "expression", size)))


def _axes(item: Any) -> int:
    """The number of axes that an item of an index takes."""
    if type(item) is Node and getattr(item.meta["val"], "dtype", None) == np.bool_:
        return _rank(item)
    return 0 if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)) else 1


def _moved(node: Node) -> Node:
    """The array whose elements these are, in another order."""
    while _has(node, "permutation"):
        node = node.args[0]
    return node


def mask_count(node: Node) -> Count:
    """How many elements are not zero."""
    found, negated = _moved(node), False
    while (op := operator_of(found)) and op.counts.truths and (step := op.counts.truths(found)):
        found, negated = _moved(step[0]), negated != step[1]
    keys = [(found, "true"), (found, "false")]
    size = op.counts.nonzero(found, not negated) if op and op.counts.nonzero else None
    if size is not None:
        return Count(keys[negated], (size, size))
    return Count(keys[negated], (0, product(shape_of(node.meta["val"]))), keys[not negated])


def _of_negation(node: Node) -> tuple[Node, bool] | None:
    return (node.args[0], True) if node.args[0].meta["val"].dtype == bool else None


def _of_cast(node: Node) -> tuple[Node, bool] | None:
    return (node.args[0], False) if np.bool_ in (node.meta["val"].dtype, node.args[0].meta["val"].dtype) else None


def _of_difference_from_zero(node: Node) -> tuple[Node, bool] | None:
    x, other = node.args[:2]
    return (x, False) if type(x) is Node and type(other) in (int, float) and other == 0 else None


def _of_triangle(node: Node, below: bool) -> Size | None:
    return _triangle(*node.args, **node.kwargs, below=below)


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
    """How a number is computed from two others, where that is arithmetic of integers that cannot
    overflow."""
    node = _plain(node)
    op = operator_of(node)
    function = None if op is None else op.arithmetic
    if function is None or extent(node) is None or any(type(arg) is Node and _rank(arg) for arg in node.args[:2]):
        return None
    return function, (node.args[0], node.args[1])


def _rank(node: Node) -> int:
    return len(getattr(node.meta["val"], "shape", ()))


def _plain(node: Node) -> Node:
    """The number behind casts and other operators that do not change it."""
    node = _moved(node)
    while _has(node, "cast") and _is_wide(node):
        node = node.args[0]
    return node


def _of_element(node: Node) -> Count | None:
    """A number that was computed: perhaps how many elements of a mask are true, or what an array
    sums to."""
    node = _plain(node)
    op = operator_of(node)
    found = op.counts.element(node) if op is not None and op.counts.element is not None else None
    if found is not None:
        return found
    bounds = extent(node)
    return None if bounds is None else Count((node, "element"), bounds)


def _of_sum(node: Node) -> Count | None:
    """What a sum of all elements counts: true ones, or what it says."""
    if not _is_whole(node):
        return None
    source = node.args[0]
    return mask_count(source) if _of_truths(source) else Count((_moved(source), "sum"), extent(node))


def _of_nonzero(node: Node) -> Count | None:
    return mask_count(node.args[0]) if _is_whole(node) else None


def _of_last(node: Node) -> Count | None:
    """The last of running sums is the sum."""
    op = operator_of(node.args[0])
    return op.counts.last(node.args[0]) if op is not None and op.counts.last is not None and node.args[1] in (-1, (-1,)) else None


def _of_running_sum(node: Node) -> Count | None:
    return _of_sum(node) if len(node.args[0].meta["val"].shape) == 1 else None


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


def _of_truths(node: Node) -> bool:
    while node.meta["val"].dtype != bool:
        if not _has(node, "permutation", "cast") or type(node.args[0]) is not Node:
            return False
        node = node.args[0]
    return True


def _of_repeats(a: Node, repeats: Any, axis: Any = None) -> Count | None:
    """The length of the result of ``np.repeat`` is the sum of its counts."""
    if type(repeats) is not Node or len(repeats.meta["val"].shape) != 1:
        return None
    shape, (counts,) = a.meta["val"].shape, repeats.meta["val"].shape
    length = product(shape) if axis is None or not shape else shape[axis]
    if counts is not length and known(counts == length) is not True:
        return None
    return mask_count(repeats) if _of_truths(repeats) else Count((_moved(repeats), "sum"))


def _of_bins(x: Node, weights: Any = None, minlength: Any = 0) -> Count:
    """The number of bins follows from the greatest number."""
    found = extent(x)
    least = value_of(minlength)
    return Count((x, "bins", minlength), None if found is None else (least, larger(found[1] + 1, least)))


def _one(rule: Callable[..., Count | None]) -> Counts:
    """Of an operator with one size that data decide, or none."""
    return Counts(lambda slot, *args, **kwargs: rule(*args, **kwargs))


MASK = _one(_of_mask)
BINS = _one(_of_bins)
REPEATS = _one(_of_repeats)
DIFFERENT = _one(_of_different)
DISTINCT_NANS = _one(_of_distinct_nans)
ELEMENT = _one(_of_element)
INDEX = Counts(_of_item)
SLICES = Counts(_of_item, _of_last)
SUM = Counts(element=_of_sum)
RUNNING_SUM = Counts(element=_of_sum, last=_of_running_sum)
NONZERO = Counts(element=_of_nonzero)
NEGATION = Counts(truths=_of_negation)
CAST = Counts(truths=_of_cast)
UNEQUAL = Counts(truths=_of_difference_from_zero)
TRIANGLE = Counts(nonzero=_of_triangle)
