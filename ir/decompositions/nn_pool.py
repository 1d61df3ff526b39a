"""Pooling: reductions of the elements in each window."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.windows import padded, windows
from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_pool import window_count

RANKS = (1, 2, 3)


def _of_each_rank(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decomposition of (rank, operands and options) for one, two and three spatial
    axes each.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        for rank in RANKS:
            register_decomposition(f"nn.{name.format(rank=rank)}")(_with_rank(function, rank))
        return function

    return declare


def _with_rank(function: Callable[..., Any], rank: int) -> Callable[..., Any]:
    def decomposition(*args: Any, **kwargs: Any) -> Any:
        return function(rank, *args, **kwargs)

    decomposition.__doc__ = function.__doc__
    return decomposition


class _Geometry:
    """The windows of one pool: kernel, steps, padding and dilation for each axis, and how many
    there are.
    """

    def __init__(self, x: Any, rank: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> None:
        self.kernel = per_axis(kernel_size, rank, "pool", "kernel_size")
        self.steps = per_axis(kernel_size if stride is None else stride, rank, "pool", "stride")
        self.widths = per_axis(padding, rank, "pool", "padding")
        self.spread = per_axis(dilation, rank, "pool", "dilation")
        self.sizes = x.shape[-rank:]
        per = zip(self.sizes, self.kernel, self.steps, self.widths, self.spread, strict=True)
        self.counts = [window_count(*axis, ceil_mode) for axis in per]
        self.ceil = ceil_mode

    def of(self, x: Any, fill: Any) -> Any:
        """``(..., *counts, elements of a window)``."""
        pairs = []
        for size, kernel, step, width, spread, count in zip(
            self.sizes, self.kernel, self.steps, self.widths, self.spread, self.counts, strict=True
        ):
            beyond = max((count - 1) * step + spread * (kernel - 1) + 1 - size - width, 0) if self.ceil else width
            pairs.append((width, beyond))
        found = windows(padded(x, pairs, fill), self.kernel, self.counts, self.steps, self.spread)
        return found.reshape(*found.shape[: -len(self.kernel)], math.prod(self.kernel))


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


@_of_each_rank("max_pool{rank}d")
def max_pool(
    rank: int, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Exact: maxima."""
    geometry = _Geometry(input, rank, kernel_size, stride, padding, dilation, ceil_mode)
    return np.max(geometry.of(input, _lowest(input.dtype)), axis=-1)


@_of_each_rank("max_pool{rank}d_with_indices")
def max_pool_with_indices(
    rank: int, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """Exact: the first of equal maxima, the last of several NaN."""
    geometry = _Geometry(input, rank, kernel_size, stride, padding, dilation, ceil_mode)
    values = geometry.of(input, _lowest(input.dtype))
    spatial = input.shape[-rank:]
    places = geometry.of(np.arange(math.prod(spatial)).reshape(spatial), -1)
    greatest = np.max(values, axis=-1)
    chosen = np.argmax((values == greatest[..., None]) & (places >= 0), axis=-1)
    missing = values != values
    last = math.prod(geometry.kernel) - 1 - np.argmax(missing[..., ::-1], axis=-1)
    chosen = np.where(np.any(missing, axis=-1), last, chosen)
    return greatest, np.take_along_axis(np.broadcast_to(places, values.shape), chosen[..., None], -1)[..., 0]


@_of_each_rank("avg_pool{rank}d")
def avg_pool(
    rank: int,
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:
    """The sum of each window in another order: within 2 units in the last place of the largest
    term.
    """
    geometry = _Geometry(input, rank, kernel_size, stride, padding, 1, ceil_mode)
    out = np.sum(geometry.of(input, 0), axis=-1)
    if divisor_override is not None:
        return out / divisor_override
    for axis in range(rank):
        size, width = input.shape[axis - rank], geometry.widths[axis]
        starts = np.arange(geometry.counts[axis]) * geometry.steps[axis] - width
        low, high = (-width, size + width) if count_include_pad else (0, size)
        counts = np.minimum(starts + geometry.kernel[axis], high) - np.maximum(starts, low)
        out = out / counts.astype(out.dtype).reshape(-1, *(1,) * (rank - 1 - axis))
    return out


def _adaptive_places(size: Any, wanted: Any) -> Any:
    """The positions in each window of one axis, ``(wanted, longest)``, and a mask of those that
    belong to it.
    """
    first = np.arange(wanted) * size // wanted
    end = -(-(np.arange(wanted) + 1) * size // wanted)
    places = first[:, None] + np.arange(-(-size // max(wanted, 1)) + 1)
    return np.minimum(places, size - 1), places < end[:, None]


def _wanted(input: Any, rank: int, output_size: Any) -> list[Any]:
    return list(zip(range(input.ndim - rank, input.ndim), per_axis(output_size, rank, "adaptive_pool", "output_size"), strict=True))


def _shaped(mask: Any, axis: int, ndim: int) -> Any:
    """A mask ``(wanted, longest)`` of the axes ``axis`` and ``axis + 1``."""
    return mask.reshape(*mask.shape, *(1,) * (ndim - axis - 2))


@_of_each_rank("adaptive_avg_pool{rank}d")
def adaptive_avg_pool(rank: int, input: Any, output_size: Any) -> Any:
    """Means, one axis after the other, of sums in another order: within 2 units in the last place
    of the largest term.
    """
    x = input
    for axis, wanted in _wanted(input, rank, output_size):
        if wanted is not None:
            places, counted = _adaptive_places(x.shape[axis], wanted)
            x = np.take(x, places, axis=axis)
            x = np.mean(x, axis=axis + 1, where=_shaped(counted, axis, x.ndim))
    return x


@_of_each_rank("adaptive_max_pool{rank}d")
def adaptive_max_pool(rank: int, input: Any, output_size: Any) -> Any:
    """Exact: maxima, one axis after the other."""
    x = input
    for axis, wanted in _wanted(input, rank, output_size):
        if wanted is not None:
            places, _ = _adaptive_places(x.shape[axis], wanted)
            last = -(-(np.arange(wanted) + 1) * x.shape[axis] // wanted) - 1
            x = np.max(np.take(x, np.minimum(places, last[:, None]), axis=axis), axis=axis + 1)
    return x


@_of_each_rank("adaptive_max_pool{rank}d_with_indices")
def adaptive_max_pool_with_indices(rank: int, input: Any, output_size: Any) -> Any:
    """Exact: the first of equal maxima."""
    spatial = input.shape[-rank:]
    values, places = input, np.arange(math.prod(spatial)).reshape(spatial)
    lead = input.ndim - rank
    counted, counts, longest = np.ones((1,) * 2 * rank, np.bool_), [], []
    for index, (_, wanted) in enumerate(_wanted(input, rank, output_size)):
        size = spatial[index]
        at, counting = _adaptive_places(size, size if wanted is None else wanted)
        values = np.take(values, at, axis=lead + 2 * index)
        places = np.take(places, at, axis=2 * index)
        counted = counted & counting.reshape(*(1,) * 2 * index, *counting.shape, *(1,) * 2 * (rank - index - 1))
        counts.append(at.shape[0])
        longest.append(at.shape[1])
    order = (*range(0, 2 * rank, 2), *range(1, 2 * rank, 2))
    shape = (*counts, math.prod(longest))
    values = np.transpose(values, (*range(lead), *[lead + axis for axis in order])).reshape(*input.shape[:lead], *shape)
    places, counted = np.transpose(places, order).reshape(shape), np.transpose(counted, order).reshape(shape)
    greatest = np.max(values, axis=-1, where=counted, initial=_lowest(input.dtype))
    first = np.argmax(((values == greatest[..., None]) | (values != values)) & counted, axis=-1)
    return greatest, np.take_along_axis(np.broadcast_to(places, values.shape), first[..., None], -1)[..., 0]
