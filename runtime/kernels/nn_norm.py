"""Normalisations."""

from __future__ import annotations

import math

import numpy as np


def _by_channel(vector, ndim):
    return vector.reshape(-1, *(1,) * (ndim - 2))


def _scaled(out, weight, bias):
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def _standardised(x, axes, eps):
    """Mean 0 and variance 1 over ``axes``."""
    out = x - x.mean(axis=axes, keepdims=True)
    variance = np.square(out).mean(axis=axes, keepdims=True)
    out /= np.sqrt(variance + eps)
    return out


def batch_norm(input, running_mean, running_var, weight=None, bias=None, eps=1e-5):
    factor = 1 / np.sqrt(running_var + eps)
    if weight is not None:
        factor = factor * weight
    offset = -running_mean * factor
    if bias is not None:
        offset = offset + bias
    return input * _by_channel(factor, input.ndim) + _by_channel(offset, input.ndim)


def batch_norm_train(input, running_mean, running_var, weight=None, bias=None, momentum=0.1, eps=1e-5):
    axes = (0, *range(2, input.ndim))
    count = input.size // input.shape[1]
    mean, variance = input.mean(axis=axes), input.var(axis=axes)
    factor = 1 / np.sqrt(variance + eps)
    out = (input - _by_channel(mean, input.ndim)) * _by_channel(factor, input.ndim)
    weight = None if weight is None else _by_channel(weight, input.ndim)
    bias = None if bias is None else _by_channel(bias, input.ndim)
    moved = [
        ((1 - momentum) * old + momentum * new).astype(old.dtype, copy=False)
        for old, new in ((running_mean, mean), (running_var, variance * (count / (count - 1))))
    ]
    return _scaled(out, weight, bias), *moved


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    axes = tuple(range(-len(normalized_shape), 0))
    return _scaled(_standardised(input, axes, eps), weight, bias)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    axes = tuple(range(-len(normalized_shape), 0))
    if eps is None:
        eps = np.finfo(input.dtype).eps
    return _scaled(input / np.sqrt(np.square(input).mean(axis=axes, keepdims=True) + eps), weight, None)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    groups = input.reshape(input.shape[0], num_groups, math.prod(input.shape[1:]) // num_groups)
    out = _standardised(groups, (2,), eps).reshape(input.shape)
    weight = None if weight is None else _by_channel(weight, input.ndim)
    bias = None if bias is None else _by_channel(bias, input.ndim)
    return _scaled(out, weight, bias)
