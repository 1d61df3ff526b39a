"""Normalisations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.decompositions.nn_norm import by_channel, factor_and_offset
from npexport.runtime.array_types import Array
from npexport.runtime.kernels.rows import by_rows


def _scaled(x: Any, weight: Any, bias: Any, owned: bool = False) -> Any:
    """``x * weight + bias`` in one array: that of ``x`` where nobody else has it (``owned``)."""
    out = x
    for ufunc, operand in ((np.multiply, weight), (np.add, bias)):
        if operand is not None:
            mine = (owned or out is not x) and out.ndim and np.result_type(out, operand) == out.dtype
            out = ufunc(out, operand, out=out) if mine else ufunc(out, operand)
    return out


def _standardised(x: Any, axes: Any, eps: Any) -> Any:
    """Mean 0 and variance 1 over ``axes``."""
    out = x - x.mean(axis=axes, keepdims=True)
    variance = np.square(out).mean(axis=axes, keepdims=True)
    out /= np.sqrt(variance + eps)
    return out


def batch_norm(
    input: Array, running_mean: Array, running_var: Array, weight: Array | None = None, bias: Array | None = None, eps: Any = 1e-5
) -> Array:
    factor, offset = factor_and_offset(running_mean, running_var, weight, bias, eps)
    return _scaled(input, by_channel(factor, input.ndim), by_channel(offset, input.ndim))


def batch_norm_train(
    input: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    axes = (0, *range(2, input.ndim))
    count = input.size // input.shape[1]
    mean, variance = input.mean(axis=axes), input.var(axis=axes)
    factor = 1 / np.sqrt(variance + eps)
    out = (input - by_channel(mean, input.ndim)) * by_channel(factor, input.ndim)
    weight = None if weight is None else by_channel(weight, input.ndim)
    bias = None if bias is None else by_channel(bias, input.ndim)
    moved = [
        ((1 - momentum) * old + momentum * new).astype(old.dtype, copy=False)
        for old, new in ((running_mean, mean), (running_var, variance * (count / (count - 1))))
    ]
    return _scaled(out, weight, bias, owned=True), *moved


def layer_norm(input: Array, normalized_shape: Any, weight: Array | None = None, bias: Array | None = None, eps: Any = 1e-5) -> Array:
    axes = tuple(range(-len(normalized_shape), 0))
    return by_rows(lambda rows: _scaled(_standardised(rows, axes, eps), weight, bias, owned=True), input, len(axes))


def rms_norm(input: Array, normalized_shape: Any, weight: Array | None = None, eps: float | None = None) -> Array:
    axes = tuple(range(-len(normalized_shape), 0))
    if eps is None:
        eps = np.finfo(input.dtype).eps

    def computed(rows: Any) -> Any:
        return _scaled(rows / np.sqrt(np.square(rows).mean(axis=axes, keepdims=True) + eps), weight, None, owned=True)

    return by_rows(computed, input, len(axes))


def group_norm(input: Array, num_groups: Any, weight: Array | None = None, bias: Array | None = None, eps: Any = 1e-5) -> Array:
    groups = input.reshape(input.shape[0], num_groups, math.prod(input.shape[1:]) // num_groups)
    out = _standardised(groups, (2,), eps).reshape(input.shape)
    weight = None if weight is None else by_channel(weight, input.ndim)
    bias = None if bias is None else by_channel(bias, input.ndim)
    return _scaled(out, weight, bias, owned=True)
