"""Kernels of many steps, applied to some rows of a large array at a time, so that temporaries stay
in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array

_BLOCK = 1 << 15  # elements


def by_rows(compute: Callable[[Array], Any], x: Array, axes: int) -> Any:
    """``compute`` of an array, each of whose rows (all but the last ``axes`` axes) is computed by
    itself.
    """
    size = math.prod(x.shape[x.ndim - axes :])
    step = max(1, _BLOCK // max(1, size))
    count = math.prod(x.shape[: x.ndim - axes])
    if count <= step or not x.flags.c_contiguous:
        return compute(x)
    rows = x.reshape(count, *x.shape[x.ndim - axes :])
    first = compute(rows[:step])
    out = np.empty(x.shape, first.dtype)
    target = out.reshape(rows.shape)
    target[:step] = first
    for start in range(step, count, step):
        target[start : start + step] = compute(rows[start : start + step])
    return out
