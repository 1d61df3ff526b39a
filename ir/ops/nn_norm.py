"""Normalisations. Statistics are those of the population (no Bessel correction) except in running
variances, as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.nn_base import floating, operator, optional, show
from npexport.ir.ops.rules import same_sizes
from npexport.ir.raising import NOTHING


def _channels(x: TensorMeta, op: str) -> Any:
    if x.ndim < 2:
        raise ValueError(f"{op}: input must have at least 2 dimensions, got shape {show(x.shape)}")
    return x.shape[1]


@operator("nn_norm.batch_norm", raises=NOTHING, rows=rows.batch())
def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> TensorMeta:
    """``(input - running_mean) / sqrt(running_var + eps) * weight + bias`` for each channel (axis
    1)."""
    x = floating(input, "batch_norm")
    one = (_channels(x, "batch_norm"),)
    dtypes = [x.dtype]
    for name, value in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        dtypes += optional(value, one, "batch_norm", name)
    return TensorMeta(x.shape, np.result_type(*dtypes))


@operator("nn_norm.batch_norm_train", raises=NOTHING)
def batch_norm_train(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, momentum: Any = 0.1, eps: Any = 1e-5
) -> tuple[TensorMeta, TensorMeta, TensorMeta]:
    """``input`` normalised by its own statistics, and the running statistics moved towards them by
    ``momentum``."""
    op = "batch_norm_train"
    x = floating(input, op)
    channels = _channels(x, op)
    count = x.size // channels if channels != 0 else 0
    if count <= 1:
        raise ValueError(f"{op}: needs more than one value for each channel, got input of shape {show(x.shape)}")
    dtypes = [x.dtype, *optional(weight, (channels,), op, "weight"), *optional(bias, (channels,), op, "bias")]
    running = []
    for name, value in (("running_mean", running_mean), ("running_var", running_var)):
        (dtype,) = optional(floating(value, op, name), (channels,), op, name)
        running.append(TensorMeta((channels,), dtype))
    return TensorMeta(x.shape, np.result_type(*dtypes)), running[0], running[1]


def _normalized(x: TensorMeta, normalized_shape: Any, op: str) -> tuple[Any, ...]:
    if not isinstance(normalized_shape, (tuple, list)):
        raise ValueError(f"{op}: normalized_shape must be a tuple, got {normalized_shape!r}")
    shape = tuple(normalized_shape)
    if not (0 < len(shape) <= x.ndim and same_sizes(x.shape[x.ndim - len(shape) :], shape)):
        raise ValueError(f"{op}: the last axes of input of shape {show(x.shape)} must have the sizes {show(shape)}")
    return shape


@operator("nn_norm.layer_norm", traits=("by_row",), raises=NOTHING, rows=rows.leading(rows.normalized, rounds=True))
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> TensorMeta:
    """Mean 0 and variance 1 over the last axes, which have the sizes ``normalized_shape``, then
    ``* weight + bias``."""
    x = floating(input, "layer_norm")
    shape = _normalized(x, normalized_shape, "layer_norm")
    dtypes = [x.dtype, *optional(weight, shape, "layer_norm", "weight"), *optional(bias, shape, "layer_norm", "bias")]
    return TensorMeta(x.shape, np.result_type(*dtypes))


@operator("nn_norm.rms_norm", traits=("by_row",), raises=NOTHING, rows=rows.leading(rows.normalized, rounds=True))
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> TensorMeta:
    """``input / sqrt(mean(input ** 2) + eps) * weight`` over the last axes; ``eps`` is the dtype's
    where not given."""
    x = floating(input, "rms_norm")
    shape = _normalized(x, normalized_shape, "rms_norm")
    return TensorMeta(x.shape, np.result_type(x.dtype, *optional(weight, shape, "rms_norm", "weight")))


@operator("nn_norm.group_norm", raises=NOTHING, rows=rows.batch())
def group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> TensorMeta:
    """Mean 0 and variance 1 for each sample and group of channels, then ``* weight + bias`` for
    each channel (axis 1)."""
    x = floating(input, "group_norm")
    channels = _channels(x, "group_norm")
    if not (num_groups >= 1 and channels % num_groups == 0):
        raise ValueError(f"group_norm: {channels} channels are not divisible by num_groups={num_groups}")
    one = (channels,)
    dtypes = [x.dtype, *optional(weight, one, "group_norm", "weight"), *optional(bias, one, "group_norm", "bias")]
    return TensorMeta(x.shape, np.result_type(*dtypes))
