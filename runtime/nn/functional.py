"""``nn.functional``: the functions of ``torch.nn.functional`` on NumPy arrays, under its names, argument order and defaults.

Each is ordinary Python over the operators ``ops.nn``, so a tracer records the operators and nothing else. ``inplace=True`` writes the
result into the input and returns the input. Losses are in :mod:`npexport.runtime.nn.losses` and are re-exported here.
"""

from __future__ import annotations

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.nn.losses import (  # noqa: F401
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_similarity,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    pairwise_distance,
    smooth_l1_loss,
)


def _into(input, result, inplace):
    if not inplace:
        return result
    input[...] = result
    return input


# -- linear maps, lookups, attention


def linear(input, weight, bias=None):
    """``input @ weight.T + bias``."""
    return ops.linear(input, weight, bias)


def bilinear(input1, input2, weight, bias=None):
    """``input1 @ weight[k] @ input2`` for each ``k``, plus ``bias``."""
    out = np.einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else out + bias


def embedding(input, weight, padding_idx=None):
    """The rows of ``weight`` that ``input`` names; ``padding_idx`` matters to training alone."""
    return ops.embedding(input, weight)


def one_hot(tensor, num_classes=-1):
    """1 at each class index. ``num_classes=-1`` takes it from the data, which no exported program can."""
    if num_classes == -1:
        num_classes = int(tensor.max()) + 1
    return ops.one_hot(tensor, num_classes)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False, *, generator=None
):
    """Attention as in torch; dropout of the attention weights needs ``generator`` and a composed form."""
    if dropout_p == 0.0:
        return ops.scaled_dot_product_attention(query, key, value, attn_mask, is_causal, scale, enable_gqa)
    if enable_gqa:
        key = np.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = np.repeat(value, query.shape[-3] // value.shape[-3], axis=-3)
    weights = attention_weights(query, key, attn_mask, is_causal, scale)
    return np.matmul(dropout(weights, dropout_p, generator=generator), value)


def attention_weights(query, key, attn_mask=None, is_causal=False, scale=None):
    """The attention weights themselves: the softmax of the scaled, masked products of query and key."""
    if scale is None:
        scale = query.shape[-1] ** -0.5
    scores = np.matmul(query * scale, np.swapaxes(key, -1, -2))
    if is_causal:
        attn_mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    return ops.softmax(scores, -1)


# -- convolution and pooling


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Correlation of ``([N,] C, L)`` with ``(O, C / groups, K)``."""
    return ops.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Correlation of ``([N,] C, H, W)`` with ``(O, C / groups, KH, KW)``."""
    return ops.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Correlation of ``([N,] C, D, H, W)`` with ``(O, C / groups, KD, KH, KW)``."""
    return ops.conv3d(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of ``conv1d`` as a linear map."""
    return ops.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of ``conv2d`` as a linear map."""
    return ops.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The greatest element of each window."""
    return ops.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The greatest element of each window."""
    return ops.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The greatest element of each window."""
    return ops.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window."""
    return ops.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """The mean of each window."""
    return ops.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """The mean of each window."""
    return ops.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool1d(input, output_size):
    """The mean of ``output_size`` windows of nearly equal size."""
    return ops.adaptive_avg_pool1d(input, output_size)


def adaptive_avg_pool2d(input, output_size):
    """The mean of ``output_size`` windows of nearly equal size on each axis."""
    return ops.adaptive_avg_pool2d(input, output_size)


def adaptive_max_pool1d(input, output_size):
    """The greatest element of ``output_size`` windows of nearly equal size."""
    return ops.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d(input, output_size):
    """The greatest element of ``output_size`` windows of nearly equal size on each axis."""
    return ops.adaptive_max_pool2d(input, output_size)


# -- normalisation


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Normalise each channel: by the running statistics, or in training by the batch's own, which move the running ones in place."""
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


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    """Normalise each channel of each sample by its own statistics, or by the running ones where ``use_input_stats`` is false."""
    if not use_input_stats:
        return ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    if running_mean is not None:
        axes = tuple(range(2, input.ndim))
        running_mean[...] = (1 - momentum) * running_mean + momentum * input.mean(axis=axes).mean(axis=0)
        running_var[...] = (1 - momentum) * running_var + momentum * input.var(axis=axes, ddof=1).mean(axis=0)
    return ops.group_norm(input, input.shape[1], weight, bias, eps)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalise over the last axes, of sizes ``normalized_shape``."""
    return ops.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root of the mean square over the last axes, of sizes ``normalized_shape``."""
    return ops.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalise each group of channels of each sample."""
    return ops.group_norm(input, num_groups, weight, bias, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """``input`` divided by its ``p``-norm along ``dim``, or by ``eps`` where the norm is smaller."""
    if p == 2.0:
        norm = np.sqrt(np.sum(np.square(np.abs(input)), axis=dim, keepdims=True))
    else:
        norm = np.sum(np.abs(input) ** p, axis=dim, keepdims=True) ** (1 / p)
    return input / np.maximum(norm, eps)


def dropout(input, p=0.5, training=True, inplace=False, *, generator=None):
    """Zeros with probability ``p`` and the rest scaled by ``1 / (1 - p)``; the input itself where not ``training`` or ``p`` is 0.

    Randomness must be explicit: ``generator`` is a ``numpy.random.Generator``, or an array of the shape of ``input`` (one number for each
    channel of ``dropout1d`` and ``dropout2d``) with what one has drawn by ``random``, which an exported program can have as an input.
    Raises ``ValueError`` in training without it, or for an array of another shape.
    """
    return _dropout(input, p, training, inplace, generator, input.shape)


def dropout1d(input, p=0.5, training=True, inplace=False, *, generator=None):
    """``dropout`` of whole channels of ``([N,] C, L)``."""
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-1], 1))


def dropout2d(input, p=0.5, training=True, inplace=False, *, generator=None):
    """``dropout`` of whole channels of ``([N,] C, H, W)``."""
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-2], 1, 1))


def dropout3d(input, p=0.5, training=True, inplace=False, *, generator=None):
    """``dropout`` of whole channels of ``([N,] C, D, H, W)``."""
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-3], 1, 1, 1))


def _dropout(input, p, training, inplace, generator, shape):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    if generator is None:
        raise ValueError("dropout in training needs generator=, or what one has drawn; call .eval() on the model to leave dropout out")
    drawn = generator if isinstance(generator, np.ndarray) else generator.random(shape)
    if drawn.shape != tuple(shape):
        raise ValueError(f"dropout needs random numbers of shape {tuple(shape)}, got {drawn.shape}")
    kept = drawn >= p
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    return _into(input, input * (kept * np.asarray(scale, input.dtype)), inplace)


# -- activations


def relu(input, inplace=False):
    """``max(input, 0)``."""
    return _into(input, ops.relu(input), inplace)


def relu6(input, inplace=False):
    """``min(max(input, 0), 6)``."""
    return _into(input, ops.relu6(input), inplace)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """``input`` where it is positive, ``negative_slope * input`` elsewhere."""
    return _into(input, ops.leaky_relu(input, negative_slope), inplace)


def prelu(input, weight):
    """``leaky_relu`` with a learned slope for all channels or for each."""
    return ops.prelu(input, weight)


def elu(input, alpha=1.0, inplace=False):
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere."""
    return _into(input, ops.elu(input, alpha), inplace)


def selu(input, inplace=False):
    """The self-normalising ``elu``."""
    return _into(input, ops.selu(input), inplace)


def celu(input, alpha=1.0, inplace=False):
    """The continuously differentiable ``elu``."""
    return _into(input, ops.celu(input, alpha), inplace)


def gelu(input, approximate="none"):
    """``input`` times the normal distribution function, or its ``"tanh"`` approximation."""
    return ops.gelu(input, approximate)


def silu(input, inplace=False):
    """``input * sigmoid(input)``."""
    return _into(input, ops.silu(input), inplace)


def mish(input, inplace=False):
    """``input * tanh(softplus(input))``."""
    return _into(input, ops.mish(input), inplace)


def sigmoid(input):
    """``1 / (1 + exp(-input))``."""
    return ops.sigmoid(input)


def tanh(input):
    """The hyperbolic tangent."""
    return np.tanh(input)


def logsigmoid(input):
    """``log(sigmoid(input))``."""
    return ops.log_sigmoid(input)


def softplus(input, beta=1.0, threshold=20.0):
    """``log(1 + exp(beta * input)) / beta``."""
    return ops.softplus(input, beta, threshold)


def softsign(input):
    """``input / (1 + abs(input))``."""
    return ops.softsign(input)


def tanhshrink(input):
    """``input - tanh(input)``."""
    return ops.tanhshrink(input)


def hardshrink(input, lambd=0.5):
    """``input`` outside ``[-lambd, lambd]``, 0 inside."""
    return ops.hardshrink(input, lambd)


def softshrink(input, lambd=0.5):
    """``input`` moved towards 0 by ``lambd``."""
    return ops.softshrink(input, lambd)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """``input`` clipped to ``[min_val, max_val]``."""
    return _into(input, ops.hardtanh(input, min_val, max_val), inplace)


def hardsigmoid(input, inplace=False):
    """``min(max(input + 3, 0), 6) / 6``."""
    return _into(input, ops.hardsigmoid(input), inplace)


def hardswish(input, inplace=False):
    """``input * hardsigmoid(input)``."""
    return _into(input, ops.hardswish(input), inplace)


def threshold(input, threshold, value, inplace=False):
    """``input`` where it is above ``threshold``, ``value`` elsewhere."""
    return _into(input, ops.threshold(input, threshold, value), inplace)


def glu(input, dim=-1):
    """The first half along ``dim`` times the sigmoid of the second."""
    return ops.glu(input, dim)


def _softmax_dim(dim, ndim):
    """The axis that torch takes where none is given."""
    if dim is not None:
        return dim
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, *, dtype=None):
    """Exponentials that sum to 1 along ``dim``."""
    return ops.softmax(input if dtype is None else input.astype(dtype), _softmax_dim(dim, input.ndim))


def softmin(input, dim=None, *, dtype=None):
    """``softmax(-input)``."""
    return softmax(-input, dim, dtype=dtype)


def log_softmax(input, dim=None, *, dtype=None):
    """The logarithm of ``softmax``."""
    return ops.log_softmax(input if dtype is None else input.astype(dtype), _softmax_dim(dim, input.ndim))


# -- shapes

_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(input, pad, mode="constant", value=None):
    """Pad the last axes; ``pad`` is ``(before, after)`` of the last axis, then of the one before it, and so on; negative widths cut off.

    Raises ``ValueError`` for an unknown mode or a wrong number of widths.
    """
    if mode not in _PAD_MODES:
        raise ValueError(f"pad: mode must be one of {sorted(_PAD_MODES)}, not {mode!r}")
    if len(pad) % 2 or len(pad) // 2 > input.ndim:
        raise ValueError(f"pad: needs a pair of widths for each of at most {input.ndim} axes, got {tuple(pad)}")
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    if any(width < 0 for width in pad):
        input = input[tuple([slice(max(-a, 0), size + min(b, 0)) for size, (a, b) in zip(input.shape, widths, strict=True)])]
        widths = [(max(a, 0), max(b, 0)) for a, b in widths]
    if mode == "constant":
        return np.pad(input, widths, constant_values=0 if value is None else value)
    return np.pad(input, widths, mode=_PAD_MODES[mode])


def pixel_shuffle(input, upscale_factor):
    """``(..., C * r * r, H, W)`` to ``(..., C, H * r, W * r)``."""
    r = upscale_factor
    *lead, channels, height, width = input.shape
    split = input.reshape(*lead, channels // (r * r), r, r, height, width)
    order = (*range(len(lead) + 1), -2, -4, -1, -3)
    axes = [axis if axis >= 0 else axis + split.ndim for axis in order]
    return split.transpose(axes).reshape(*lead, channels // (r * r), height * r, width * r)


def pixel_unshuffle(input, downscale_factor):
    """``(..., C, H * r, W * r)`` to ``(..., C * r * r, H, W)``: the inverse of ``pixel_shuffle``."""
    r = downscale_factor
    *lead, channels, height, width = input.shape
    split = input.reshape(*lead, channels, height // r, r, width // r, r)
    n = len(lead)
    axes = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return split.transpose(axes).reshape(*lead, channels * r * r, height // r, width // r)


def channel_shuffle(input, groups):
    """The channels of ``(N, C, ...)``, dealt out from each of the groups in turn. Raises ``ValueError`` where they are not equal groups."""
    batch, channels, *rest = input.shape
    if channels % groups:
        raise ValueError(f"channel_shuffle: {channels} channels are not {groups} equal groups")
    return input.reshape(batch, groups, channels // groups, *rest).swapaxes(1, 2).reshape(batch, channels, *rest)


def upsample_nearest(input, scale_factor):
    """Repeat each element of the axes after the second ``scale_factor`` times (an integer)."""
    for axis in range(2, input.ndim):
        input = np.repeat(input, scale_factor, axis=axis)
    return input
