"""Linear maps and lookups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array


def linear(input: Array, weight: Array, bias: Array | None = None) -> Array:
    out = rows_times(input, weight.T)
    if bias is None:
        return out
    return np.add(out, bias, out=out) if np.can_cast(bias.dtype, out.dtype) else out + bias


def rows_times(x: Array, weight: Array) -> Array:
    """``x @ weight``, a stack of matrices as one matrix of all their rows."""
    if x.ndim <= 2 or not x.flags.c_contiguous:
        return np.matmul(x, weight)
    out = np.empty((*x.shape[:-1], weight.shape[1]), np.result_type(x, weight))
    count = math.prod(x.shape[:-1])
    np.matmul(x.reshape(count, x.shape[-1]), weight, out=out.reshape(count, weight.shape[1]))
    return out


def _check_range(indices: Any, count: Any, error: Any, message: Any) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        raise error(message.format(low=indices.min(), high=indices.max(), count=count))


def embedding(input: Array, weight: Array) -> Array:
    _check_range(input, len(weight), IndexError, "embedding: indices {low} to {high} are not all in range({count})")
    return weight[input]


def embedding_bag(
    input: Array,
    weight: Array,
    offsets: Array | None = None,
    mode: str = "mean",
    per_sample_weights: Array | None = None,
    include_last_offset: Any = False,
    padding_idx: int | None = None,
) -> Array:
    indices = input.reshape(-1)
    if offsets is None:
        count, bags = len(input), np.repeat(np.arange(len(input)), input.shape[1])
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        count, bags = len(starts), np.searchsorted(starts, np.arange(len(indices)), side="right") - 1
        if len(indices) and (not count or starts[0] != 0 or (offsets[1:] < offsets[:-1]).any() or offsets[-1] > len(indices)):
            raise ValueError(f"embedding_bag: offsets must begin with 0, not fall, and end within the {len(indices)} indices")
    rows = embedding(indices, weight)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.astype(weight.dtype).reshape(-1, 1)
    counted = slice(None) if padding_idx is None else indices != padding_idx % len(weight)
    rows, bags = rows[counted], bags[counted]
    sizes = np.bincount(bags, minlength=count)[:, None]
    out = np.full((count, weight.shape[1]), -np.inf if mode == "max" else 0, weight.dtype)
    (np.maximum if mode == "max" else np.add).at(out, bags, rows)
    if mode == "mean":
        out /= np.maximum(sizes, 1).astype(out.dtype)
    return np.where(sizes > 0, out, np.zeros((), out.dtype))


def one_hot(input: Array, num_classes: Any) -> Array:
    _check_range(input, num_classes, ValueError, "one_hot: classes {low} to {high} are not all in range({count})")
    return (np.asarray(input)[..., None] == np.arange(num_classes)).astype(np.int64)
