"""Scaled dot-product attention."""

from __future__ import annotations

import math

import numpy as np


def scaled_dot_product_attention(query, key, value, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
    if enable_gqa:
        key = np.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = np.repeat(value, query.shape[-3] // value.shape[-3], axis=-3)
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    scores = np.matmul(query * scale, key.swapaxes(-1, -2))
    if is_causal:
        scores[..., ~np.tri(*scores.shape[-2:], dtype=bool)] = -np.inf
    elif attn_mask is not None:
        attn_mask = np.broadcast_to(attn_mask, scores.shape)
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    return np.matmul(_safe_softmax(scores), value)


def _safe_softmax(scores):
    """Softmax over the last axis that is 0 where every score is -inf; overwrites ``scores``."""
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    top[top == -np.inf] = 0
    np.subtract(scores, top, out=scores)
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    np.divide(scores, total, out=scores)
    return scores
