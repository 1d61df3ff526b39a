"""Products of matrices for ``fast_math``, which may add in another order than NumPy's BLAS.

Where the machine has vectors of 64 bytes and NumPy's BLAS computes in narrower ones (OpenBLAS knows
only the processors of its day), `_products.c` computes them, on as many threads as that BLAS has.
Floating-point errors that somebody is told of have NumPy compute the product once more: it tells.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from npexport.ir import numpy_internals
from npexport.runtime.array_types import Array
from npexport.runtime.extensions import extension
from npexport.runtime.threads import together

engine: Any
"""The C extension, ``None`` where it was not built."""
try:
    engine = extension("npexport.runtime._products")
except ImportError:
    engine = None

SIZES = {np.dtype(np.float32): 4, np.dtype(np.float64): 8}
WIDE = {"SkylakeX", "Cooperlake", "SapphireRapids"}
"""The cores for which OpenBLAS computes in vectors of 64 bytes itself."""
KINDS = "divide", "over", "under", "invalid"
"""What the bits of floating-point errors stand for."""
SPREAD = 1 << 21
"""Multiplications from which on a second thread pays."""


@functools.cache
def pays() -> bool:
    """Whether this machine computes products faster than NumPy's BLAS."""
    blas = numpy_internals.openblas()
    return engine is not None and bool(engine.SUPPORTED) and blas is not None and blas[0] not in WIDE


def product(x: Array, y: Array, out: Array | None = None) -> Array:
    """``x @ y`` of matrices, or of stacks of them; ``out`` lies in C order."""
    size = SIZES.get(x.dtype)
    if size is None or x.dtype != y.dtype or min(x.ndim, y.ndim) < 2 or not pays():
        return np.matmul(x, y, out=out)
    if out is None:
        out = _place(x, y)
    errors = _multiplied(x, y, out, size)
    if errors is None or (errors and _are_told(errors)):
        return np.matmul(x, y, out=out)
    return out


def rows_times(x: Array, weight: Array) -> Array:
    """``x @ weight``, a stack of matrices as one matrix of all their rows."""
    if x.ndim <= 2 or weight.ndim != 2 or not x.flags.c_contiguous:
        return product(x, weight)
    out = np.empty((*x.shape[:-1], weight.shape[1]), np.result_type(x, weight))
    count = math.prod(x.shape[:-1])
    product(x.reshape(count, x.shape[-1]), weight, out.reshape(count, weight.shape[1]))
    return out


def linear(input: Array, weight: Array, bias: Array | None = None) -> Array:
    """A linear map; all arrays have one dtype."""
    out = rows_times(input, weight.T)
    return out if bias is None else np.add(out, bias, out=out)


def _place(x: Array, y: Array) -> Array:
    """An array for the result, which lies in memory as NumPy's, in the order of axes."""
    if x.ndim == y.ndim == 2:
        return np.empty((x.shape[0], y.shape[1]), x.dtype)
    like = np.matmul(x[..., :2, :0], y[..., :0, :2])
    return np.empty_like(like, order="K", shape=(*like.shape[:-2], x.shape[-2], y.shape[-1]))


def _are_told(errors: int) -> bool:
    states: Any = np.geterr()
    return any(errors >> place & 1 and states[kind] != "ignore" for place, kind in enumerate(KINDS))


def _multiplied(x: Array, y: Array, out: Array, size: int) -> int | None:
    """The errors met, ``None`` where NumPy is to compute the product."""
    if out.size * x.shape[-1] < SPREAD:
        return engine.multiply(x, y, out, size)
    threads = numpy_internals.openblas()[1]()  # type: ignore[index]
    columns = out.shape[-1] >= 64 * threads
    count = out.shape[-1] if columns else out.shape[-2]
    if threads == 1 or count < 64:
        return engine.multiply(x, y, out, size)
    step = -(-count // threads // 4) * 4 or 4
    parts = [slice(first, first + step) for first in range(0, count, step)]
    waiting, found = list(parts), []

    def work() -> None:
        while waiting:
            try:
                part = waiting.pop()
            except IndexError:  # another thread took it
                return
            if columns:
                found.append(engine.multiply(x, y[..., part], out[..., part], size))
            else:
                found.append(engine.multiply(x[..., part, :], y, out[..., part, :], size))

    together(work, threads, waiting.clear)
    if len(found) < len(parts) or None in found:
        return None
    return functools.reduce(int.__or__, found)
