"""Convolution, interpolation and packed bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.numpy_internals import NOTHING_NEEDS_POINTS
from npexport.ir.ops import rows
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    array,
    axis_index,
    axis_indices,
    dtype_of,
    larger,
    meta_of,
    product,
    record,
    replace_axis,
    same_sizes,
    shape_of,
    smaller,
    value,
    violated,
)
from npexport.ir.raising import NOTHING


def _convolved(a: Array, v: Array, mode: Any) -> TensorMeta:
    a, v = meta_of(a), meta_of(v)
    mode = {0: "valid", 1: "same", 2: "full"}.get(mode, mode)
    if len(a.shape) > 1 or len(v.shape) > 1 or mode not in ("full", "same", "valid"):
        raise Rejected
    n, m = (x.shape[0] if x.shape else 1 for x in (a, v))
    if violated(n != 0) or violated(m != 0):
        raise Rejected
    long, short = larger(n, m), smaller(n, m)
    size = {"full": n + m - 1, "same": long, "valid": long - short + 1}[mode]
    return array((size,), dtype_of(np.correlate, a, v, ones=(1,)))


@record(np.convolve, raises=NOTHING)
def convolve(a: Array, v: Array, mode: Any = "full") -> TensorMeta:
    """The convolution of two vectors."""
    return _convolved(a, v, mode)


@record(np.correlate, raises=NOTHING)
def correlate(a: Array, v: Array, mode: Any = "valid") -> TensorMeta:
    """The cross-correlation of two vectors, the second one conjugated."""
    if not shape_of(a) or not shape_of(v):
        raise Rejected
    return _convolved(a, v, mode)


@record(np.interp, raises=NOTHING, traits="c_order", rows=rows.looked_up("x"))
def interp(x: Array, xp: Array, fp: Array, left: Any = None, right: Any = None, period: Any = None) -> TensorMeta:
    """The piecewise linear function through the points ``(xp, fp)`` at ``x``."""
    points = shape_of(xp)
    if len(points) != 1 or not same_sizes(points, shape_of(fp)):
        raise Rejected
    some = points[0] != 0
    if violated(some | (product(shape_of(x)) == 0) if NOTHING_NEEDS_POINTS else some):
        raise Rejected
    kind = np.dtype(complex if meta_of(fp).dtype.kind == "c" else float)
    if not np.can_cast(meta_of(fp).dtype, kind, "safe"):
        raise Rejected
    if isinstance(period, TensorMeta) and violated(product(period.shape) == 1):
        raise Rejected
    if period is None and not all(np.can_cast(meta_of(places).dtype, float, "safe") for places in (x, xp)):
        raise Rejected
    return value(shape_of(x), kind)


@record(np.packbits, raises=NOTHING, rows=rows.along())
def packbits(a: Array, /, axis: Any = None, bitorder: str = "big") -> TensorMeta:
    """Eight truths to a byte."""
    a = meta_of(a)
    if a.dtype.kind not in "biu" or bitorder not in ("big", "little"):
        raise Rejected
    shape = (product(a.shape),) if axis is None or not a.shape else a.shape
    axis = 0 if axis is None else axis_index(axis, len(shape))
    return array(replace_axis(shape, axis, -(-shape[axis] // 8)), np.dtype(np.uint8))


@record(np.unpackbits, raises=NOTHING, rows=rows.along())
def unpackbits(a: Array, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> TensorMeta:
    """Eight elements of 0 or 1 to every byte."""
    a = meta_of(a)
    if a.dtype != np.uint8 or bitorder not in ("big", "little"):
        raise Rejected
    shape = (product(a.shape),) if axis is None else a.shape or (1,)
    axis = 0 if axis is None else axis_index(axis, len(shape))
    bits = shape[axis] * 8
    if count is not None:
        bits = count if count >= 0 else bits + count
        if violated(bits >= 0):
            raise Rejected
    return array(replace_axis(shape, axis, bits), a.dtype)


@record(np.gradient, raises=NOTHING, rows=rows.along())
def gradient(f: Array, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """The differences along axes: an array for one axis, else a tuple. Spacings are numbers, or
    vectors of coordinates."""
    a = meta_of(f)
    axes = axis_indices(axis, len(a.shape))
    spacings = [shape_of(item) for item in varargs]
    if axes and any(isinstance(item, (str, bytes)) for item in varargs):
        raise Rejected
    if edge_order > 2 or len(spacings) not in (0, 1, len(axes)) or (len(spacings) == 1 and spacings[0] and len(axes) != 1):
        raise Rejected
    for index, one in enumerate(axes):
        if violated(a.shape[one] >= (2 if edge_order == 1 else 3)):  # any other order is the second, whatever it is called
            raise Rejected
        for spacing in spacings[index : index + 1]:
            if len(spacing) > 1 or (spacing and not same_sizes(spacing, (a.shape[one],))):
                raise Rejected
    results = tuple([array(a.shape, dtype_of(np.gradient, a, ones=(2,))) for _ in axes])
    return results[0] if len(results) == 1 else results
