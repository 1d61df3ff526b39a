"""Loops of NumPy's element-wise ufuncs, and numbers of every dtype for them, special ones among them."""

import numpy as np

from npexport.ir.op import REGISTRY
from npexport.runtime.blocks import fusion

KINDS = "?bBhHiIlLefdFD"
UFUNCS = sorted(
    {op.name for op in REGISTRY if op.namespace == "np" and "ufunc" in op.traits and fusion.is_plain_ufunc(op)},
)


def values(dtype, size, special, seed=0):
    """Numbers of a dtype, with all special ones among them or none."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.random(size) > 0.5
    if dtype.kind in "iu":
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if special else (0 if dtype.kind == "u" else -20, 20)
        return rng.integers(low, high, size, dtype=dtype, endpoint=True)
    if dtype.kind == "c":
        part = np.dtype(dtype.char.lower())
        found = np.empty(size, dtype)
        found.real, found.imag = values(part, size, special, seed), values(part, size, special, seed + 1)
        return found
    found = (rng.standard_normal(size) * (100 if special else 3)).astype(dtype)
    if special:
        numbers = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).tiny / 4, np.finfo(dtype).max], dtype)
        numbers.view(f"u{dtype.itemsize}")[0] |= 5  # a NaN of another payload
        places = rng.random(size) < 0.4
        found[places] = numbers[rng.integers(0, len(numbers), places.sum())]
    return found


def same_numbers(one, other):
    """Whether two arrays are the same bits, but for the payloads of NaNs."""
    if one.dtype.kind == "c":
        return same_numbers(*[np.ascontiguousarray(array).reshape(-1).view(array.real.dtype) for array in (one, other)])
    if one.dtype.kind != "f":
        return one.tobytes() == other.tobytes()
    bits = [np.where(np.isnan(array), np.asarray(np.nan, array.dtype), array).tobytes() for array in (one, other)]
    return bits[0] == bits[1]
