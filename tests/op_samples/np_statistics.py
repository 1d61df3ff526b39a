"""Calls of the operators of `ir/ops/np_statistics.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _median_samples() -> Iterator[Call]:
    for dtype in ("f8", "f4", "i4", "c8"):
        yield call(arr(2, 3, dtype=dtype))
        yield call(arr(2, 3, 4, dtype=dtype), axis=1)
        yield call(arr(2, 3, 4, dtype=dtype), axis=(0, 2), keepdims=True)
    yield call(arr(2, 3, 4), axis=[0, 2])
    yield call(arr())
    yield call(arr(0, 3), axis=0)


def _quantile_samples() -> Iterator[Call]:
    for q in (0.5, [0.25, 0.5], arr(2, 2) % 1, np.float64(0.1)):
        yield call(arr(2, 3), q)
        yield call(arr(2, 3, 4, dtype="f4"), q, axis=1)
        yield call(arr(2, 3, 4, dtype="i4"), q, (0, 2), keepdims=True, method="nearest")
    yield call(arr(3), 0.5, method="lower")


def _average_samples() -> Iterator[Call]:
    yield call(arr(2, 3))
    yield call(arr(2, 3, dtype="i4"), 0, arr(2) + 4)
    yield call(arr(2, 3, dtype="f4"), axis=1, weights=arr(2, 3, dtype="f4") + 4, keepdims=True)
    yield call(arr(2, 3), returned=True)
    yield call(arr(2, 3, dtype="f4"), axis=1, weights=arr(3) + 4, returned=True)


SAMPLES: dict[Op, Samples] = {
    ops.np.average: _average_samples,
}

SAMPLES |= {op: _median_samples for op in (ops.np.median, ops.np.nanmedian)}
SAMPLES |= {op: _quantile_samples for op in (ops.np.quantile, ops.np.percentile, ops.np.nanquantile, ops.np.nanpercentile)}
