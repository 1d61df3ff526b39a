"""The elements of a known array: whether all are equal, or which bytes distinguish it from
others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import content

Array = np.ndarray[Any, Any]

_SHORT = 4096  # bytes


def digest(array: Array) -> bytes:
    """The elements in C order, as bytes, or a value that distinguishes them from all others."""
    if array.nbytes <= _SHORT or array.dtype.kind == "T":
        return content(array)
    import hashlib  # slow to load, and rarely needed

    return hashlib.blake2b(np.ascontiguousarray(array).view(np.uint8).data).digest()


def uniform(array: Array) -> bool:
    """Whether all elements of a numeric array are the same bytes: ``-0.0`` is not ``0.0``."""
    if array.nbytes <= _SHORT:
        first = array[(0,) * array.ndim].tobytes()
        return array.tobytes() == first * array.size
    flat = np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize)
    return bool((flat == flat[0]).all())
