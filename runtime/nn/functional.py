"""``nn.functional``: the functions of ``torch.nn.functional`` on NumPy arrays, under its names,
argument order and defaults.

Each is ordinary Python over the operators ``ops.nn``, so a tracer records the operators and nothing
else. ``inplace=True`` writes the result into the input and returns the input, as do the functions
whose names end in ``_``.
"""

from __future__ import annotations

import math

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.array_types import Array, Sizes
from npexport.runtime.nn.activations import (
    celu as celu,
    celu_ as celu_,
    elu as elu,
    elu_ as elu_,
    gelu as gelu,
    glu as glu,
    hardshrink as hardshrink,
    hardsigmoid as hardsigmoid,
    hardswish as hardswish,
    hardtanh as hardtanh,
    hardtanh_ as hardtanh_,
    leaky_relu as leaky_relu,
    leaky_relu_ as leaky_relu_,
    log_softmax as log_softmax,
    logsigmoid as logsigmoid,
    mish as mish,
    prelu as prelu,
    relu as relu,
    relu6 as relu6,
    relu_ as relu_,
    rrelu_ as rrelu_,
    selu as selu,
    selu_ as selu_,
    sigmoid as sigmoid,
    silu as silu,
    softmax as softmax,
    softmin as softmin,
    softplus as softplus,
    softshrink as softshrink,
    softsign as softsign,
    tanh as tanh,
    tanhshrink as tanhshrink,
    threshold as threshold,
    threshold_ as threshold_,
)
from npexport.runtime.nn.dropouts import (
    alpha_dropout as alpha_dropout,
    dropout as dropout,
    dropout1d as dropout1d,
    dropout2d as dropout2d,
    dropout3d as dropout3d,
    feature_alpha_dropout as feature_alpha_dropout,
    gumbel_softmax as gumbel_softmax,
    rrelu as rrelu,
)
from npexport.runtime.nn.losses import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    cosine_similarity as cosine_similarity,
    cross_entropy as cross_entropy,
    ctc_loss as ctc_loss,
    gaussian_nll_loss as gaussian_nll_loss,
    huber_loss as huber_loss,
    kl_div as kl_div,
    l1_loss as l1_loss,
    mse_loss as mse_loss,
    nll_loss as nll_loss,
    pairwise_distance as pairwise_distance,
    pdist as pdist,
    poisson_nll_loss as poisson_nll_loss,
    smooth_l1_loss as smooth_l1_loss,
)
from npexport.runtime.nn.margin_losses import (
    cosine_embedding_loss as cosine_embedding_loss,
    hinge_embedding_loss as hinge_embedding_loss,
    margin_ranking_loss as margin_ranking_loss,
    multi_margin_loss as multi_margin_loss,
    multilabel_margin_loss as multilabel_margin_loss,
    multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    soft_margin_loss as soft_margin_loss,
    triplet_margin_loss as triplet_margin_loss,
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from npexport.runtime.nn.resampling import (
    affine_grid as affine_grid,
    channel_shuffle as channel_shuffle,
    grid_sample as grid_sample,
    interpolate as interpolate,
    pad as pad,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
    upsample as upsample,
    upsample_bilinear as upsample_bilinear,
    upsample_nearest as upsample_nearest,
)
from npexport.runtime.nn.windows import (
    adaptive_avg_pool1d as adaptive_avg_pool1d,
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_avg_pool3d as adaptive_avg_pool3d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool3d as adaptive_max_pool3d,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
    fold as fold,
    lp_pool1d as lp_pool1d,
    lp_pool2d as lp_pool2d,
    lp_pool3d as lp_pool3d,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    max_unpool1d as max_unpool1d,
    max_unpool2d as max_unpool2d,
    max_unpool3d as max_unpool3d,
    unfold as unfold,
)

# -- linear maps, lookups, attention


def linear(input: Array, weight: Array, bias: Array | None = None) -> Array:
    """``input @ weight.T + bias``.

    As ``torch.nn.functional.linear``.

    >>> linear(np.ones((3, 4)), np.ones((2, 4))).shape
    (3, 2)
    """
    return ops.linear(input, weight, bias)


def bilinear(input1: Array, input2: Array, weight: Array, bias: Array | None = None) -> Array:
    """``input1 @ weight[k] @ input2`` for each ``k``, plus ``bias``.

    As ``torch.nn.functional.bilinear``.

    >>> bilinear(np.ones((2, 3)), np.ones((2, 4)), np.ones((5, 3, 4))).shape
    (2, 5)
    """
    out = np.einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else out + bias


def embedding(
    input: Array,
    weight: Array,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Array:
    """The rows of ``weight`` that ``input`` names, first made no longer than ``max_norm``, in
    place; the rest matters to training alone.

    ``padding_idx``: a row that is zeros, or that bags leave out; ``norm_type``: the exponent of
    the norm; ``scale_grad_by_freq``, ``sparse``: means nothing without gradients. As
    ``torch.nn.functional.embedding``.

    >>> embedding(np.array([[1, 2]]), np.zeros((10, 3))).shape
    (1, 2, 3)
    """
    if max_norm is not None:
        _renormalise(input, weight, max_norm, norm_type)
    return ops.embedding(input, weight)


def _renormalise(indices: Array, weight: Array, max_norm: float | None, norm_type: float) -> None:
    """Make the rows of ``weight`` that are longer than ``max_norm`` that long, in place."""
    rows = ops.embedding(indices, weight)
    lengths = np.linalg.norm(rows, norm_type, axis=-1, keepdims=True)
    weight[indices] = np.where(lengths > max_norm, rows * (max_norm / (lengths + 1e-7)), rows)


def embedding_bag(
    input: Array,
    weight: Array,
    offsets: Array | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Array | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Array:
    """The sum, mean or maximum of the rows of ``weight`` that each bag of indices names; an empty
    bag gives zeros.

    ``input`` is ``(bags, size)``, or ``(indices,)`` with ``offsets`` ``(bags,)``, where each begins
    (``include_last_offset``: and ends).

    ``max_norm``: rows that are longer are made this long; ``norm_type``: the exponent of the
    norm; ``scale_grad_by_freq``, ``sparse``: means nothing without gradients; ``mode``: the
    method, by its name in torch; ``per_sample_weights``: a factor for each index;
    ``padding_idx``: a row that is zeros, or that bags leave out. As
    ``torch.nn.functional.embedding_bag``.

    >>> embedding_bag(np.array([[1, 2], [4, 5]]), np.zeros((10, 3))).shape
    (2, 3)
    """
    if max_norm is not None:
        _renormalise(input, weight, max_norm, norm_type)
    return ops.embedding_bag(input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx)


def one_hot(tensor: Array, num_classes: int = -1) -> Array:
    """1 at each class index. ``num_classes=-1`` takes it from the data, which an exported program
    cannot.

    ``tensor``: the class indices. As ``torch.nn.functional.one_hot``.

    >>> one_hot(np.array([0, 2]), 3)
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    if num_classes == -1:
        num_classes = int(tensor.max()) + 1
    return ops.one_hot(tensor, num_classes)


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    generator: np.random.Generator | Array | None = None,
) -> Array:
    """Attention as in torch; dropout of the attention weights needs ``generator`` and a composed
    form.

    ``query``: ``(..., L, E)``; ``key``: ``(..., S, E)``; ``value``: ``(..., S, Ev)``;
    ``attn_mask``: a mask to add, or True where attention is allowed; ``dropout_p``: the
    probability of a zero; ``is_causal``: no position looks ahead; ``scale``: the factor of the
    scores, ``1 / sqrt(E)`` by default; ``enable_gqa``: several query heads share a key head. As
    ``torch.nn.functional.scaled_dot_product_attention``; Vaswani et al., arXiv:1706.03762.

    >>> scaled_dot_product_attention(np.ones((2, 5, 8)), np.ones((2, 3, 8)), np.ones((2, 3, 4))).shape
    (2, 5, 4)
    """
    if dropout_p == 0.0:
        return ops.scaled_dot_product_attention(query, key, value, attn_mask, is_causal, scale, enable_gqa)
    if enable_gqa:
        key = np.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = np.repeat(value, query.shape[-3] // value.shape[-3], axis=-3)
    weights = _attention_weights(query, key, attn_mask, is_causal, scale)
    return np.matmul(dropout(weights, dropout_p, generator=generator), value)


def _attention_weights(
    query: Array, key: Array, attn_mask: Array | None = None, is_causal: bool = False, scale: float | None = None
) -> Array:
    """The attention weights themselves: the softmax of the scaled, masked products of query and
    key.
    """
    if scale is None:
        scale = query.shape[-1] ** -0.5
    scores = np.matmul(query * scale, np.swapaxes(key, -1, -2))
    if is_causal:
        attn_mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    return ops.softmax(scores, -1)


# -- normalisation


def batch_norm(
    input: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    """Normalise each channel: by the running statistics, or in training by the batch's own, which
    move the running ones in place.

    ``input``: the array; ``running_mean``: the mean of each channel; ``running_var``: the
    variance of each channel; ``weight``: the weight; ``bias``: added to the result, one for
    each channel or feature; ``training``: whether to draw; otherwise the input is returned;
    ``momentum``: how far the running statistics move in each training step; ``eps``: a small
    number that keeps divisions finite. As ``torch.nn.functional.batch_norm``; Ioffe and
    Szegedy, arXiv:1502.03167.

    >>> batch_norm(np.ones((2, 4, 3)), np.zeros(4), np.ones(4)).shape
    (2, 4, 3)
    """
    if not training:
        return ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    tracked = running_mean is not None
    mean = running_mean if tracked else np.zeros(input.shape[1], input.dtype)
    var = running_var if tracked else np.ones(input.shape[1], input.dtype)
    out, new_mean, new_var = ops.batch_norm_train(input, mean, var, weight, bias, momentum, eps)
    if tracked:
        running_mean[...] = new_mean
        running_var[...] = new_var
    return out


def instance_norm(
    input: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    """Normalise each channel of each sample by its own statistics, or by the running ones where
    ``use_input_stats`` is false.

    ``input``: the array; ``running_mean``: the mean of each channel; ``running_var``: the
    variance of each channel; ``weight``: the weight; ``bias``: added to the result, one for
    each channel or feature; ``momentum``: how far the running statistics move in each training
    step; ``eps``: a small number that keeps divisions finite. As
    ``torch.nn.functional.instance_norm``; Ulyanov et al., arXiv:1607.08022.

    >>> instance_norm(np.ones((2, 4, 3))).shape
    (2, 4, 3)
    """
    if not use_input_stats:
        return ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    if running_mean is not None and running_var is not None:
        axes = tuple(range(2, input.ndim))
        running_mean[...] = (1 - momentum) * running_mean + momentum * input.mean(axis=axes).mean(axis=0)
        running_var[...] = (1 - momentum) * running_var + momentum * input.var(axis=axes, ddof=1).mean(axis=0)
    return ops.group_norm(input, input.shape[1], weight, bias, eps)


def layer_norm(input: Array, normalized_shape: Sizes, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Array:
    """``(input - mean) / sqrt(var + eps) * weight + bias``, over the last axes, of sizes
    ``normalized_shape``.

    As ``torch.nn.functional.layer_norm``; Ba et al., arXiv:1607.06450.

    >>> layer_norm(np.array([[1.0, 2.0, 3.0, 4.0]]), (4,)).round(3)
    array([[-1.342, -0.447,  0.447,  1.342]])
    """
    return ops.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input: Array, normalized_shape: Sizes, weight: Array | None = None, eps: float | None = None) -> Array:
    """``input / sqrt(mean(input ** 2) + eps) * weight`` over the last axes, of
    ``normalized_shape``.

    As ``torch.nn.functional.rms_norm``; Zhang and Sennrich, arXiv:1910.07467.

    >>> rms_norm(np.array([[3.0, 4.0]]), (2,)).round(3)
    array([[0.849, 1.131]])
    """
    return ops.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Array:
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by group of channels and sample of
    ``(N, C, ...)``.

    ``num_groups``: the number of groups. As ``torch.nn.functional.group_norm``; Wu and He,
    arXiv:1803.08494.

    >>> group_norm(np.ones((2, 4, 3)), 2).shape
    (2, 4, 3)
    """
    return ops.group_norm(input, num_groups, weight, bias, eps)


def local_response_norm(input: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Array:
    """``input`` divided by ``(k + alpha * mean) ** beta``, the mean being of the squares of
    ``size`` neighbouring channels.

    ``input`` is ``(N, C, ...)``; raises ``ValueError`` where it has less than 3 dimensions.

    As ``torch.nn.functional.local_response_norm``; Krizhevsky et al., NeurIPS 2012.

    >>> local_response_norm(np.zeros((2, 4, 8)), 2).shape
    (2, 4, 8)
    """
    if input.ndim < 3:
        raise ValueError(f"local_response_norm: input must have at least 3 dimensions, got shape {input.shape}")
    squares = np.square(input).reshape(input.shape[0], 1, input.shape[1], math.prod(input.shape[2:]))
    padded = np.pad(squares, ((0, 0), (0, 0), (size // 2, (size - 1) // 2), (0, 0)))
    means = avg_pool2d(padded, (size, 1), 1).reshape(input.shape)
    return input / (means * alpha + k) ** beta


def normalize(input: Array, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Array:
    """``input`` divided by its ``p``-norm along ``dim``, or by ``eps`` where the norm is smaller.

    As ``torch.nn.functional.normalize``.

    >>> normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    return input / np.maximum(np.linalg.norm(input, p, axis=dim, keepdims=True), eps)
