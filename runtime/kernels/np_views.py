"""Kernels of view operators that NumPy has as methods."""

from __future__ import annotations

from typing import Any

import numpy as np


def ravel(a: Any, order: Any = "C") -> Any:
    return np.asarray(a).ravel(order)


def flatten(a: Any, order: Any = "C") -> Any:
    return np.asarray(a).flatten(order)


def as_contiguous(a: Any, order: Any = "C") -> Any:
    return np.asarray(a, order=order)


def with_flags(a: Any, writeable: bool) -> Any:
    view = a.view()
    owner = a if a.base is None else a.base
    view.flags.writeable = writeable and (a.flags.writeable or (isinstance(owner, np.ndarray) and owner.flags.writeable))
    return view


def view_dtype(a: Any, dtype: Any) -> Any:
    dtype = np.dtype(dtype)
    if dtype.itemsize != a.dtype.itemsize and a.ndim and a.strides[-1] != a.dtype.itemsize and a.shape[-1] != 1:
        a = np.ascontiguousarray(a)  # the layout differs from that of the array of which NumPy returned a view
    return a.view(dtype)


def flat_index(x: Any, index: Any) -> Any:
    return np.asarray(x).flat[index]
