"""Activations. Like NumPy's own ufuncs they return a scalar for 0-d input, and they overflow nowhere that the result does not."""

from __future__ import annotations

import math
from functools import wraps

import numpy as np

# log(erfc(x) * exp(x * x) / t) as a polynomial in 2 * t - 1, where t = 1 / (1 + x / 2) and x >= 0: Chebyshev fits, in powers.
_ERFC_SINGLE = (
    -0.6717940916807759, 0.672643154774543, 0.047343887612987114, -0.04689364055996262, -0.009880019324020219, 0.008808825369385993,
    0.0017940662497394012, -0.002288765238593006, -0.00022791096599906392, 0.0005737663720050471, 8.000738161697865e-06,
    -8.728381021688478e-05,
)  # fmt: skip
_ERFC_DOUBLE = (
    -0.6717940840566922, 0.672643223977656, 0.047343306841863525, -0.046895610231083025, -0.009872689364099222, 0.008824938553738764,
    0.0017589335074028032, -0.002345812444802156, -0.00014624628742128406, 0.0006736782697069831, -9.373894767667295e-05,
    -0.00017429984933155644, 7.141810433422301e-05, 3.173310599377061e-05, -3.023784054007137e-05, 1.699233231227702e-07,
    8.662535397475538e-06, -3.007645434410669e-06, -1.409445991433531e-06, 1.3267813608518889e-06, -4.146853754663641e-08,
    -3.168341367694147e-07, 7.745572408758512e-08, 3.972203547273795e-08, -1.2776086554968677e-08, -1.5867042924138042e-09,
)  # fmt: skip


_BLOCK = 1 << 15  # elements: temporaries of this size stay in the cache


def _blockwise(kernel):
    """The element-wise ``kernel`` of one array, applied to large contiguous arrays block by block."""

    @wraps(kernel)
    def blocked(input, *args, **kwargs):
        if input.size <= _BLOCK or not input.flags.c_contiguous:
            return kernel(input, *args, **kwargs)
        out = np.empty_like(input)
        source, target = input.reshape(-1), out.reshape(-1)
        for start in range(0, input.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            target[block] = kernel(source[block], *args, **kwargs)
        return out

    return blocked


def _unboxed(out):
    return out[()] if out.ndim == 0 else out


def erfc(x):
    """The complementary error function, to about the precision of the dtype."""
    work = np.asarray(x, np.float32 if x.dtype == np.float16 else None)
    coefficients = _ERFC_SINGLE if work.dtype == np.float32 else _ERFC_DOUBLE
    z = np.minimum(np.abs(work), 30)  # beyond it the result is 0 in every dtype, and z * z stays finite
    t = 1 / (1 + z / 2)
    y = np.asarray(2 * t - 1)
    total = np.full_like(y, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        np.multiply(total, y, out=total)
        np.add(total, coefficient, out=total)
    tail = t * np.exp(total - z * z)
    return _unboxed(np.where(work < 0, 2 - tail, tail).astype(x.dtype, copy=False))


def relu(input):
    return np.maximum(input, 0)


def relu6(input):
    return np.minimum(np.maximum(input, 0), 6)


@_blockwise
def leaky_relu(input, negative_slope=0.01):
    return _unboxed(np.where(input > 0, input, input * negative_slope))


@_blockwise
def elu(input, alpha=1.0):
    return _unboxed(np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0))))


@_blockwise
def selu(input):
    return 1.0507009873554805 * elu(input, 1.6732632423543772)


@_blockwise
def celu(input, alpha=1.0):
    return _unboxed(np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0) / alpha)))


@_blockwise
def gelu(input, approximate="none"):
    if approximate == "none":
        return 0.5 * input * erfc(input * -math.sqrt(0.5))
    inner = np.asarray(input * input)
    inner *= input
    inner *= 0.044715
    inner += input
    inner *= math.sqrt(2 / math.pi)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= input
    inner *= 0.5
    return _unboxed(inner)


@_blockwise
def silu(input):
    return input * sigmoid(input)


@_blockwise
def mish(input):
    return input * np.tanh(np.logaddexp(0, input))


@_blockwise
def sigmoid(input):
    decay = np.exp(-np.abs(input))
    return np.where(input >= 0, 1, decay).astype(input.dtype, copy=False) / (1 + decay)


@_blockwise
def log_sigmoid(input):
    return -np.logaddexp(0, -input)


@_blockwise
def softplus(input, beta=1.0, threshold=20.0):
    scaled = input * beta
    return _unboxed(np.where(scaled > threshold, input, np.logaddexp(0, scaled) / beta))


@_blockwise
def softsign(input):
    return input / (1 + np.abs(input))


@_blockwise
def tanhshrink(input):
    return input - np.tanh(input)


@_blockwise
def hardshrink(input, lambd=0.5):
    return _unboxed(np.where((input >= -lambd) & (input <= lambd), 0, input))


@_blockwise
def softshrink(input, lambd=0.5):
    return np.maximum(input - lambd, 0) + np.minimum(input + lambd, 0)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    return np.minimum(np.maximum(input, min_val), max_val)


@_blockwise
def hardsigmoid(input):
    return relu6(input + 3) / 6


@_blockwise
def hardswish(input):
    return input * hardsigmoid(input)


@_blockwise
def threshold(input, threshold, value):
    return _unboxed(np.where(input <= threshold, value, input))


def prelu(input, weight):
    slope = weight if input.ndim <= 1 else weight.reshape(-1, *(1,) * (input.ndim - 2))
    if input.ndim == 0:
        slope = weight[0]
    return _unboxed(np.where(input > 0, input, input * slope))


def glu(input, dim=-1):
    first, second = np.split(input, 2, axis=dim)
    return first * sigmoid(second)


def softmax(input, dim=-1):
    if input.ndim == 0:
        return input - input + 1
    out = np.subtract(input, input.max(axis=dim, keepdims=True, initial=-np.inf))
    np.exp(out, out=out)
    out /= out.sum(axis=dim, keepdims=True)
    return out


def log_softmax(input, dim=-1):
    if input.ndim == 0:
        return input - input
    out = np.subtract(input, input.max(axis=dim, keepdims=True, initial=-np.inf))
    if out.size:
        out -= np.log(np.exp(out).sum(axis=dim, keepdims=True))
    return out
