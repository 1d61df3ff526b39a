"""Kernels of the methods of ufuncs."""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.ufuncs import named_ufunc


def reduce(ufunc: str, array: Any, axis: Any = 0, dtype: Any = None, **options: Any) -> Any:
    return named_ufunc(ufunc).reduce(array, axis, dtype, **options)


def accumulate(ufunc: str, array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    return named_ufunc(ufunc).accumulate(array, axis, dtype)


def reduceat(ufunc: str, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Any:
    return named_ufunc(ufunc).reduceat(array, indices, axis, dtype)


def outer(ufunc: str, A: Any, B: Any, *, dtype: Any = None) -> Any:
    return named_ufunc(ufunc).outer(A, B, dtype=dtype)
