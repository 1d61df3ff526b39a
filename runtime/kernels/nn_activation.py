"""Activations: the formulas of their decompositions, block by block; those that take part in most
networks are written for speed.

Like NumPy's own ufuncs they return a scalar for 0-d input, and they overflow nowhere that the
result does not.
"""

from __future__ import annotations

import math
from functools import wraps
from typing import Any

import numpy as np

from npexport.ir.decompositions import nn_activation as formulas
from npexport.ir.decompositions.kinds import unboxed
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
    return unboxed(np.where(work < 0, 2 - tail, tail).astype(x.dtype, copy=False))


relu = formulas.relu
relu6 = formulas.relu6
hardtanh = formulas.hardtanh
prelu = formulas.prelu
leaky_relu = _blockwise(formulas.leaky_relu)
elu = _blockwise(formulas.elu)
selu = _blockwise(formulas.selu)
celu = _blockwise(formulas.celu)
mish = _blockwise(formulas.mish)
log_sigmoid = _blockwise(formulas.log_sigmoid)
softplus = _blockwise(formulas.softplus)
softsign = _blockwise(formulas.softsign)
tanhshrink = _blockwise(formulas.tanhshrink)
hardshrink = _blockwise(formulas.hardshrink)
softshrink = _blockwise(formulas.softshrink)
hardsigmoid = _blockwise(formulas.hardsigmoid)
hardswish = _blockwise(formulas.hardswish)
threshold = _blockwise(formulas.threshold)
sigmoid = _blockwise(formulas.sigmoid)
silu = _blockwise(formulas.silu)


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
    return unboxed(inner)


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
