"""Multi-head attention and the transformer layers made of it."""

from __future__ import annotations

import copy

import numpy as np

from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.containers import ModuleList
from npexport.runtime.nn.linear import Dropout, Linear
from npexport.runtime.nn.module import Module, Parameter
from npexport.runtime.nn.normalization import LayerNorm


class MultiheadAttention(Module):
    """Attention of several heads: ``query`` is ``(L, N, E)``, ``key`` and ``value`` ``(S, N, E)``.

    ``N`` is optional, and comes first with ``batch_first``.

    Boolean masks are True where attention is *not* allowed, as in ``torch.nn.MultiheadAttention``; others are added.
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        *,
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim ({embed_dim}) must be divisible by num_heads ({num_heads})")
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("MultiheadAttention: add_bias_kv and add_zero_attn are not supported")
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
        if bias:
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False
    ):
        if is_causal and attn_mask is None:
            raise ValueError("MultiheadAttention: is_causal=True is a hint about attn_mask; give the mask too")
        batched = query.ndim == 3
        if not batched:
            query, key, value = query[None], key[None], value[None]
            key_padding_mask = None if key_padding_mask is None else key_padding_mask[None]
        elif not self.batch_first:
            query, key, value = query.swapaxes(0, 1), key.swapaxes(0, 1), value.swapaxes(0, 1)
        q, k, v = [self._heads(x) for x in self._project(query, key, value)]
        mask = self._mask(attn_mask, key_padding_mask, q.dtype)
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            weights = F.dropout(F.attention_weights(q, k, mask), dropout, generator=self.generator)
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

    def _project(self, query, key, value):
        biases = [None] * 3 if self.in_proj_bias is None else np.split(self.in_proj_bias, 3)
        if self._same_dims:
            if query is key and key is value:
                return np.split(F.linear(query, self.in_proj_weight, self.in_proj_bias), 3, axis=-1)
            weights = np.split(self.in_proj_weight, 3)
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]

    def _heads(self, x):
        """``(N, L, E)`` to ``(N, heads, L, E / heads)``."""
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim).swapaxes(1, 2)

    def _mask(self, attn_mask, key_padding_mask, dtype):
        """One mask to add to the scores ``(N, heads, L, S)``, or ``None``."""
        total = None
        if attn_mask is not None:
            total = _additive(attn_mask, dtype)
            if total.ndim == 3:  # (N * heads, L, S)
                total = total.reshape(-1, self.num_heads, *total.shape[1:])
        if key_padding_mask is not None:
            padding = _additive(key_padding_mask, dtype)[:, None, None, :]
            total = padding if total is None else total + padding
        return total


def _additive(mask, dtype):
    return np.where(mask, np.asarray(-np.inf, dtype), np.asarray(0, dtype)) if mask.dtype == bool else mask


_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


class TransformerEncoderLayer(Module):
    """Self-attention and a two-layer network, each with a residual connection and layer normalisation."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        *,
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        options = {"dtype": dtype, "generator": generator}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **options)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **options)
        self.dropout = Dropout(dropout, generator=generator)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = Dropout(dropout, generator=generator)
        self.dropout2 = Dropout(dropout, generator=generator)
        self.activation = _ACTIVATIONS[activation] if isinstance(activation, str) else activation

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        if self.norm_first:
            src = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask, is_causal)
            return src + self._feed_forward(self.norm2(src))
        src = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(src + self._feed_forward(src))

    def _attend(self, x, mask, padding, is_causal):
        out, _ = self.self_attn(x, x, x, padding, need_weights=False, attn_mask=mask, is_causal=is_causal)
        return self.dropout1(out)

    def _feed_forward(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Copies of one ``TransformerEncoderLayer``, one after the other, and ``norm`` at the end."""

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=False):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        return src if self.norm is None else self.norm(src)
