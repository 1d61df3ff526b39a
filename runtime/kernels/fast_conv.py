"""Convolutions of ``fast_math``: batch normalisation folded into the weights, and what follows done
while the result is in the cache; kernels of 3x3 by Winograd's minimal filtering.

Winograd computes ``m x m`` results of a channel from a tile of ``n x n`` elements, ``n = m + 2``,
by ``n * n`` products instead of ``9 * m * m``. Tiles, weights and products are transformed by
constant matrices; the transform of both axes of all tiles is one matrix product.

Here channels are the last axis in memory: what is copied lies in long runs. Arrays come in any
layout, and leave in C order where ``c_order`` says so.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from npexport.runtime.array_types import Array
from npexport.runtime.kernels.products import product

_COLUMN_BYTES = 1 << 20  # of elements that are multiplied at a time
_TILE_BYTES = 1 << 21  # the same of transformed tiles
_KEPT_BYTES = 1 << 22  # larger scratch memory is not kept

# The transforms of tiles, weights and products, by the size of the result, m.
_TILES = {
    2: ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
    4: ((4, 0, -5, 0, 1, 0), (0, -4, -4, 1, 1, 0), (0, 4, -4, -1, 1, 0), (0, -2, -1, 2, 1, 0), (0, 2, -1, -2, 1, 0), (0, 4, 0, -5, 0, 1)),
}
_WEIGHTS = {
    2: ((1, 0, 0), (1 / 2, 1 / 2, 1 / 2), (1 / 2, -1 / 2, 1 / 2), (0, 0, 1)),
    4: (
        (1 / 4, 0, 0), (-1 / 6, -1 / 6, -1 / 6), (-1 / 6, 1 / 6, -1 / 6),
        (1 / 24, 1 / 12, 1 / 6), (1 / 24, -1 / 12, 1 / 6), (0, 0, 1),
    ),
}  # fmt: skip
_PRODUCTS = {
    2: ((1, 1, 1, 0), (0, 1, -1, -1)),
    4: ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
}


@functools.cache
def _both_axes(rows: tuple[tuple[float, ...], ...], dtype: Any) -> Array:
    """The transform of two axes at once, of flattened tiles."""
    matrix = np.array(rows, np.float64)
    return np.kron(matrix, matrix).astype(dtype)


def folded_weight(weight: Array, running_var: Array, gamma: Array | None, eps: Any) -> Array:
    """The weights of a convolution that a batch normalisation follows, times its factors."""
    return (weight * _factor(running_var, gamma, eps).reshape(-1, *(1,) * (weight.ndim - 1))).astype(weight.dtype)


def folded_bias(
    bias: Array | None, running_mean: Array, running_var: Array, gamma: Array | None, beta: Array | None, eps: Any, dtype: Any
) -> Array:
    """The bias of a convolution and the batch normalisation that follows it."""
    offset = (0 if bias is None else bias.astype(np.float64)) - running_mean.astype(np.float64)
    return (offset * _factor(running_var, gamma, eps) + (0 if beta is None else beta)).astype(dtype)


def _factor(running_var: Any, gamma: Any, eps: Any) -> Any:
    return (1 if gamma is None else gamma) / np.sqrt(running_var.astype(np.float64) + eps)


def winograd_weight(weight: Array, size: Any) -> Array:
    """Weights ``(O, C, 3, 3)`` for results of ``size`` by ``size``: ``(n * n, C, O)``."""
    outputs, channels = weight.shape[:2]
    transform = _both_axes(_WEIGHTS[size], np.float64)
    columns = weight.transpose(2, 3, 1, 0).reshape(9, -1).astype(np.float64)
    return (transform @ columns).astype(weight.dtype).reshape(-1, channels, outputs)


def column_weight(weight: Array) -> Array:
    """Weights ``(O, C, *kernel)`` as ``(*kernel, C, O)``."""
    return np.ascontiguousarray(np.moveaxis(weight, (0, 1), (-1, -2)))


class _Scratch(threading.local):
    """Memory that each thread reuses."""

    def __init__(self) -> None:
        self.kept: dict[str, Array] = {}

    def empty(self, use: str, shape: tuple[int, ...], dtype: Any) -> Array:
        """An uninitialised array; it takes the memory of the last one of the same use."""
        size = math.prod(shape) * dtype.itemsize
        memory = self.kept.get(use)
        if memory is None or memory.nbytes < size:
            memory = np.empty(size, np.uint8)
            if size <= _KEPT_BYTES:
                self.kept[use] = memory
        return memory[:size].view(dtype).reshape(shape)


_SCRATCH = _Scratch()


def _padded(use: str, x: Array, before: list[int], sizes: list[int]) -> Array:
    """``(N, C, ...)`` as ``(N, ..., C)`` within zeros."""
    moved = np.moveaxis(x, 1, -1)
    if moved.shape[1:-1] == tuple(sizes) and moved.flags.c_contiguous:
        return moved
    padded = _SCRATCH.empty(use, (len(x), *sizes, x.shape[1]), x.dtype)
    inside = tuple([slice(start, start + size) for start, size in zip(before, x.shape[2:], strict=True)])
    if moved.shape[1:-1] != tuple(sizes):
        padded[...] = 0
    padded[(slice(None), *inside)] = moved
    return padded


def conv(
    input: Array, weight: Array, bias: Array | None, residual: Array | None, relu: Any, c_order: Any, steps: Any, spread: Any, pairs: Any
) -> Array:
    """The convolution with weights ``(*kernel, C, O)``, then ``bias``, ``residual`` and ``relu``,
    strip by strip.
    """
    *kernel, _, outputs = weight.shape
    full = [size + before + after for size, (before, after) in zip(input.shape[2:], pairs, strict=True)]
    sizes = [(size - step * (width - 1) - 1) // stride + 1 for size, step, width, stride in zip(full, spread, kernel, steps, strict=True)]
    out = np.empty((len(input), *sizes, outputs), weight.dtype)
    rows = weight.reshape(-1, outputs)
    added = None if residual is None else np.moveaxis(residual, 1, -1)
    strip = max(1, _COLUMN_BYTES // max(1, len(rows) * math.prod(sizes[1:]) * out.itemsize))
    strip = -(-sizes[0] // -(-sizes[0] // strip))
    for image in range(len(input)):
        padded = _padded("image", input[image : image + 1], [before for before, _ in pairs], full)[0]
        windows = _windows(padded, kernel, sizes, steps, spread)
        for start in range(0, sizes[0], strip):
            met, target = windows[start : start + strip], out[image, start : start + strip]
            if not met.flags.c_contiguous:
                columns = _SCRATCH.empty("columns", met.shape, out.dtype)
                np.copyto(columns, met)
                met = columns
            product(met.reshape(-1, len(rows)), rows, target.reshape(-1, outputs))
            _finish(target, bias, None if added is None else added[image, start : start + strip], relu)
    return _returned(out, c_order)


def _windows(padded: Any, kernel: Any, sizes: Any, steps: Any, spread: Any) -> Any:
    """The view ``(*positions, *kernel, C)`` of the elements under the kernel."""
    *strides, last = padded.strides
    between = [stride * step for stride, step in zip(strides, steps, strict=True)]
    within = [stride * step for stride, step in zip(strides, spread, strict=True)]
    return as_strided(padded, (*sizes, *kernel, padded.shape[-1]), (*between, *within, last), writeable=False)


def _finish(block: Array, bias: Array | None, residual: Array | None, relu: Any) -> None:
    if bias is not None:
        np.add(block, bias, out=block)
    if residual is not None:
        np.add(block, residual, out=block)
    if relu:
        np.maximum(block, 0, out=block)


def _returned(out: Array, c_order: Any) -> Array:
    moved = np.moveaxis(out, -1, 1)
    return np.ascontiguousarray(moved) if c_order else moved


def winograd(input: Array, weight: Array, bias: Array | None, residual: Array | None, relu: Any, c_order: Any, pairs: Any) -> Array:
    """A convolution by 3x3 with stride 1, of transformed weights; then as `conv`."""
    n = math.isqrt(len(weight))
    m, (channels, outputs) = n - 2, weight.shape[1:]
    sizes = [size + before + after - 2 for size, (before, after) in zip(input.shape[2:], pairs, strict=True)]
    counts = [-(-size // m) for size in sizes]
    images = min(len(input), max(1, _TILE_BYTES // max(1, n * n * channels * math.prod(counts) * weight.itemsize)))
    out = np.empty((len(input), *sizes, outputs), weight.dtype)
    added = None if residual is None else np.moveaxis(residual, 1, -1)
    for start in range(0, len(input), images):
        part = slice(start, start + images)
        padded = _padded("image", input[part], [before for before, _ in pairs], [count * m + 2 for count in counts])
        _multiplied(padded, weight, bias, m, counts, out[part])
        for number in range(start, start + len(padded)):
            _finish(out[number], None, None if added is None else added[number], relu)
    return _returned(out, c_order)


def _multiplied(padded: Any, weight: Any, bias: Any, m: int, counts: Any, out: Any) -> None:
    """The results of all tiles of some images."""
    images, channels = len(padded), padded.shape[-1]
    n, outputs, dtype = m + 2, weight.shape[2], weight.dtype
    tiles = images * math.prod(counts)
    of_image, down, right, of_channel = padded.strides
    strides = (down, right, of_image, m * down, m * right, of_channel)
    met = as_strided(padded, (n, n, images, *counts, channels), strides, writeable=False)
    gathered = _SCRATCH.empty("tiles", met.shape, dtype)
    np.copyto(gathered, met)
    transformed = _SCRATCH.empty("transformed", (n * n, tiles, channels), dtype)
    product(_both_axes(_TILES[m], dtype), gathered.reshape(n * n, -1), transformed.reshape(n * n, -1))
    products = _SCRATCH.empty("products", (n * n, tiles, outputs), dtype)
    product(transformed, weight, products)
    if bias is not None:
        products[n + 1] += bias  # of which the transform makes all m x m results
    results = _SCRATCH.empty("tiles", (m * m, tiles * outputs), dtype)
    product(_both_axes(_PRODUCTS[m], dtype), products.reshape(n * n, -1), results)
    blocks = results.reshape(m, m, images, *counts, outputs).transpose(2, 3, 0, 4, 1, 5)
    whole = [count * m for count in counts]
    if list(out.shape[1:3]) == whole:
        out.reshape(blocks.shape)[...] = blocks
    else:
        out[...] = blocks.reshape(images, *whole, outputs)[:, : out.shape[1], : out.shape[2]]
