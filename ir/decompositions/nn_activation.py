"""Activations: the arithmetic of their definitions, arranged so that no intermediate value
overflows where the result does not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import unboxed
from npexport.ir.erfc import COEFFICIENTS


@register_decomposition("nn.relu")
def relu(input: Any) -> Any:
    """Exact."""
    return np.maximum(input, 0)


@register_decomposition("nn.relu6")
def relu6(input: Any) -> Any:
    """Exact."""
    return np.minimum(np.maximum(input, 0), 6)


@register_decomposition("nn.leaky_relu")
def leaky_relu(input: Any, negative_slope: Any = 0.01) -> Any:
    """Exact."""
    return unboxed(np.where(input > 0, input, input * negative_slope))


@register_decomposition("nn.elu")
def elu(input: Any, alpha: Any = 1.0) -> Any:
    """Exact."""
    return unboxed(np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0))))


@register_decomposition("nn.selu")
def selu(input: Any) -> Any:
    """Exact."""
    return 1.0507009873554805 * elu(input, 1.6732632423543772)


@register_decomposition("nn.celu")
def celu(input: Any, alpha: Any = 1.0) -> Any:
    """Exact."""
    return unboxed(np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0) / alpha)))


def erfc(x: Any) -> Any:
    """The complementary error function by the kernel's approximation, to about the precision of the
    dtype.
    """
    work = x.astype(np.float32) if x.dtype == np.float16 else x
    coefficients = COEFFICIENTS[work.dtype == np.float32]
    z = np.minimum(np.abs(work), 30)
    t = 1 / (1 + z / 2)
    y = 2 * t - 1
    total = y * coefficients[-1] + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        total = total * y + coefficient
    tail = t * np.exp(total - z * z)
    return unboxed(np.where(work < 0, 2 - tail, tail).astype(x.dtype))


@register_decomposition("nn.gelu")
def gelu(input: Any, approximate: str = "none") -> Any:
    """Exact: the kernel's polynomial of the error function, or its hyperbolic tangent."""
    if approximate == "none":
        return 0.5 * input * erfc(input * -math.sqrt(0.5))
    inner = (input * input * input * 0.044715 + input) * math.sqrt(2 / math.pi)
    return (np.tanh(inner) + 1) * input * 0.5


@register_decomposition("nn.sigmoid")
def sigmoid(input: Any) -> Any:
    """Exact."""
    decay = np.exp(-np.abs(input))
    return unboxed(np.where(input >= 0, 1, decay).astype(input.dtype, copy=False)) / (1 + decay)


@register_decomposition("nn.silu")
def silu(input: Any) -> Any:
    """Exact."""
    return input * sigmoid(input)


@register_decomposition("nn.mish")
def mish(input: Any) -> Any:
    """Exact but for ``logaddexp``."""
    return input * np.tanh(np.logaddexp(0, input))


@register_decomposition("nn.log_sigmoid")
def log_sigmoid(input: Any) -> Any:
    """Exact but for ``logaddexp``."""
    return -np.logaddexp(0, -input)


@register_decomposition("nn.softplus")
def softplus(input: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Any:
    """Exact but for ``logaddexp``."""
    scaled = input * beta
    return unboxed(np.where(scaled > threshold, input, np.logaddexp(0, scaled) / beta))


@register_decomposition("nn.softsign")
def softsign(input: Any) -> Any:
    """Exact."""
    return input / (1 + np.abs(input))


@register_decomposition("nn.tanhshrink")
def tanhshrink(input: Any) -> Any:
    """Exact."""
    return input - np.tanh(input)


@register_decomposition("nn.hardshrink")
def hardshrink(input: Any, lambd: Any = 0.5) -> Any:
    """Exact."""
    return unboxed(np.where((input >= -lambd) & (input <= lambd), 0, input))


@register_decomposition("nn.softshrink")
def softshrink(input: Any, lambd: Any = 0.5) -> Any:
    """Exact."""
    return np.maximum(input - lambd, 0) + np.minimum(input + lambd, 0)


@register_decomposition("nn.hardtanh")
def hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0) -> Any:
    """Exact."""
    return np.minimum(np.maximum(input, min_val), max_val)


@register_decomposition("nn.hardsigmoid")
def hardsigmoid(input: Any) -> Any:
    """Exact."""
    return relu6(input + 3) / 6


@register_decomposition("nn.hardswish")
def hardswish(input: Any) -> Any:
    """Exact."""
    return input * hardsigmoid(input)


@register_decomposition("nn.threshold")
def threshold(input: Any, threshold: Any, value: Any) -> Any:
    """Exact."""
    return unboxed(np.where(input <= threshold, value, input))


@register_decomposition("nn.prelu")
def prelu(input: Any, weight: Any) -> Any:
    """Exact."""
    slope = weight if input.ndim == 1 else weight[0] if input.ndim == 0 else weight.reshape(-1, *(1,) * (input.ndim - 2))
    return unboxed(np.where(input > 0, input, input * slope))


@register_decomposition("nn.glu")
def glu(input: Any, dim: int = -1) -> Any:
    """Exact."""
    half = input.shape[dim] // 2
    lead = (slice(None),) * (dim % input.ndim)
    return input[(*lead, slice(None, half))] * sigmoid(input[(*lead, slice(half, None))])


def _below(input: Any, dim: int) -> Any:
    """The input less its greatest element along ``dim``."""
    return input - input.max(axis=dim, keepdims=True, initial=-np.inf)


@register_decomposition("nn.softmax")
def softmax(input: Any, dim: int = -1) -> Any:
    """Exact."""
    if input.ndim == 0:
        return input - input + 1
    powers = np.exp(_below(input, dim))
    return powers / powers.sum(axis=dim, keepdims=True)


@register_decomposition("nn.log_softmax")
def log_softmax(input: Any, dim: int = -1) -> Any:
    """Exact."""
    if input.ndim == 0:
        return input - input
    below = _below(input, dim)
    with np.errstate(divide="ignore"):  # there may be no elements; else one of the powers is 1
        return below - np.log(np.exp(below).sum(axis=dim, keepdims=True))
