"""Normalisations: NumPy computes their statistics, in the order of the kernels' steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition


def by_channel(vector: Any, ndim: int) -> Any:
    """One number for each channel, along axis 1; ``None`` stays itself."""
    return None if vector is None else vector.reshape(-1, *(1,) * (ndim - 2))


def _scaled(out: Any, weight: Any, bias: Any) -> Any:
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def _standardised(x: Any, axes: tuple[int, ...], eps: Any) -> Any:
    """``x`` shifted and scaled to mean 0 and variance 1 over ``axes``."""
    out = x - x.mean(axis=axes, keepdims=True)
    out /= np.sqrt(np.square(out).mean(axis=axes, keepdims=True) + eps)
    return out


@register_decomposition("nn.batch_norm")
def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """Exact: one factor and one offset for each channel."""
    factor, offset = factor_and_offset(running_mean, running_var, weight, bias, eps)
    return input * by_channel(factor, input.ndim) + by_channel(offset, input.ndim)


def factor_and_offset(running_mean: Any, running_var: Any, weight: Any, bias: Any, eps: Any) -> tuple[Any, Any]:
    """What a channel is multiplied by, and what is added to it."""
    factor = 1 / np.sqrt(running_var + eps)
    if weight is not None:
        factor = factor * weight
    offset = -running_mean * factor
    if bias is not None:
        offset = offset + bias
    return factor, offset


def norms(scaled: Callable[..., Any], by_rows: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """``batch_norm_train``, ``layer_norm``, ``rms_norm`` and ``group_norm``.

    ``scaled(out, weight, bias)`` may overwrite ``out``; ``by_rows(compute, x, axes)`` is what
    ``compute`` makes of rows of the last ``axes`` axes.
    """

    def batch_norm_train(
        input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, momentum: Any = 0.1, eps: Any = 1e-5
    ) -> Any:
        """Exact: NumPy's mean and variance."""
        axes = (0, *range(2, input.ndim))
        count = input.size // input.shape[1]
        mean, variance = input.mean(axis=axes), input.var(axis=axes)
        out = (input - by_channel(mean, input.ndim)) * by_channel(1 / np.sqrt(variance + eps), input.ndim)
        moved_mean = ((1 - momentum) * running_mean + momentum * mean).astype(running_mean.dtype, copy=False)
        moved_var = ((1 - momentum) * running_var + momentum * (variance * (count / (count - 1)))).astype(running_var.dtype, copy=False)
        return scaled(out, by_channel(weight, input.ndim), by_channel(bias, input.ndim)), moved_mean, moved_var

    def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
        """Exact."""
        axes = tuple(range(-len(normalized_shape), 0))
        return by_rows(lambda rows: scaled(_standardised(rows, axes, eps), weight, bias), input, len(axes))

    def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
        """Exact."""
        axes = tuple(range(-len(normalized_shape), 0))
        least = np.finfo(input.dtype).eps if eps is None else eps

        def computed(rows: Any) -> Any:
            return scaled(rows / np.sqrt(np.square(rows).mean(axis=axes, keepdims=True) + least), weight, None)

        return by_rows(computed, input, len(axes))

    def group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
        """Exact."""
        groups = input.reshape(input.shape[0], num_groups, input.shape[1] // num_groups * math.prod(input.shape[2:]))
        out = _standardised(groups, (2,), eps).reshape(input.shape)
        return scaled(out, by_channel(weight, input.ndim), by_channel(bias, input.ndim))

    return batch_norm_train, layer_norm, rms_norm, group_norm


def _whole(compute: Callable[[Any], Any], x: Any, axes: int) -> Any:
    return compute(x)


for _function in norms(_scaled, _whole):
    register_decomposition(f"nn.{_function.__name__}")(_function)
