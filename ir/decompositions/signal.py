"""Transforms, convolutions, histograms and differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import several, unboxed
from npexport.ir.numpy_internals import NOTHING_NEEDS_POINTS, TELLS_BINS
from npexport.symshapes.symint import is_symbolic

_axes = range  # parameters named as in NumPy shadow them


@register_decomposition("np.rfft")
def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """The first half of ``fft``: within a few units in the last place of the largest."""
    whole = np.fft.fft(a, n, axis, norm)
    return np.take(whole, np.arange(whole.shape[axis] // 2 + 1), axis=axis)


@register_decomposition("np.irfft")
def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """The real part of ``ifft`` of both halves: within a few units in the last place of the
    largest.
    """
    size = 2 * (a.shape[axis] - 1) if n is None else n
    if size < 1:
        raise NotImplementedError
    half = size // 2 + 1
    x = np.moveaxis(a, axis, -1)
    if n is not None:
        kept = np.minimum(half, x.shape[-1])
        x = np.concatenate([x[..., :kept], np.zeros((*x.shape[:-1], half - kept), x.dtype)], axis=-1)
    x = x.astype(np.result_type(x.dtype, np.complex64))
    places = np.arange(size)
    mirrored = places >= half
    whole = np.take(x, np.where(mirrored, size - places, places), axis=-1)
    alone = (places == 0) | (2 * places == size)
    whole = np.where(alone, whole.real.astype(x.dtype), np.where(mirrored, whole.conj(), whole))
    return np.moveaxis(np.fft.ifft(whole, None, -1, norm).real, -1, axis).copy()


@register_decomposition("np.hfft")
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """``irfft`` of the conjugate, scaled the other way."""
    return np.fft.irfft(np.conjugate(a), n, axis, _OTHER_WAY[norm])


@register_decomposition("np.ihfft")
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """The conjugate of ``rfft``, scaled the other way."""
    return np.conjugate(np.fft.rfft(a, n, axis, _OTHER_WAY[norm]))


_OTHER_WAY: Any = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _axes_of(a: Any, s: Any, axes: Any) -> Any:
    """The axes of a transform and their lengths, ``None`` for unchanged ones."""
    if axes is None:
        axes = tuple(_axes(a.ndim)) if s is None else tuple(_axes(-len(s), 0))
    return tuple(axes), [None if s is None or size == -1 else size for size in (s or (None,) * len(axes))]


def _transformed(function: Any, a: Any, axes: Any, sizes: Any, norm: Any) -> Any:
    for axis, size in zip(axes, sizes, strict=True):
        a = function(a, size, axis, norm)
    return a


@register_decomposition("np.fftn")
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """Exact: one axis after the other, from the last."""
    axes, sizes = _axes_of(a, s, axes)
    return _transformed(np.fft.fft, a, axes[::-1], sizes[::-1], norm)


@register_decomposition("np.ifftn")
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """Exact: one axis after the other, from the last."""
    axes, sizes = _axes_of(a, s, axes)
    return _transformed(np.fft.ifft, a, axes[::-1], sizes[::-1], norm)


@register_decomposition("np.rfftn")
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """Exact but for ``rfft``: the last axis, then the others."""
    axes, sizes = _axes_of(a, s, axes)
    first = np.fft.rfft(a, sizes[-1], axes[-1], norm)
    return _transformed(np.fft.fft, first, axes[-2::-1], sizes[-2::-1], norm) if len(axes) > 1 else first


@register_decomposition("np.irfftn")
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """Exact but for ``irfft``: the others, then the last axis."""
    axes, sizes = _axes_of(a, s, axes)
    whole = _transformed(np.fft.ifft, a, axes[:-1], sizes[:-1], norm)
    return np.fft.irfft(whole, sizes[-1], axes[-1], norm)


register_decomposition("np.fft2")(fftn)
register_decomposition("np.ifft2")(ifftn)
register_decomposition("np.rfft2")(rfftn)
register_decomposition("np.irfft2")(irfftn)


@register_decomposition("np.convolve")
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Exact: the correlation with the reversed second array. With dynamic sizes, a full convolution
    adds in another order where the second array is longer.
    """
    a, v = np.reshape(a, (-1,)), np.reshape(v, (-1,))
    whole = mode == "full" and (is_symbolic(a.shape[0]) or is_symbolic(v.shape[0]))
    if not whole and v.shape[0] > a.shape[0]:
        a, v = v, a
    back = v[::-1]
    return np.correlate(a, back.conj() if back.dtype.kind == "c" else back, mode)


@register_decomposition("np.interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Exact where positions increase: the line between the neighbours that a binary search finds.
    Calls with a period stay.
    """
    if period is not None:
        raise NotImplementedError
    x, xp, fp = np.asanyarray(x), np.asanyarray(xp).astype(np.float64), np.asanyarray(fp)
    fp = fp.astype(np.complex128 if fp.dtype.kind == "c" else np.float64)
    at = np.asanyarray(x).astype(np.float64)
    count = xp.shape[0]
    if count == 0 and not (NOTHING_NEEDS_POINTS and at.size == 0):
        raise ValueError("array of sample points is empty")
    ends = [np.concatenate([each, np.zeros(1, each.dtype)]) for each in (xp, fp)]  # of no points none is asked for
    first, highest, last = ends[1][0], ends[0][max(count - 1, 0)], ends[1][max(count - 1, 0)]
    low = np.asanyarray(np.searchsorted(xp, at, side="right") - 1)
    below = np.minimum(np.maximum(low, 0), max(count - 2, 0))
    above = np.minimum(below + 1, count - 1)
    x0, x1, y0, y1 = np.take(xp, below), np.take(xp, above), np.take(fp, below), np.take(fp, above)
    with np.errstate(all="ignore"):  # NumPy's C code reports no floating-point errors here
        slope = (y1 - y0) / np.where(x1 == x0, np.ones(()), x1 - x0)
        line = slope * (at - x0) + y0
        other = slope * (at - x1) + y1
    line = np.where(np.isnan(line), np.where(np.isnan(other) & (y0 == y1), y0, other), line)
    line = np.where(at == x0, y0, np.where(low >= count - 1, last, line))
    line = np.where(low < 0, first if left is None else left, line)
    line = np.where(at > highest, last if right is None else right, line)
    return unboxed(np.where(np.isnan(at), at, line))


@register_decomposition("np.histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Exact: equally spaced edges from the smallest to the greatest element. Calls where the data
    determine the number of bins stay.
    """
    edges = _edges(a, bins, range)
    if TELLS_BINS and isinstance(bins, int) and np.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def _edges(a: Any, bins: Any, range: Any) -> Any:
    if isinstance(bins, str):
        raise NotImplementedError
    if not isinstance(bins, int):
        edges = np.asanyarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges.copy()
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    x = np.reshape(a, (-1,))
    if x.dtype.kind not in "fiu":  # other dtypes have no bounds from which extrema could start
        raise NotImplementedError
    if range is None:
        few, many = (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
        empty = np.asanyarray(x.shape[0]) == 0
        low, high = np.where(empty, 0, np.min(x, initial=many)), np.where(empty, 1, np.max(x, initial=few))
    else:
        low, high = range
    if not np.all(np.isfinite(low) & np.isfinite(high)):
        if range is None:
            raise ValueError(f"autodetected range of [{unboxed(low)}, {unboxed(high)}] is not finite")
        raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    kind = np.result_type(low, high, x) if x.dtype.kind in "fc" else np.dtype(np.float64)
    if x.dtype.kind in "fc" and kind != np.result_type(low - 0.5, high + 0.5, x):
        raise NotImplementedError  # the edges of an empty range have another dtype
    same = np.equal(low, high)
    low, high = np.where(same, low - 0.5, low), np.where(same, high + 0.5, high)
    edges = np.linspace(low, high, bins + 1, dtype=kind)
    if range is None and x.dtype.kind == "f":  # bounds of nothing are Python's numbers, with steps in double precision
        edges = np.where(empty, np.linspace(0, 1, bins + 1, dtype=kind), edges)
    return edges


@register_decomposition("np.histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Exact: binary searches among the edges; weights between given edges are added in another
    order.
    """
    edges = histogram_bin_edges(a, bins, range, weights)
    if edges.shape[0] == 0:
        raise NotImplementedError  # NumPy finds no bins
    x = np.reshape(a, (-1,))
    count = edges.shape[0] - 1
    at = np.searchsorted(edges, x, side="right") - 1
    at = np.where(x == edges[-1], count - 1, at)
    at = np.where((x >= edges[0]) & (x <= edges[-1]), at, count)
    if weights is None:
        sums: Any = np.zeros(count + 1, np.intp)
        np.add.at(sums, at, 1)
    else:
        heavy = np.reshape(np.asanyarray(weights), (-1,))
        wide = heavy.dtype
        if not hasattr(bins, "ndim") and np.can_cast(wide, np.complex128):  # between equally spaced edges NumPy sums in double precision
            wide = np.dtype(np.complex128 if wide.kind == "c" else np.float64)
        sums = np.zeros(count + 1, wide)
        np.add.at(sums, at, heavy)
        sums = sums.astype(heavy.dtype)
    counts = sums[:-1]
    if density:
        return counts / (edges[1:] - edges[:-1]).astype(np.float64) / counts.sum(), edges
    return counts.copy(), edges


@register_decomposition("np.histogramdd")
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Exact: binary searches among the edges of each axis."""
    rows = sample if hasattr(sample, "ndim") else np.stack(list(sample), axis=-1)
    rows = rows if rows.ndim == 2 else np.reshape(rows, (-1, 1))
    rank = rows.shape[1]
    if is_symbolic(rank) or hasattr(bins, "ndim"):
        raise NotImplementedError
    if weights is not None and np.shape(weights) != rows.shape[:1]:
        raise NotImplementedError  # NumPy raises that they do not fit
    columns = [rows[:, axis] for axis in _axes(rank)]
    bins = list(bins) if isinstance(bins, (tuple, list)) else [bins] * rank
    spans = [None] * rank if range is None else list(range)
    edges = [_own_edges(*axis) for axis in zip(columns, bins, spans, strict=True)]
    total = _place(columns[0], edges[0])
    for column, edge in zip(columns[1:], edges[1:], strict=True):
        total = total * (edge.shape[0] + 1) + _place(column, edge)
    sizes = tuple([edge.shape[0] + 1 for edge in edges])
    count: Any = 1
    for size in sizes:
        count = count * size
    sums: Any = np.zeros(count, np.float64)
    np.add.at(sums, total, 1.0 if weights is None else np.asanyarray(weights).astype(np.float64))
    found = sums.reshape(sizes)[(slice(1, -1),) * rank]
    if density:
        whole = found.sum()
        for axis, edge in enumerate(edges):
            found = found / (edge[1:] - edge[:-1]).reshape(*(1,) * axis, -1, *(1,) * (rank - axis - 1))
        found = found / whole
    return found, edges  # without a density the inner part of an array with the points beyond the edges, as NumPy's is


def _own_edges(column: Any, bins: Any, span: Any) -> Any:
    return np.asanyarray(_edges(column, bins, span))


def _place(column: Any, edges: Any) -> Any:
    """The bin of each element: the first and the last are those beyond the edges; the last edge
    belongs to the bin before it.
    """
    at = np.searchsorted(edges, column, side="right")
    return np.where(column == edges[-1], at - 1, at)


@register_decomposition("np.histogram2d")
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Exact: ``histogramdd`` of two axes. An array of one or two numbers has edges of one axis."""
    count = len(bins) if np.ndim(bins) or isinstance(bins, (tuple, list)) else 0
    if count == 1 or (count == 2 and hasattr(bins, "ndim")):
        raise NotImplementedError
    given = bins if count == 2 else [bins, bins]
    found, edges = histogramdd([x, y], given, range, density, weights)
    return found, edges[0], edges[1]


@register_decomposition("np.gradient")
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """NumPy's differences: exact for even spacing, within 2 units in the last place for
    coordinates.
    """
    f = np.asanyarray(f)
    f = f if f.dtype.kind in "fc" else f.astype(np.float64)
    rank = f.ndim
    axes = tuple(_axes(rank)) if axis is None else tuple([one % rank for one in several(axis)])
    steps = [1.0] * len(axes) if not varargs else list(varargs) * len(axes) if len(varargs) == 1 else list(varargs)
    found = [_slope(f, one, step, edge_order) for one, step in zip(axes, steps, strict=True)]
    return found[0] if len(axes) == 1 else tuple(found)


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    x = np.moveaxis(f, axis, 0)
    if np.ndim(step) == 0:
        inner = (x[2:] - x[:-2]) / (2.0 * step)
        first, last = step, step
    else:
        gaps = np.asanyarray(step)
        gaps = gaps.astype(np.float64) if gaps.dtype.kind in "iu" else gaps
        gaps = gaps[1:] - gaps[:-1]
        lower, upper = (part.reshape(-1, *(1,) * (x.ndim - 1)) for part in (gaps[:-1], gaps[1:]))
        a, b, c = -upper / (lower * (lower + upper)), (upper - lower) / (lower * upper), lower / (upper * (lower + upper))
        even = np.all(gaps == gaps[0])  # so a value that is not finite reaches its neighbours only
        line, bent = np.where(even, x, np.zeros((), x.dtype)), np.where(even, np.zeros((), x.dtype), x)
        inner = np.where(even, (line[2:] - line[:-2]) / (2.0 * gaps[0]), a * bent[:-2] + b * bent[1:-1] + c * bent[2:])
        first, last = gaps[0], gaps[-1]
    if x.shape[0] < edge_order + 1:
        told = "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
        raise ValueError(told)
    if edge_order == 2:
        begin, end = _bent(x, step)
    else:
        begin, end = (x[1] - x[0]) / first, (x[-1] - x[-2]) / last
    out: Any = np.zeros(x.shape, f.dtype)
    out[1:-1], out[0], out[-1] = inner, begin, end
    return np.moveaxis(out, 0, axis).copy()


def _bent(x: Any, step: Any) -> Any:
    """The slopes of the parabolas through the first and the last three elements."""
    if np.ndim(step) == 0:
        begin = -1.5 / step * x[0] + 2.0 / step * x[1] + -0.5 / step * x[2]
        return begin, 0.5 / step * x[-3] + -2.0 / step * x[-2] + 1.5 / step * x[-1]
    at = np.asanyarray(step)
    at = at.astype(np.float64) if at.dtype.kind in "iu" else at
    p, q, r, s = at[1] - at[0], at[2] - at[1], at[-2] - at[-3], at[-1] - at[-2]
    begin = -(2.0 * p + q) / (p * (p + q)) * x[0] + (p + q) / (p * q) * x[1] + -p / (q * (p + q)) * x[2]
    return begin, s / (r * (r + s)) * x[-3] + -(s + r) / (r * s) * x[-2] + (2.0 * s + r) / (s * (r + s)) * x[-1]
