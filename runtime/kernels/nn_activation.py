"""Activations.

Like NumPy's own ufuncs they return a scalar for 0-d input, and they overflow nowhere that the
result does not.
"""

from __future__ import annotations

import math
from functools import wraps
from typing import Any

import numpy as np

from npexport.ir.erfc import COEFFICIENTS
from npexport.runtime.array_types import Array
from npexport.runtime.kernels.rows import by_rows

_BLOCK = 1 << 15  # elements: temporaries of this size stay in the cache


def _blockwise(kernel: Any) -> Any:
    """The element-wise ``kernel`` of one array, applied to large contiguous arrays block by
    block.
    """

    @wraps(kernel)
    def blocked(input: Array, *args: Any, **kwargs: Any) -> Array:
        if input.size <= _BLOCK or not input.flags.c_contiguous:
            return kernel(input, *args, **kwargs)
        out = np.empty_like(input)
        source, target = input.reshape(-1), out.reshape(-1)
        for start in range(0, input.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            target[block] = kernel(source[block], *args, **kwargs)
        return out

    return blocked


def _unboxed(out: Any) -> Any:
    return out[()] if out.ndim == 0 else out


def erfc(x: Array) -> Array:
    """The complementary error function, to about the precision of the dtype."""
    work = np.asarray(x, np.float32 if x.dtype == np.float16 else None)
    coefficients = COEFFICIENTS[work.dtype == np.float32]
    z = np.minimum(np.abs(work), 30)  # beyond it the result is 0 in every dtype, and z * z stays finite
    t = 1 / (1 + z / 2)
    y = np.asarray(2 * t - 1)
    total = np.full_like(y, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        np.multiply(total, y, out=total)
        np.add(total, coefficient, out=total)
    tail = t * np.exp(total - z * z)
    return _unboxed(np.where(work < 0, 2 - tail, tail).astype(x.dtype, copy=False))


def relu(input: Array) -> Array:
    return np.maximum(input, 0)


def relu6(input: Array) -> Array:
    return np.minimum(np.maximum(input, 0), 6)


@_blockwise
def leaky_relu(input: Array, negative_slope: Any = 0.01) -> Array:
    return _unboxed(np.where(input > 0, input, input * negative_slope))


@_blockwise
def elu(input: Array, alpha: Any = 1.0) -> Array:
    return _unboxed(np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0))))


@_blockwise
def selu(input: Array) -> Array:
    return 1.0507009873554805 * elu(input, 1.6732632423543772)


@_blockwise
def celu(input: Array, alpha: Any = 1.0) -> Array:
    return _unboxed(np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0) / alpha)))


@_blockwise
def gelu(input: Array, approximate: str = "none") -> Array:
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
def silu(input: Array) -> Array:
    return input * sigmoid(input)


@_blockwise
def mish(input: Array) -> Array:
    return input * np.tanh(np.logaddexp(0, input))


@_blockwise
def sigmoid(input: Array) -> Array:
    decay = np.exp(-np.abs(input))
    return np.where(input >= 0, 1, decay).astype(input.dtype, copy=False) / (1 + decay)


@_blockwise
def log_sigmoid(input: Array) -> Array:
    return -np.logaddexp(0, -input)


@_blockwise
def softplus(input: Array, beta: Any = 1.0, threshold: Any = 20.0) -> Array:
    scaled = input * beta
    return _unboxed(np.where(scaled > threshold, input, np.logaddexp(0, scaled) / beta))


@_blockwise
def softsign(input: Array) -> Array:
    return input / (1 + np.abs(input))


@_blockwise
def tanhshrink(input: Array) -> Array:
    return input - np.tanh(input)


@_blockwise
def hardshrink(input: Array, lambd: Any = 0.5) -> Array:
    return _unboxed(np.where((input >= -lambd) & (input <= lambd), 0, input))


@_blockwise
def softshrink(input: Array, lambd: Any = 0.5) -> Array:
    return np.maximum(input - lambd, 0) + np.minimum(input + lambd, 0)


def hardtanh(input: Array, min_val: Any = -1.0, max_val: Any = 1.0) -> Array:
    return np.minimum(np.maximum(input, min_val), max_val)


@_blockwise
def hardsigmoid(input: Array) -> Array:
    return relu6(input + 3) / 6


@_blockwise
def hardswish(input: Array) -> Array:
    return input * hardsigmoid(input)


@_blockwise
def threshold(input: Array, threshold: Any, value: Any) -> Array:
    return _unboxed(np.where(input <= threshold, value, input))


def prelu(input: Array, weight: Array) -> Array:
    slope = weight if input.ndim <= 1 else weight.reshape(-1, *(1,) * (input.ndim - 2))
    if input.ndim == 0:
        slope = weight[0]
    return _unboxed(np.where(input > 0, input, input * slope))


def glu(input: Array, dim: Any = -1) -> Array:
    first, second = np.split(input, 2, axis=dim)
    return first * sigmoid(second)


def _exponents(x: Any, dim: Any) -> Any:
    return np.subtract(x, x.max(axis=dim, keepdims=True, initial=-np.inf))


def _softmax(x: Any, dim: Any = -1) -> Any:
    out = _exponents(x, dim)
    np.exp(out, out=out)
    out /= out.sum(axis=dim, keepdims=True)
    return out


def _log_softmax(x: Any, dim: Any = -1) -> Any:
    out = _exponents(x, dim)
    if out.size:
        out -= np.log(np.exp(out).sum(axis=dim, keepdims=True))
    return out


def softmax(input: Array, dim: Any = -1) -> Array:
    if input.ndim == 0:
        return input - input + 1
    return by_rows(_softmax, input, 1) if dim in (-1, input.ndim - 1) else _softmax(input, dim)


def log_softmax(input: Array, dim: Any = -1) -> Array:
    if input.ndim == 0:
        return input - input
    return by_rows(_log_softmax, input, 1) if dim in (-1, input.ndim - 1) else _log_softmax(input, dim)
