"""Views by explicit strides."""

from __future__ import annotations

import numpy as np


def as_strided(x, shape, strides, offset=0, *, writeable=False):
    """``strides`` and ``offset`` count elements of ``x`` in C order."""
    flat = np.ascontiguousarray(x).reshape(-1)
    return np.lib.stride_tricks.as_strided(flat[offset:], shape, [stride * x.itemsize for stride in strides], writeable=writeable)
