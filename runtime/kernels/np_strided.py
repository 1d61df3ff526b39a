"""Views by explicit strides."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array


def as_strided(x: Array, shape: Any, strides: Any, offset: int = 0, *, writeable: bool = False) -> Array:
    """``strides`` and ``offset`` count elements of ``x`` in C order.

    Raises ``ValueError`` where an element is not one of ``x``.

    The rule has said so already for the sizes that it knows; memory is not trusted to anybody's
    rules.
    """
    flat = np.ascontiguousarray(x).reshape(-1)
    shape, strides = [operator.index(size) for size in shape], [operator.index(stride) for stride in strides]
    offset = operator.index(offset)
    reach = [stride * (size - 1) for size, stride in zip(shape, strides, strict=True)]
    low, high = offset + sum(step for step in reach if step < 0), offset + sum(step for step in reach if step > 0)
    empty = 0 in shape
    if min(shape, default=0) < 0 or not (empty or (low >= 0 and high < flat.size)):
        raise ValueError("as_strided: an element lies outside the memory of the array")
    begin = flat[:0] if empty else flat[offset:]
    return np.lib.stride_tricks.as_strided(begin, shape, [stride * x.itemsize for stride in strides], writeable=writeable)
