"""Products of arrays and linear algebra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Size,
    broadcast,
    dtype_of,
    meta_of,
    record,
    shape_of,
    value,
)
from npexport.ir.ops.samples import Call, arr, call


def _contract(a: Size, b: Size) -> None:
    """The two sizes that are summed over must be equal."""
    if a != b:
        raise Rejected


def _gufunc_dtype(ufunc: np.ufunc, x1: Array, x2: Array, dtype: Any) -> np.dtype[Any]:
    """The dtype of a product: stand-ins have as many axes as the gufunc needs, and no elements."""
    return dtype_of(_product_of_empty, meta_of(x1), meta_of(x2), ufunc=ufunc, dtype=dtype)


def _product_of_empty(x1: Any, x2: Any, ufunc: Any, dtype: Any) -> Any:
    first, second = (tuple("0" * len(part.strip("()").split(","))) for part in ufunc.signature.split("->")[0].split("),("))
    return ufunc(np.empty((0,) * len(first), x1.dtype), np.empty((0,) * len(second), x2.dtype), dtype=dtype)


def _matmul_samples() -> Iterator[Call]:
    yield call(arr(2, 3), arr(3, 4))
    yield call(arr(3), arr(3))
    yield call(arr(3), arr(3, 2, dtype="f4"))
    yield call(arr(2, 3, dtype="i4"), arr(3, dtype="i8"))
    yield call(arr(5, 1, 2, 3), arr(4, 3, 2, dtype="f4"))
    yield call(arr(3), arr(2, 3, 4))
    yield call(arr(2, 4, 3, dtype="c8"), arr(3))
    yield call(arr(0, 3), arr(3, 2))
    yield call(arr(2, 0), arr(0, 2))
    yield call(arr(2, 2, dtype="?"), arr(2, 2, dtype="?"))
    yield call(arr(2, 2, dtype="f4"), arr(2, 2, dtype="f4"), dtype=np.dtype("f8"))


@record(np.matmul, np.linalg.matmul, traits="ufunc", samples=_matmul_samples)
def matmul(x1: Array, x2: Array, /, *, dtype: Any = None) -> TensorMeta:
    """The matrix product; a vector stands for a row on the left and for a column on the right."""
    a, b = shape_of(x1), shape_of(x2)
    if not a or not b:
        raise Rejected
    _contract(a[-1], b[-2] if len(b) > 1 else b[0])
    batch = broadcast(a[:-2], b[:-2])
    return value(batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ()), _gufunc_dtype(np.matmul, x1, x2, dtype))
