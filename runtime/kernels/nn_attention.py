"""Scaled dot-product attention: of all rows at once if their scores fit into the cache, otherwise
part by part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array

_SCORES = 1 << 18  # elements


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    is_causal: Any = False,
    scale: float | None = None,
    enable_gqa: Any = False,
) -> Array:
    if enable_gqa:
        key = np.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = np.repeat(value, query.shape[-3] // value.shape[-3], axis=-3)
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    length, keys = query.shape[-2], key.shape[-2]
    if math.prod(lead) * length * keys <= _SCORES:
        return _attended(query, key, value, attn_mask, 0 if is_causal else None, scale)
    query, key, value = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (query, key, value)]
    mask = None if attn_mask is None else np.broadcast_to(attn_mask, (*lead, length, keys))
    dtypes = [x.dtype for x in (query, key, value)] + ([mask.dtype] if mask is not None and mask.dtype != bool else [])
    out = np.empty((*lead, length, value.shape[-1]), np.result_type(*dtypes))
    _fill(out, query, key, value, mask, 0 if is_causal else None, scale)
    return out


def _fill(out: Any, query: Any, key: Any, value: Any, mask: Any, first: int | None, scale: Any) -> None:
    """Compute the attention part by part: along the first leading axis that has parts, else along
    the rows.
    """
    *lead, size, _ = out.shape
    scores = math.prod(lead) * size * key.shape[-2]
    axis = next((axis for axis, size in enumerate(lead) if size > 1), len(lead))
    if scores <= _SCORES or out.shape[axis] == 1:
        out[...] = _attended(query, key, value, mask, first, scale)
        return
    rows = axis == len(lead)
    step = max(1, out.shape[axis] * _SCORES // scores)
    for start in range(0, out.shape[axis], step):
        part = (*(slice(None),) * axis, slice(start, start + step))
        keys, values = (key, value) if rows else (key[part], value[part])
        offset = first + start if rows and first is not None else first
        _fill(out[part], query[part], keys, values, None if mask is None else mask[part], offset, scale)


def _attended(query: Any, key: Any, value: Any, mask: Any, first: int | None, scale: Any) -> Any:
    """The attention of some rows; where it is causal, ``first`` is the number of the first of
    them.
    """
    scores = np.matmul(query * scale, key.swapaxes(-1, -2))
    if first is not None:
        scores[..., ~np.tri(scores.shape[-2], scores.shape[-1], first, dtype=np.bool)] = -np.inf
    elif mask is not None:
        mask = np.broadcast_to(mask, scores.shape)
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    return np.matmul(_safe_softmax(scores), value)


def _safe_softmax(scores: Any) -> Any:
    """Softmax over the last axis that is 0 where every score is -inf; overwrites ``scores``."""
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    top[top == -np.inf] = 0
    np.subtract(scores, top, out=scores)
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    np.divide(scores, total, out=scores)
    return scores
