"""The layers and stacks of layers of transformers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.attention import MultiheadAttention
from npexport.runtime.nn.containers import ModuleList
from npexport.runtime.nn.linear import Dropout, Linear
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.normalization import LayerNorm

_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {"relu": F.relu, "gelu": F.gelu}


class _Layer(Module):
    """Attentions (``_attentions``) and a two-layer network, each with a residual connection and
    layer normalisation.
    """

    _attentions: tuple[str, ...] = ()
    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Array], Array] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        if isinstance(activation, str) and activation not in _ACTIVATIONS:
            raise ValueError(f"activation should be relu/gelu, not {activation}")
        options: dict[str, Any] = {"dtype": dtype, "generator": generator}
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

    def _residual(self, index: Any, x: Any, block: Any) -> Any:
        """``x`` and what ``block`` makes of it, normalised before or after the addition."""
        norm, dropout = getattr(self, f"norm{index}"), getattr(self, f"dropout{index}")
        return x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a two-layer network, each with a residual connection and layer
    normalisation.

    ``d_model``: the number of features; ``nhead``: the number of heads; ``dim_feedforward``:
    the width of the inner layer; ``dropout``: the probability of a zero in training;
    ``activation``: ``"relu"``, ``"gelu"`` or a function; ``layer_norm_eps``: ``eps`` of the
    normalisations; ``batch_first``: the batch axis comes before the time axis; ``norm_first``:
    normalise before each block, not after it; ``bias``: whether there is a bias; ``dtype``: the
    dtype of the weights; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.TransformerEncoderLayer``; Vaswani et al.,
    arXiv:1706.03762.

    >>> TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()(np.zeros((2, 5, 8), np.float32)).shape
    (2, 5, 8)
    """

    _attentions = ("self_attn",)

    def forward(
        self, src: Array, src_mask: Array | None = None, src_key_padding_mask: Array | None = None, is_causal: bool = False
    ) -> Array:
        def attend(x: Array) -> Array:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        return self._residual(2, self._residual(1, src, attend), self._feed_forward)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to ``memory`` and a two-layer network, each with a residual
    connection and layer normalisation.

    ``d_model``: the number of features; ``nhead``: the number of heads; ``dim_feedforward``:
    the width of the inner layer; ``dropout``: the probability of a zero in training;
    ``activation``: ``"relu"``, ``"gelu"`` or a function; ``layer_norm_eps``: ``eps`` of the
    normalisations; ``batch_first``: the batch axis comes before the time axis; ``norm_first``:
    normalise before each block, not after it; ``bias``: whether there is a bias; ``dtype``: the
    dtype of the weights; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.TransformerDecoderLayer``; Vaswani et al.,
    arXiv:1706.03762.

    >>> layer = TransformerDecoderLayer(8, 2, 16, batch_first=True).eval()
    >>> layer(np.zeros((2, 3, 8), np.float32), np.zeros((2, 5, 8), np.float32)).shape
    (2, 3, 8)
    """

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Array,
        memory: Array,
        tgt_mask: Array | None = None,
        memory_mask: Array | None = None,
        tgt_key_padding_mask: Array | None = None,
        memory_key_padding_mask: Array | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Array:
        def attend(x: Array) -> Array:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def look_up(x: Array) -> Array:
            return self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask, is_causal=memory_is_causal)[0]

        x = self._residual(2, self._residual(1, tgt, attend), look_up)
        return self._residual(3, x, self._feed_forward)


class _Stack(Module):
    """A sequence of copies of one layer, and ``norm`` at the end."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _run(self, x: Any, *args: Any) -> Any:
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """Copies of one ``TransformerEncoderLayer``, one after the other, and ``norm`` at the end.

    ``encoder_layer``: the layer that is copied; ``num_layers``: the number of layers;
    ``enable_nested_tensor``, ``mask_check``: means nothing here. As
    ``torch.nn.TransformerEncoder``.

    >>> layer = TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> TransformerEncoder(layer, 2).eval()(np.zeros((2, 5, 8), np.float32)).shape
    (2, 5, 8)
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True, mask_check: bool = True
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self, src: Array, mask: Array | None = None, src_key_padding_mask: Array | None = None, is_causal: bool | None = None
    ) -> Array:
        return self._run(src, mask, src_key_padding_mask, bool(is_causal))


class TransformerDecoder(_Stack):
    """Copies of one ``TransformerDecoderLayer``, one after the other, and ``norm`` at the end.

    ``decoder_layer``: the layer that is copied; ``num_layers``: the number of layers. As
    ``torch.nn.TransformerDecoder``.

    >>> decoder = TransformerDecoder(TransformerDecoderLayer(8, 2, 16, batch_first=True), 2).eval()
    >>> decoder(np.zeros((2, 3, 8), np.float32), np.zeros((2, 5, 8), np.float32)).shape
    (2, 3, 8)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Array,
        memory: Array,
        tgt_mask: Array | None = None,
        memory_mask: Array | None = None,
        tgt_key_padding_mask: Array | None = None,
        memory_key_padding_mask: Array | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Array:
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self._run(tgt, memory, *masks, bool(tgt_is_causal), memory_is_causal)


class Transformer(Module):
    """An encoder of ``src``, and a decoder of ``tgt`` that attends to the encoder's result.

    ``d_model``: the number of features; ``nhead``: the number of heads; ``num_encoder_layers``:
    layers of the encoder; ``num_decoder_layers``: layers of the decoder; ``dim_feedforward``:
    the width of the inner layer; ``dropout``: the probability of a zero in training;
    ``activation``: ``"relu"``, ``"gelu"`` or a function; ``custom_encoder``: used instead of
    the encoder; ``custom_decoder``: used instead of the decoder; ``layer_norm_eps``: ``eps`` of
    the normalisations; ``batch_first``: the batch axis comes before the time axis;
    ``norm_first``: normalise before each block, not after it; ``bias``: whether there is a
    bias; ``dtype``: the dtype of the weights; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.Transformer``; Vaswani et al., arXiv:1706.03762.

    >>> model = Transformer(8, 2, 1, 1, 16, batch_first=True).eval()
    >>> model(np.zeros((2, 5, 8), np.float32), np.zeros((2, 3, 8), np.float32)).shape
    (2, 3, 8)
    """

    encoder: Module
    decoder: Module

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Array], Array] = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        args = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        stacks: tuple[tuple[str, Module | None, Any, Any, int], ...] = (
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
        src: Array,
        tgt: Array,
        src_mask: Array | None = None,
        tgt_mask: Array | None = None,
        memory_mask: Array | None = None,
        src_key_padding_mask: Array | None = None,
        tgt_key_padding_mask: Array | None = None,
        memory_key_padding_mask: Array | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Array:
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(f"the batch number of src {src.shape} and tgt {tgt.shape} must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(f"the feature number of src {src.shape} and tgt {tgt.shape} must be equal to d_model {self.d_model}")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, dtype: DTypeLike = np.float32) -> Array:
        """A mask ``(sz, sz)`` to add: minus infinity above the diagonal, 0 elsewhere."""
        return np.triu(np.full((sz, sz), -np.inf, dtype), 1)
