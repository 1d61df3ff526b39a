"""Calls of the operators of `ir/ops/np_signal.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NOTHING_NEEDS_POINTS
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _vectors() -> Iterator[Call]:
    for mode in ("full", "same", "valid"):
        yield call(arr(5), arr(3), mode)
        yield call(arr(2, dtype="f4"), arr(4, dtype="f4"), mode=mode)
        yield call(arr(3, dtype="i4"), arr(3, dtype="c8"), mode)


def _interp_samples() -> Iterator[Call]:
    yield call(arr(2, 3), np.arange(4.0), arr(4))
    yield call(1.5, np.arange(3), arr(3, dtype="i4"))
    yield call(arr(dtype="f4"), np.arange(3.0), arr(3, dtype="c8"), left=0)
    yield call(arr(3), np.arange(3.0), arr(3), period=2.0)
    yield call(arr(0), np.arange(2.0), arr(2))
    if NOTHING_NEEDS_POINTS:
        yield call(arr(0), arr(0), arr(0, dtype="c8"))


def _pack_samples() -> Iterator[Call]:
    yield call(arr(9, dtype="?"))
    yield call(arr(2, 9, dtype="u1"), axis=1, bitorder="little")
    yield call(arr(2, 3, dtype="?"))
    yield call(arr(0, dtype="u1"))


def _unpack_samples() -> Iterator[Call]:
    yield call(arr(3, dtype="u1"))
    yield call(arr(2, 3, dtype="u1"), axis=1, count=5)
    yield call(arr(2, 3, dtype="u1"), axis=0, count=-3)
    yield call(arr(2, 2, dtype="u1"), bitorder="little")


def _gradient_samples() -> Iterator[Call]:
    yield call(arr(5))
    yield call(arr(5, dtype="i4"), 2.0)
    yield call(arr(4), np.array([0.0, 1.0, 3.0, 4.0]), edge_order=2)
    yield call(arr(3, 4, dtype="f4"))
    yield call(arr(3, 4), 0.5, np.array([0.0, 1.0, 3.0, 4.0]))
    yield call(arr(3, 4, 2), axis=(0, -1))
    yield call(arr(3, 4), 2.0, 0.5, axis=[0, 1])
    yield call(arr(3, 4), 2, axis=1)


SAMPLES: dict[Op, Samples] = {
    ops.np.convolve: _vectors,
    ops.np.correlate: _vectors,
    ops.np.interp: _interp_samples,
    ops.np.packbits: _pack_samples,
    ops.np.unpackbits: _unpack_samples,
    ops.np.gradient: _gradient_samples,
}
