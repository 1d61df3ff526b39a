"""``nn.functional``: the functions of ``torch.nn.functional`` on NumPy arrays, under its names, argument order and defaults.

Each is ordinary Python over the operators ``ops.nn``, so a tracer records the operators and nothing else. ``inplace=True`` writes the
result into the input and returns the input, as do the functions whose names end in ``_``.
"""

from __future__ import annotations

import math

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.nn.dropouts import (  # noqa: F401
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
    gumbel_softmax,
    rrelu,
)
from npexport.runtime.nn.dropouts import (
    in_place as _in_place,
)
from npexport.runtime.nn.losses import (  # noqa: F401
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cosine_similarity,
    cross_entropy,
    ctc_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    pairwise_distance,
    pdist,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from npexport.runtime.nn.resampling import (  # noqa: F401
    affine_grid,
    channel_shuffle,
    grid_sample,
    interpolate,
    pad,
    pixel_shuffle,
    pixel_unshuffle,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from npexport.runtime.nn.windows import (  # noqa: F401
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    fold,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
    unfold,
)

# -- linear maps, lookups, attention


def linear(input, weight, bias=None):
    """``input @ weight.T + bias``."""
    return ops.linear(input, weight, bias)


def bilinear(input1, input2, weight, bias=None):
    """``input1 @ weight[k] @ input2`` for each ``k``, plus ``bias``."""
    out = np.einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else out + bias


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of ``weight`` that ``input`` names, first made no longer than ``max_norm``, in place; the rest matters to training alone."""
    if max_norm is not None:
        _renormalise(input, weight, max_norm, norm_type)
    return ops.embedding(input, weight)


def _renormalise(indices, weight, max_norm, norm_type):
    """Make the rows of ``weight`` that are longer than ``max_norm`` that long, in place."""
    rows = ops.embedding(indices, weight)
    lengths = np.linalg.norm(rows, norm_type, axis=-1, keepdims=True)
    weight[indices] = np.where(lengths > max_norm, rows * (max_norm / (lengths + 1e-7)), rows)


def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """The sum, mean or maximum of the rows of ``weight`` that each bag of indices names; an empty bag gives zeros.

    ``input`` is ``(bags, size)``, or ``(indices,)`` with ``offsets`` ``(bags,)``, where each begins (``include_last_offset``: and ends).
    """
    if max_norm is not None:
        _renormalise(input, weight, max_norm, norm_type)
    return ops.embedding_bag(input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx)


def one_hot(tensor, num_classes=-1):
    """1 at each class index. ``num_classes=-1`` takes it from the data, which an exported program cannot."""
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
    weights = _attention_weights(query, key, attn_mask, is_causal, scale)
    return np.matmul(dropout(weights, dropout_p, generator=generator), value)


def _attention_weights(query, key, attn_mask=None, is_causal=False, scale=None):
    """The attention weights themselves: the softmax of the scaled, masked products of query and key."""
    if scale is None:
        scale = query.shape[-1] ** -0.5
    scores = np.matmul(query * scale, np.swapaxes(key, -1, -2))
    if is_causal:
        attn_mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    return ops.softmax(scores, -1)


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


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """``input`` divided by ``(k + alpha * mean) ** beta``, the mean being of the squares of ``size`` neighbouring channels.

    ``input`` is ``(N, C, ...)``; raises ``ValueError`` where it has less than 3 dimensions.
    """
    if input.ndim < 3:
        raise ValueError(f"local_response_norm: input must have at least 3 dimensions, got shape {input.shape}")
    squares = np.square(input).reshape(input.shape[0], 1, input.shape[1], math.prod(input.shape[2:]))
    padded = np.pad(squares, ((0, 0), (0, 0), (size // 2, (size - 1) // 2), (0, 0)))
    means = avg_pool2d(padded, (size, 1), 1).reshape(input.shape)
    return input / (means * alpha + k) ** beta


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """``input`` divided by its ``p``-norm along ``dim``, or by ``eps`` where the norm is smaller."""
    return input / np.maximum(np.linalg.norm(input, p, axis=dim, keepdims=True), eps)


# -- activations


def relu(input, inplace=False):
    """``max(input, 0)``."""
    return _in_place(input, ops.relu(input), inplace)


def relu6(input, inplace=False):
    """``min(max(input, 0), 6)``."""
    return _in_place(input, ops.relu6(input), inplace)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """``input`` where it is positive, ``negative_slope * input`` elsewhere."""
    return _in_place(input, ops.leaky_relu(input, negative_slope), inplace)


def prelu(input, weight):
    """``leaky_relu`` with a learned slope for all channels or for each."""
    return ops.prelu(input, weight)


def elu(input, alpha=1.0, inplace=False):
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere."""
    return _in_place(input, ops.elu(input, alpha), inplace)


def selu(input, inplace=False):
    """The self-normalising ``elu``."""
    return _in_place(input, ops.selu(input), inplace)


def celu(input, alpha=1.0, inplace=False):
    """The continuously differentiable ``elu``."""
    return _in_place(input, ops.celu(input, alpha), inplace)


def gelu(input, approximate="none"):
    """``input`` times the normal distribution function, or its ``"tanh"`` approximation."""
    return ops.gelu(input, approximate)


def silu(input, inplace=False):
    """``input * sigmoid(input)``."""
    return _in_place(input, ops.silu(input), inplace)


def mish(input, inplace=False):
    """``input * tanh(softplus(input))``."""
    return _in_place(input, ops.mish(input), inplace)


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
    return _in_place(input, ops.hardtanh(input, min_val, max_val), inplace)


def hardsigmoid(input, inplace=False):
    """``min(max(input + 3, 0), 6) / 6``."""
    return _in_place(input, ops.hardsigmoid(input), inplace)


def hardswish(input, inplace=False):
    """``input * hardsigmoid(input)``."""
    return _in_place(input, ops.hardswish(input), inplace)


def threshold(input, threshold, value, inplace=False):
    """``input`` where it is above ``threshold``, ``value`` elsewhere."""
    return _in_place(input, ops.threshold(input, threshold, value), inplace)


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


# -- in place


def relu_(input):
    """``relu`` in place."""
    return relu(input, True)


def leaky_relu_(input, negative_slope=0.01):
    """``leaky_relu`` in place."""
    return leaky_relu(input, negative_slope, True)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False, *, generator=None):
    """``rrelu`` in place."""
    return rrelu(input, lower, upper, training, True, generator=generator)


def elu_(input, alpha=1.0):
    """``elu`` in place."""
    return elu(input, alpha, True)


def selu_(input):
    """``selu`` in place."""
    return selu(input, True)


def celu_(input, alpha=1.0):
    """``celu`` in place."""
    return celu(input, alpha, True)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """``hardtanh`` in place."""
    return hardtanh(input, min_val, max_val, True)


def threshold_(input, threshold, value):
    """``threshold`` in place."""
    return _in_place(input, ops.threshold(input, threshold, value), True)
