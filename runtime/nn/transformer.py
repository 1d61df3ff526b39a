"""The layers and stacks of layers of transformers."""

from __future__ import annotations

import copy

import numpy as np

from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.attention import MultiheadAttention
from npexport.runtime.nn.containers import ModuleList
from npexport.runtime.nn.linear import Dropout, Linear
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.normalization import LayerNorm

_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


class _Layer(Module):
    """Attentions (``_attentions``) and a two-layer network, each with a residual connection and layer normalisation."""

    _attentions: tuple[str, ...] = ()

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
        if isinstance(activation, str) and activation not in _ACTIVATIONS:
            raise ValueError(f"activation should be relu/gelu, not {activation}")
        options = {"dtype": dtype, "generator": generator}
        for name in self._attentions:
            self.add_module(name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **options))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **options)
        self.dropout = Dropout(dropout, generator=generator)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **options)
        self.norm_first = norm_first
        count = len(self._attentions) + 1
        for index in range(1, count + 1):
            self.add_module(f"norm{index}", LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
        for index in range(1, count + 1):
            self.add_module(f"dropout{index}", Dropout(dropout, generator=generator))
        self.activation = _ACTIVATIONS[activation] if isinstance(activation, str) else activation

    def _residual(self, index, x, block):
        """``x`` and what ``block`` makes of it, normalised before or after."""
        norm, dropout = getattr(self, f"norm{index}"), getattr(self, f"dropout{index}")
        return x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a two-layer network, each with a residual connection and layer normalisation."""

    _attentions = ("self_attn",)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        def attend(x):
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        return self._residual(2, self._residual(1, src, attend), self._feed_forward)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to ``memory`` and a two-layer network, each with a residual connection and layer normalisation."""

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        def attend(x):
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def look_up(x):
            return self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask, is_causal=memory_is_causal)[0]

        x = self._residual(2, self._residual(1, tgt, attend), look_up)
        return self._residual(3, x, self._feed_forward)


class _Stack(Module):
    """Copies of one layer, one after the other, and ``norm`` at the end."""

    def __init__(self, layer, num_layers, norm):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _run(self, x, *args):
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """Copies of one ``TransformerEncoderLayer``, one after the other, and ``norm`` at the end."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return self._run(src, mask, src_key_padding_mask, bool(is_causal))


class TransformerDecoder(_Stack):
    """Copies of one ``TransformerDecoderLayer``, one after the other, and ``norm`` at the end."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self._run(tgt, memory, *masks, bool(tgt_is_causal), memory_is_causal)


class Transformer(Module):
    """An encoder of ``src`` and a decoder of ``tgt`` that looks at what the encoder gives."""

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        *,
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        args = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        stacks = (
            ("encoder", custom_encoder, TransformerEncoder, TransformerEncoderLayer, num_encoder_layers),
            ("decoder", custom_decoder, TransformerDecoder, TransformerDecoderLayer, num_decoder_layers),
        )
        for name, custom, stack, layer, count in stacks:
            if custom is None:
                norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
                custom = stack(layer(*args, dtype=dtype, generator=generator), count, norm)
            setattr(self, name, custom)
        for weight in self.parameters():
            if weight.ndim > 1:
                init.xavier_uniform_(weight, generator=generator)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(f"the batch number of src {src.shape} and tgt {tgt.shape} must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(f"the feature number of src {src.shape} and tgt {tgt.shape} must be equal to d_model {self.d_model}")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz, dtype=np.float32):
        """A mask ``(sz, sz)`` to add: minus infinity above the diagonal, 0 elsewhere."""
        return np.triu(np.full((sz, sz), -np.inf, dtype), 1)
