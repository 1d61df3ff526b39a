"""Multi-head attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.linear import Linear
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import Parameter


class MultiheadAttention(Module):
    """Attention of several heads: ``query`` is ``(L, N, E)``, ``key`` and ``value`` ``(S, N, E)``.

    ``N`` is optional, and comes first with ``batch_first``.

    Boolean masks are True where attention is *not* allowed, as in ``torch.nn.MultiheadAttention``;
    others are added.

    ``embed_dim``: the number of features; ``num_heads``: the number of heads; ``dropout``: the
    probability of a zero in training; ``bias``: whether there is a bias; ``add_bias_kv``: add a
    learned key and value; ``add_zero_attn``: add a key and value of zeros; ``kdim``: features
    of ``key``; ``vdim``: features of ``value``; ``dtype``: the dtype of the weights;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.MultiheadAttention``; Vaswani et al., arXiv:1706.03762.

    >>> layer = MultiheadAttention(8, 2, batch_first=True)
    >>> x = np.zeros((3, 5, 8), np.float32)
    >>> output, weights = layer(x, x, x)
    >>> output.shape, weights.shape
    ((3, 5, 8), (3, 5, 5))
    """

    in_proj_weight: Array
    in_proj_bias: Array | None
    q_proj_weight: Array
    k_proj_weight: Array
    v_proj_weight: Array
    bias_k: Array | None
    bias_v: Array

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim ({embed_dim}) must be divisible by num_heads ({num_heads})")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.generator = generator
        self.batch_first = batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._same_dims = self.kdim == embed_dim and self.vdim == embed_dim
        if self._same_dims:
            self.in_proj_weight = Parameter(init.xavier_uniform_(np.empty((3 * embed_dim, embed_dim), dtype), generator=generator))
        else:
            for name, size in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                weight = init.xavier_uniform_(np.empty((embed_dim, size), dtype), generator=generator)
                self.register_parameter(f"{name}_proj_weight", weight)
        self.register_parameter("in_proj_bias", np.zeros(3 * embed_dim, dtype) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype, generator=generator)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)
        self.add_zero_attn = add_zero_attn
        for name in ("bias_k", "bias_v"):
            drawn = init.xavier_normal_(np.empty((1, 1, embed_dim), dtype), generator=generator) if add_bias_kv else None
            self.register_parameter(name, drawn)

    def forward(
        self,
        query: Array,
        key: Array,
        value: Array,
        key_padding_mask: Array | None = None,
        need_weights: bool = True,
        attn_mask: Array | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Array, Array | None]:
        if is_causal and attn_mask is None:
            raise ValueError("MultiheadAttention: is_causal=True is a hint about attn_mask; give the mask too")
        self._check(query, key, value)
        batched = query.ndim == 3
        if not batched:
            query, key, value = query[None], key[None], value[None]
            key_padding_mask = None if key_padding_mask is None else key_padding_mask[None]
        elif not self.batch_first:
            query, key, value = query.swapaxes(0, 1), key.swapaxes(0, 1), value.swapaxes(0, 1)
        q, k, v = [self._heads(x) for x in self._more_keys(*self._project(query, key, value))]
        if self.add_zero_attn:
            k, v = [np.concatenate([x, np.zeros_like(x[:, :, :1])], axis=2) for x in (k, v)]
        mask = self._mask(attn_mask, key_padding_mask, q.dtype)
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            weights = F.dropout(F._attention_weights(q, k, mask), dropout, generator=self.generator)
            out = np.matmul(weights, v)
        else:
            weights = None
            out = F.scaled_dot_product_attention(q, k, v, mask, dropout, generator=self.generator)
        out = self.out_proj(out.swapaxes(1, 2).reshape(query.shape))
        if weights is not None and average_attn_weights:
            weights = weights.mean(axis=1)
        if not batched:
            return out[0], None if weights is None else weights[0]
        return (out if self.batch_first else out.swapaxes(0, 1)), weights

    def _project(self, query: Any, key: Any, value: Any) -> Any:
        biases = [None] * 3 if self.in_proj_bias is None else np.split(self.in_proj_bias, 3)
        if self._same_dims:
            if query is key and key is value:
                return np.split(F.linear(query, self.in_proj_weight, self.in_proj_bias), 3, axis=-1)
            weights = np.split(self.in_proj_weight, 3)
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]

    def _check(self, query: Any, key: Any, value: Any) -> None:
        if query.ndim not in (2, 3) or not query.ndim == key.ndim == value.ndim:
            shapes = f"{query.shape}, {key.shape} and {value.shape}"
            raise ValueError(f"MultiheadAttention: query, key and value must all be 3D, or 2D without a batch, got {shapes}")
        for name, array, size in (("query", query, self.embed_dim), ("key", key, self.kdim), ("value", value, self.vdim)):
            if array.shape[-1] != size:
                raise ValueError(f"MultiheadAttention: the last axis of {name} must have size {size}, got shape {array.shape}")

    def _more_keys(self, query: Any, key: Any, value: Any) -> Any:
        """With ``add_bias_kv``, one more key and value, learned and the same for all."""
        if self.bias_k is None:
            return query, key, value
        key, value = [
            np.concatenate([x, np.broadcast_to(more, (x.shape[0], 1, self.embed_dim))], axis=1)
            for x, more in ((key, self.bias_k), (value, self.bias_v))
        ]
        return query, key, value

    def _heads(self, x: Any) -> Any:
        """``(N, L, E)`` to ``(N, heads, L, E / heads)``."""
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim).swapaxes(1, 2)

    def _mask(self, attn_mask: Any, key_padding_mask: Any, dtype: Any) -> Any:
        """One mask to add to the scores ``(N, heads, L, S)``, or ``None``."""
        total = None
        if attn_mask is not None:
            total = _additive(attn_mask, dtype)
            if total.ndim == 3:  # (N * heads, L, S)
                total = total.reshape(total.shape[0] // self.num_heads, self.num_heads, *total.shape[1:])
        if key_padding_mask is not None:
            padding = _additive(key_padding_mask, dtype)[:, None, None, :]
            total = padding if total is None else total + padding
        more = (self.bias_k is not None) + self.add_zero_attn
        if total is None or not more:
            return total
        return np.pad(total, [(0, 0)] * (total.ndim - 1) + [(0, more)])


def _additive(mask: Any, dtype: Any) -> Any:
    return np.where(mask, np.asarray(-np.inf, dtype), np.asarray(0, dtype)) if mask.dtype == bool else mask
