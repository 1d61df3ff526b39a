"""Operators that choose elements: by conditions, by positions along an axis, by bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.rules import (
    Array,
    array,
    broadcast,
    dtype_of,
    record,
    shape_of,
)
from npexport.ir.ops.samples import Call, arr, call, mask


def _where_samples() -> Iterator[Call]:
    yield call(mask(3), arr(3), arr(3, dtype="f4"))
    yield call(mask(2, 1), arr(3, dtype="f4"), 0.0)
    yield call(mask(2, 3), 1, 2)
    yield call(arr(2, 3), np.float64(1), arr(3, dtype="f4"))
    yield call(arr(), arr(), arr())
    yield call(mask(0), 1.0, arr(0, dtype="i4"))


@record(kernel=np.where, traits="elementwise", samples=_where_samples, see="numpy.where")
def where(condition: Array, x: Array, y: Array, /) -> TensorMeta:
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere."""
    return array(broadcast(shape_of(condition), shape_of(x), shape_of(y)), dtype_of(_where_empty, x, y))


def _where_empty(x: Any, y: Any) -> Any:
    return np.where(np.empty((0,), bool), x, y)
