"""Linear maps, lookups and attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import flops, rows, rows_products
from npexport.ir.ops.nn_base import array, floating, integral, numeric, operator, show
from npexport.ir.ops.rules import Rejected, broadcast, broadcasts_to, same_sizes
from npexport.ir.raising import DATA, LOOKED_UP, NOTHING


@operator("nn_linear.linear", raises=NOTHING, rows=rows.leading(1, rounds=True), flops=flops.contracted("input"), fast="linear")
def linear(input: Any, weight: Any, bias: Any = None) -> TensorMeta:
    """``input @ weight.T + bias``: ``(..., in)`` with ``weight`` ``(out, in)`` gives
    ``(..., out)``."""
    x, w = numeric(input, "linear"), numeric(weight, "linear", "weight")
    if w.ndim != 2:
        raise ValueError(f"linear: weight must have 2 dimensions, got shape {show(w.shape)}")
    if not (x.ndim > 0 and x.shape[-1] == w.shape[1]):
        raise ValueError(
            f"linear: the last axis of input of shape {show(x.shape)} must have size {w.shape[1]}, as in weight {show(w.shape)}"
        )
    dtypes = [x.dtype, w.dtype]
    if bias is not None:
        b = numeric(bias, "linear", "bias")
        if not same_sizes(b.shape, w.shape[:1]):
            raise ValueError(f"linear: bias must have shape {show(w.shape[:1])}, not {show(b.shape)}")
        dtypes.append(b.dtype)
    return TensorMeta((*x.shape[:-1], w.shape[0]), np.result_type(*dtypes))


@operator("nn_linear.embedding", raises=LOOKED_UP, rows=rows.looked_up("input"))
def embedding(input: Any, weight: Any) -> TensorMeta:
    """The rows of ``weight`` that ``input`` names. Running it raises ``IndexError`` for an index
    that is not in ``range(len(weight))``."""
    x, w = integral(input, "embedding"), array(weight, "embedding", "weight")
    if w.ndim != 2:
        raise ValueError(f"embedding: weight must have 2 dimensions, got shape {show(w.shape)}")
    return TensorMeta((*x.shape, w.shape[1]), w.dtype)


@operator("nn_linear.embedding_bag", raises=LOOKED_UP)
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    mode: str = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> TensorMeta:
    """The sum, mean or maximum of the rows of ``weight`` that each bag of indices names; an empty
    bag gives zeros.

    ``input`` is ``(bags, size)``, or ``(indices,)`` with ``offsets`` ``(bags,)``, where each begins
    (``include_last_offset``: and ends). Entries equal to ``padding_idx`` do not count.
    """
    x, w = integral(input, "embedding_bag"), floating(weight, "embedding_bag", "weight")
    if w.ndim != 2:
        raise ValueError(f"embedding_bag: weight must have 2 dimensions, got shape {show(w.shape)}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"embedding_bag: mode must be 'sum', 'mean' or 'max', not {mode!r}")
    if x.ndim not in (1, 2) or (x.ndim == 1) == (offsets is None):
        raise ValueError(f"embedding_bag: input must be 2D, or 1D with offsets, got shape {show(x.shape)}")
    if per_sample_weights is not None:
        factors = floating(per_sample_weights, "embedding_bag", "per_sample_weights")
        if mode != "sum":
            raise ValueError(f"embedding_bag: per_sample_weights are for mode='sum', not {mode!r}")
        if not same_sizes(factors.shape, x.shape):
            raise ValueError(f"embedding_bag: per_sample_weights must have shape {show(x.shape)}, not {show(factors.shape)}")
    bags = x.shape[0]
    if offsets is not None:
        starts = integral(offsets, "embedding_bag", "offsets")
        if starts.ndim != 1:
            raise ValueError(f"embedding_bag: offsets must have 1 dimension, got shape {show(starts.shape)}")
        bags = starts.shape[0] - 1 if include_last_offset else starts.shape[0]
    return TensorMeta((bags, w.shape[1]), w.dtype)


@operator("nn_linear.one_hot", raises=DATA, rows=rows.looked_up("input"))
def one_hot(input: Any, num_classes: Any) -> TensorMeta:
    """1 at ``[..., input]``, 0 elsewhere, as int64. Running it raises ``ValueError`` for a class
    that is not in ``range(num_classes)``."""
    x = integral(input, "one_hot")
    if num_classes < 1:
        raise ValueError(f"one_hot: num_classes must be at least 1, got {num_classes}")
    return TensorMeta((*x.shape, num_classes), np.dtype(np.int64))


@operator("nn_attention.scaled_dot_product_attention", raises=NOTHING, rows=rows_products.attention, flops=flops.attended)
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False
) -> TensorMeta:
    """``softmax(query @ key.T * scale + mask) @ value`` over the last two axes.

    ``query`` is ``(..., L, E)``, ``key`` ``(..., S, E)``, ``value`` ``(..., S, V)``; ``scale`` is
    ``E ** -0.5`` where not given. A boolean ``attn_mask`` is True where attention is allowed, any
    other is added. A row that may attend to nothing gives zeros. ``is_causal`` lets query ``i``
    attend to keys up to ``i``. ``enable_gqa`` repeats the heads (axis -3) of key and value.
    """
    name = "scaled_dot_product_attention"
    q, k, v = floating(query, name, "query"), floating(key, name, "key"), floating(value, name, "value")

    def mistake(text: str) -> ValueError:
        return ValueError(f"{name}: {text}: query {show(q.shape)}, key {show(k.shape)}, value {show(v.shape)}")

    if not (q.ndim >= 2 and k.ndim >= 2 and v.ndim >= 2):
        raise mistake("operands must have at least 2 dimensions")
    if q.shape[-1] != k.shape[-1]:
        raise mistake("query and key must have the same last size")
    if k.shape[-2] != v.shape[-2]:
        raise mistake("key and value must have the same length")
    lead_k, lead_v = k.shape[:-2], v.shape[:-2]
    if enable_gqa:
        if not (q.ndim >= 3 and k.ndim == q.ndim and v.ndim == q.ndim):
            raise mistake("enable_gqa needs a heads axis")
        if not (q.shape[-3] % k.shape[-3] == 0 and q.shape[-3] % v.shape[-3] == 0):
            raise mistake("the heads of query must be a multiple of those of key and value")
        lead_k, lead_v = (*lead_k[:-1], q.shape[-3]), (*lead_v[:-1], q.shape[-3])
    try:
        lead = broadcast(q.shape[:-2], lead_k, lead_v)
    except Rejected:
        raise mistake("the leading axes do not broadcast") from None
    dtypes = [q.dtype, k.dtype, v.dtype]
    if attn_mask is not None:
        if is_causal:
            raise ValueError(f"{name}: give attn_mask or is_causal, not both")
        mask = array(attn_mask, name, "attn_mask")
        scores = (*lead, q.shape[-2], k.shape[-2])
        if not broadcasts_to(mask.shape, scores):
            raise ValueError(f"{name}: attn_mask of shape {show(mask.shape)} does not broadcast to {show(scores)}")
        if mask.dtype.kind != "b":
            dtypes.append(floating(mask, name, "attn_mask").dtype)
    return TensorMeta((*lead, q.shape[-2], v.shape[-1]), np.result_type(*dtypes))
