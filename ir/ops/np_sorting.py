"""Sorting, searching, counting and sets."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Out
from npexport.ir.meta import MOST_AXES, TensorMeta
from npexport.ir.ops import bounds, counts, rows
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import (
    BOOL,
    FLOAT,
    INTP,
    Array,
    Rejected,
    Size,
    array,
    as_tuple,
    axis_index,
    dtype_of,
    dtypes_of,
    is_size,
    larger,
    meta_of,
    product,
    record,
    result_type,
    same_sizes,
    shape_of,
    value,
    violated,
)
from npexport.ir.raising import BINNED, DATA, NOTHING, SECOND, SORTER, STRANGERS
from npexport.symshapes.errors import Unsupported

_results: Any = np.lib._arraysetops_impl  # where the named tuples of results live

# --- orders


def _require_kind(a: Array, kind: Any, order: Any) -> None:
    """Raises what NumPy does where there is no such algorithm, or no such field."""
    np.empty(0, np.float64 if order is None else meta_of(a).dtype).sort(kind=kind, order=order)


def _ordered(a: Array, axis: Any, dtype: Any = None) -> TensorMeta:
    a = meta_of(a)
    dtype = a.dtype if dtype is None else dtype
    if axis is None:
        return array((product(a.shape),), dtype)
    axis_index(axis, len(a.shape))
    return array(a.shape, dtype)


def _in_place(node: Any, most: int, method: Any) -> Any:
    """The method of arrays that orders one where it lies, for arguments that it takes alike."""
    alike = len(node.args) <= most and not node.kwargs and all(type(arg) is int for arg in node.args[1:])
    return method if alike else None


_ORDERED: dict[str, Any] = {"raises": NOTHING, "bounds": bounds.same, "out": Out(aliases=True), "rows": rows.along()}


@record(
    np.sort,
    kernel="np_sorting.sort",
    traits="quiet c_order",
    emit=Emit(writer=lambda node: _in_place(node, 2, np.ndarray.sort)),
    **_ORDERED,
)
def sort(a: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = False) -> TensorMeta:
    """The elements in ascending order along an axis."""
    _require_kind(a, kind, order)
    return _ordered(a, axis)


def _positions(a: Array, axis: Any) -> TensorMeta:
    a = meta_of(a)
    if not a.shape and axis is not None:
        axis_index(axis, 1)  # NumPy takes a 0-d array for a vector here
        return array((1,), INTP)
    return _ordered(a, axis, INTP)


@record(np.argsort, raises=NOTHING, bounds=bounds.place(1, -1), traits="c_order", emit=Emit(method="argsort"), rows=rows.along())
def argsort(a: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = False) -> TensorMeta:
    """The positions of the elements in ascending order along an axis."""
    _require_kind(a, kind, order)
    return _positions(a, axis)


def _require_selection(kind: str) -> None:
    np.partition(np.empty(1), 0, kind=kind)  # type: ignore[call-overload]  # raises


def _partitioned(a: Array, kth: Any, axis: Any, dtype: Any = None) -> TensorMeta:
    result = _ordered(a, axis, dtype) if dtype is None else _positions(a, axis)
    size = result.shape[0 if axis is None else axis_index(axis, len(result.shape))]
    if isinstance(kth, TensorMeta):
        outside = len(kth.shape) > 1 or kth.dtype.kind == "b"
    else:
        outside = any(isinstance(k, bool) or violated(k < size) or violated(k >= -size) for k in as_tuple(kth))
    if outside and not any(violated(n != 0) for n in result.shape):
        raise Rejected
    return result


@record(
    np.partition,
    kernel="np_sorting.partition",
    traits="c_order",
    emit=Emit(writer=lambda node: _in_place(node, 3, np.ndarray.partition)),
    **_ORDERED,
)
def partition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> TensorMeta:
    """The elements so ordered that the ``kth`` stand where sorting would put them, smaller ones
    before."""
    _require_kind(a, None, order)
    _require_selection(kind)
    return _partitioned(a, kth, axis)


@record(np.argpartition, raises=NOTHING, bounds=bounds.place(2, -1), traits="c_order", emit=Emit(method="argpartition"), rows=rows.along())
def argpartition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> TensorMeta:
    """The positions of the elements in the order of ``partition``."""
    _require_kind(a, None, order)
    _require_selection(kind)
    return _partitioned(a, kth, axis, INTP)


@record(np.lexsort, raises=NOTHING)
def lexsort(keys: Any, axis: Any = -1) -> TensorMeta:
    """The positions in the order of several keys, the last one first."""
    if isinstance(keys, TensorMeta):
        if not keys.shape:
            raise Rejected
        shape = keys.shape[1:]
    else:
        shapes = [shape_of(key) for key in keys]
        if not shapes or not all(same_sizes(shape, shapes[0]) for shape in shapes):
            raise Rejected
        shape = shapes[0]
    axis_index(axis, len(shape) or 1)
    return value(shape, INTP)


# --- searching


@record(
    np.searchsorted, raises=SORTER, bounds=bounds.up_to(0), traits="c_order", emit=Emit(method="searchsorted"), rows=rows.looked_up("v")
)
def searchsorted(a: Array, v: Array, side: str = "left", sorter: Any = None) -> TensorMeta:
    """The positions at which the elements of ``v`` keep the sorted vector ``a`` in order."""
    if len(shape_of(a)) != 1 or side not in ("left", "right"):
        raise Rejected
    if sorter is not None and not same_sizes(shape_of(sorter), shape_of(a)):
        raise Rejected
    dtype_of(np.searchsorted, meta_of(a), v if type(v) is str else meta_of(v), ones=(1,))
    return value(shape_of(v), INTP)


@record(np.digitize, raises=SECOND, bounds=bounds.up_to(1), traits="c_order", rows=rows.looked_up("x"))
def digitize(x: Array, bins: Array, right: Any = False) -> TensorMeta:
    """The number of the bin that each element is in; the bins must be monotonic."""
    if len(shape_of(bins)) != 1 or meta_of(x).dtype.kind == "c":
        raise Rejected
    dtype_of(np.digitize, meta_of(x), meta_of(bins), ones=(1,))
    return value(shape_of(x), INTP)


@record(np.isin, raises=STRANGERS, traits="c_order", rows=rows.looked_up("element"))
def isin(element: Array, test_elements: Array, assume_unique: Any = False, invert: Any = False, *, kind: Any = None) -> TensorMeta:
    """Whether each element is among the test elements."""
    types = [meta_of(item).dtype.kind for item in (element, test_elements)]
    if kind not in (None, "sort", "table") or (kind == "table" and not all(code in "biu" for code in types)):
        raise Rejected
    return array(shape_of(element), BOOL)


# --- counting


@record(np.bincount, traits="data_dependent_shape", raises=BINNED, bounds=bounds.bins, counts=counts.BINS)
def bincount(x: Array, /, weights: Any = None, minlength: Any = 0) -> TensorMeta:
    """How often each number occurs, or the sums of their weights; only the data knows the greatest
    number."""
    x = meta_of(x)
    if len(x.shape) != 1 or x.dtype.kind not in "biu" or violated(minlength >= 0):
        raise Rejected
    if (type(x.shape[0]) is int or weights is not None) and x.shape[0] == 0:  # no elements give integers, whatever the weights
        return array((minlength,), INTP)
    if weights is None:
        return array((_bin_count(x.dtype, minlength),), INTP)
    if not same_sizes(shape_of(weights), x.shape):
        raise Rejected
    return array((_bin_count(x.dtype, minlength),), FLOAT)


def _bin_count(dtype: np.dtype[Any], minlength: Size) -> Size:
    """How many numbers are counted: of 8 bits no more than there are."""
    most = 2 if dtype == BOOL else int(np.iinfo(dtype).max) + 1
    return minlength if type(minlength) is int and minlength >= most else fresh_size(minlength, None)


def _bins(bins: Any) -> tuple[Size, Size, Array]:
    """How many bins and edges there are, and an operand that has the dtype of the edges or is the
    number."""
    if is_size(bins):
        if violated(bins > 0):
            raise Rejected
        return bins, bins + 1, 1
    if isinstance(bins, str):
        raise Unsupported(
            "E104", f"how many bins the rule {bins!r} gives depends on the data", hint="Give the number of bins, or their edges."
        )
    edges = meta_of(bins)
    if len(edges.shape) != 1:
        raise Rejected
    return larger(0, edges.shape[0] - 1), edges.shape[0], edges


def _histogram_of_one(a: Any, bins: Any, *others: Any, density: Any, span: tuple[int, int] | None) -> Any:
    """``span``: the ends of the range, whose types come before the weights."""
    edges: Any = 1 if isinstance(bins, int) else np.arange(2).astype(bins.dtype)
    count = 0 if span is None else 2
    ends: Any = [kind(end) for kind, end in zip(map(_type_of, others), span or (), strict=False)]
    ones: list[Any] = [np.ones((1,), w.dtype) for w in others[count:]]
    return np.histogram(np.ones((1,), a.dtype), edges, ends or None, density, *ones)


def _type_of(number: Any) -> Any:
    return number.dtype.type if isinstance(number, (np.ndarray, np.generic)) else type(number)


def _histogram_dtypes(a: TensorMeta, edges: Any, range: Any, weights: Any, density: bool) -> tuple[np.dtype[Any], ...]:
    """The dtypes of counts and edges. The ends of a range take part in that of the edges; where
    they are equal, NumPy moves them apart by a half, which may be of another dtype. Beside edges
    that are given it looks at no range.
    """
    if not isinstance(edges, int):
        range = None
    ends = () if range is None else (range.with_(shape=()),) * 2 if isinstance(range, TensorMeta) else as_tuple(range)
    if range is not None and (len(ends) != 2 or (isinstance(range, TensorMeta) and not same_sizes(range.shape, (2,)))):
        raise Rejected
    weighted = () if weights is None else (meta_of(weights),)
    spans = [None] if range is None else [(0, 1), (0, 0)]
    found = [dtypes_of(_histogram_of_one, a, edges, *ends, *weighted, density=density, span=span) for span in spans]
    if found[0] == found[-1]:
        return found[0]
    if not all(isinstance(end, (int, float, np.generic)) for end in ends):
        hint = "Convert the range to float."
        raise Unsupported("E104", "whether the ends of a histogram's range are equal decides the dtype of its edges", hint=hint)
    return found[bool(ends[0] == ends[1])]


@record(np.histogram, kernel="np_own.histogram", raises=DATA, traits="typed_parameters")
def histogram(a: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many elements are in each bin, and the edges of the bins."""
    a = meta_of(a)
    count, ends, edges = _bins(bins)
    _require_numbers(range)
    if weights is not None and not same_sizes(shape_of(weights), a.shape):
        raise Rejected
    counts, limits = _histogram_dtypes(a, edges, range, weights, bool(density))
    return array((count,), counts), array((ends,), limits)


@record(np.histogram_bin_edges, kernel="np_own.histogram_bin_edges", raises=DATA, traits="typed_parameters")
def histogram_bin_edges(a: Array, bins: Any = 10, range: Any = None, weights: Any = None) -> TensorMeta:
    """The edges of the bins."""
    a = meta_of(a)
    _, ends, edges = _bins(bins)
    _require_numbers(range)
    if weights is not None and not same_sizes(shape_of(weights), a.shape):
        raise Rejected
    return array((ends,), _histogram_dtypes(a, edges, range, None, False)[1])


@record(np.histogramdd, kernel="np_own.histogramdd", raises=DATA)
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many points are in each cell, and the edges of the cells along every axis."""
    points = _points(sample)
    rank = operator.index(points.shape[1])
    if isinstance(bins, TensorMeta) and bins.shape and bins.shape[0] == rank:
        raise Unsupported("E104", "the numbers of bins, or their edges, are one array", hint="Give a list with the edges of each axis.")
    if rank > MOST_AXES:
        raise Rejected
    every = [bins] * rank if is_size(bins) else [] if isinstance(bins, TensorMeta) else list(bins)
    if len(every) != rank:
        raise Rejected
    if weights is not None and not np.can_cast(meta_of(weights).dtype, FLOAT):
        raise Rejected
    found = [_bins(item) for item in every]
    inner = dtype_of(_inner_edges, points, range=range and ((0.0, 1.0),))
    if range is None and inner != FLOAT and points.shape[0] == 0:
        inner = FLOAT  # the edges of no points are 0.0 and 1.0
    edges = [array((ends,), inner if is_size(item) else meta_of(item).dtype) for item, (_, ends, _) in zip(every, found, strict=True)]
    return array(tuple([count for count, _, _ in found]), FLOAT), edges


def _require_numbers(range: Any) -> None:
    """Raises ``Unsupported`` (E104) for arrays with axes as the ends of a range."""
    ends = range if isinstance(range, (tuple, list)) else ()
    if any(map(shape_of, ends)) or (range is not None and not ends and len(shape_of(range)) > 1):
        raise Unsupported("E104", "an end of the range of a histogram is an array with axes", hint="Take its element: ends[0].")


def _points(sample: Any) -> TensorMeta:
    """A row for each point: an array of rows, or of one coordinate, or a sequence of
    coordinates."""
    if not isinstance(sample, (tuple, list)):
        meta = meta_of(sample)
        if len(meta.shape) > 2:
            raise Rejected
        return meta if len(meta.shape) == 2 else meta.with_(shape=(*(meta.shape or (1,)), 1))
    shapes = [shape_of(item) for item in sample]
    if sample and not any(shapes):
        return TensorMeta((len(shapes), 1), result_type(*map(meta_of, sample)))
    if not all(len(shape) == 1 and same_sizes(shape, shapes[0]) for shape in shapes):
        raise Rejected
    return TensorMeta((*shapes[0], len(shapes)), result_type(*map(meta_of, sample)))


def _inner_edges(sample: Any, range: Any) -> Any:
    return np.histogramdd(np.ones((1, 1), sample.dtype), 1, range)[1][0]


@record(np.histogram2d, kernel="np_own.histogram2d", raises=DATA)
def histogram2d(x: Array, y: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many points of the plane are in each cell, and the edges of the cells along both axes."""
    shared = isinstance(bins, TensorMeta) or (isinstance(bins, (tuple, list)) and len(bins) != 2)
    x, y = meta_of(x), meta_of(y)
    if not len(x.shape) == len(y.shape) == 1 or not same_sizes(x.shape, y.shape):
        raise Rejected
    counts, edges = histogramdd.rule((x, y), [bins, bins] if shared else bins, range, density, weights)
    return counts, *edges


# --- sets


@record(np.unique, traits="quiet data_dependent_shape", raises=NOTHING, bounds=bounds.distinct, counts=counts.DIFFERENT)
def unique(
    ar: Array,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    """The different elements in order, and on request where they stand and how often; only the data
    knows how many there are."""
    a = meta_of(ar)
    if axis is None:
        total, found = product(a.shape), fresh_size(0, product(a.shape))
        results, inverse = [array((found,), a.dtype)], a.shape
    else:
        axis = axis_index(axis, len(a.shape))
        total = a.shape[axis]
        found = fresh_size(0, total)
        results, inverse = [array((*a.shape[:axis], found, *a.shape[axis + 1 :]), a.dtype)], (total,)
    if return_index:
        results.append(array((found,), INTP))
    if return_inverse:
        results.append(array(inverse, INTP))
    if return_counts:
        results.append(array((found,), INTP))
    return results[0] if len(results) == 1 else tuple(results)


@record(np.setdiff1d, traits="data_dependent_shape", raises=STRANGERS)
def setdiff1d(ar1: Array, ar2: Array, assume_unique: Any = False) -> TensorMeta:
    """The different elements of ``ar1`` that are not in ``ar2``."""
    a = meta_of(ar1)
    return array((fresh_size(0, product(a.shape)),), a.dtype)


@record(np.setxor1d, traits="data_dependent_shape", raises=NOTHING)
def setxor1d(ar1: Array, ar2: Array, assume_unique: Any = False) -> TensorMeta:
    """The different elements that are in one of the arrays only."""
    a, b = meta_of(ar1), meta_of(ar2)
    return array((fresh_size(0, product(a.shape) + product(b.shape)),), result_type(a, b))


def _found(x: Array) -> tuple[TensorMeta, Size]:
    x = meta_of(x)
    return x, fresh_size(0, product(x.shape))


@record(np.unique_values, traits="own_source data_dependent_shape", raises=NOTHING, counts=counts.DISTINCT_NANS)
def unique_values(x: Array) -> TensorMeta:
    """The different elements, in no promised order."""
    x, found = _found(x)
    return array((found,), x.dtype)


@record(np.unique_counts, traits="own_source data_dependent_shape", raises=NOTHING, bounds=bounds.distinct, counts=counts.DISTINCT_NANS)
def unique_counts(x: Array) -> Any:
    """The different elements and how often each occurs."""
    x, found = _found(x)
    return _results.UniqueCountsResult(array((found,), x.dtype), array((found,), INTP))


@record(np.unique_inverse, traits="own_source data_dependent_shape", raises=NOTHING, bounds=bounds.distinct, counts=counts.DISTINCT_NANS)
def unique_inverse(x: Array) -> Any:
    """The different elements and which of them each element is."""
    x, found = _found(x)
    return _results.UniqueInverseResult(array((found,), x.dtype), array(x.shape, INTP))


@record(np.unique_all, traits="own_source data_dependent_shape", raises=NOTHING, bounds=bounds.distinct, counts=counts.DISTINCT_NANS)
def unique_all(x: Array) -> Any:
    """The different elements, where each occurs first, which of them each element is, and how often
    each occurs."""
    x, found = _found(x)
    values, positions = array((found,), x.dtype), array((found,), INTP)
    return _results.UniqueAllResult(values, positions, array(x.shape, INTP), positions)
