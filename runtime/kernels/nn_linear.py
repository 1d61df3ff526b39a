"""Linear maps and lookups."""

from __future__ import annotations

import numpy as np


def linear(input, weight, bias=None):
    if bias is None:
        return np.matmul(input, weight.T)
    out = np.matmul(input, weight.T)
    return np.add(out, bias, out=out) if np.can_cast(bias.dtype, out.dtype) else out + bias


def _check_range(indices, count, error, message):
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        raise error(message.format(low=indices.min(), high=indices.max(), count=count))


def embedding(input, weight):
    _check_range(input, len(weight), IndexError, "embedding: indices {low} to {high} are not all in range({count})")
    return weight[input]


def embedding_bag(input, weight, offsets=None, mode="mean", per_sample_weights=None, include_last_offset=False, padding_idx=None):
    indices = input.reshape(-1)
    if offsets is None:
        count, bags = len(input), np.repeat(np.arange(len(input)), input.shape[1])
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        count, bags = len(starts), np.searchsorted(starts, np.arange(len(indices)), side="right") - 1
        if len(indices) and (not count or starts[0] != 0 or (np.diff(offsets) < 0).any() or offsets[-1] > len(indices)):
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


def one_hot(input, num_classes):
    _check_range(input, num_classes, ValueError, "one_hot: classes {low} to {high} are not all in range({count})")
    return (np.asarray(input)[..., None] == np.arange(num_classes)).astype(np.int64)
