"""Linear maps, lookups and attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition


@register_decomposition("nn.linear")
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Exact but for stacks of matrices: one matrix product, which adds in another order for a
    stack.
    """
    out = np.matmul(input, weight.T)
    return out if bias is None else out + bias


@register_decomposition("nn.embedding")
def embedding(input: Any, weight: Any) -> Any:
    """Exact: rows are only moved."""
    if np.any((input < 0) | (input >= len(weight))):
        raise IndexError("embedding: an index is not in range(len(weight))")
    return np.take(weight, input, axis=0)


@register_decomposition("nn.one_hot")
def one_hot(input: Any, num_classes: Any) -> Any:
    """Exact: comparisons with the classes."""
    if np.any((input < 0) | (input >= num_classes)):
        raise ValueError("one_hot: a class is not in range(num_classes)")
    return (input[..., None] == np.arange(num_classes)).astype(np.int64)


def _bags(input: Any, offsets: Any, include_last_offset: bool) -> Any:
    """The number of bags, and the bag of each index."""
    if offsets is None:
        return input.shape[0], np.repeat(np.arange(input.shape[0]), input.shape[1])
    starts = offsets[:-1] if include_last_offset else offsets
    size = input.shape[0]
    if np.any(starts[:1] != 0) or np.any(offsets[1:] < offsets[:-1]) or np.any(offsets[-1:] > size):
        raise ValueError("embedding_bag: offsets must begin with 0, not fall, and end within the indices")
    return starts.shape[0], np.searchsorted(starts, np.arange(size), side="right") - 1


@register_decomposition("nn.embedding_bag")
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    mode: str = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> Any:
    """Exact: rows are added to their bags in order; padding adds nothing."""
    indices = input.reshape(-1)
    count, bags = _bags(input, offsets, include_last_offset)
    if offsets is not None and count == 0:
        raise NotImplementedError
    rows = embedding(indices, weight)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.astype(weight.dtype).reshape(-1, 1)
    nothing = -np.inf if mode == "max" else 0
    sizes = np.zeros(count, np.int64)
    if padding_idx is None:
        np.add.at(sizes, bags, 1)
    else:
        counted = indices != padding_idx % len(weight)
        rows = np.where(counted[:, None], rows, np.full((), nothing, rows.dtype))
        np.add.at(sizes, bags, counted.astype(np.int64))
    out = np.full((count, weight.shape[1]), nothing, weight.dtype)
    if mode == "max":
        np.maximum.at(out, bags, rows)
    else:
        np.add.at(out, bags, rows)
    if mode == "mean":
        out = out / np.maximum(sizes, 1)[:, None].astype(out.dtype)
    return np.where(sizes[:, None] > 0, out, np.zeros((), out.dtype))


@register_decomposition("nn.scaled_dot_product_attention")
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False
) -> Any:
    """Exact: two matrix products around a softmax."""
    if enable_gqa:
        key = np.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = np.repeat(value, query.shape[-3] // value.shape[-3], axis=-3)
    if scale is None:
        scale = 1 / math.sqrt(max(query.shape[-1], 1))
    scores = np.matmul(query * scale, key.swapaxes(-1, -2))
    if is_causal:
        allowed = np.arange(scores.shape[-2])[:, None] >= np.arange(scores.shape[-1])
        scores = np.where(allowed, scores, np.full((), -np.inf, scores.dtype))
    elif attn_mask is not None:
        masked = np.where(attn_mask, scores, np.full((), -np.inf, scores.dtype)) if attn_mask.dtype == np.bool_ else scores + attn_mask
        scores = masked
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(top == -np.inf, np.zeros((), top.dtype), top))
    total = powers.sum(axis=-1, keepdims=True)
    return np.matmul(powers / np.where(total == 0, np.ones((), total.dtype), total), value)
