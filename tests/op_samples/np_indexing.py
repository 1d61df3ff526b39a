"""Calls of the operators of `ir/ops/np_indexing.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, mask, positions

_BASIC = (
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(1, None),
    slice(None, None, -1),
    slice(5, -9, -2),
    slice(-1, 0),
    (slice(None), None, 1),
    (Ellipsis, 0),
    (0, 1, 2, Ellipsis),
    (None, Ellipsis, slice(1, 3), None),
    (),
    Ellipsis,
    None,
    np.int64(1),
)


def _basic_samples() -> Iterator[Call]:
    for index in _BASIC:
        yield call(arr(2, 3, 4), index)
    for index in ((), Ellipsis, None):
        yield call(arr(dtype="i4"), index)
    yield call(arr(0, 3), slice(0, 5))


def _advanced_samples() -> Iterator[Call]:
    rows, columns = positions(4, below=2), positions(4, below=3)
    for index in (
        rows,
        positions(2, 2, below=2),
        (rows, columns),
        (rows, slice(None), positions(4, below=4)),
        (slice(None), columns),
        (slice(None), columns, 1),
        (0, slice(None), positions(3, 1, below=4)),
        (Ellipsis, positions(4, below=4)),
        (None, rows, Ellipsis, None),
        (rows[:, None], columns[None]),
        np.array(1),
        (np.array(1), 2, 3),
        np.zeros((0,), np.int64),
    ):
        yield call(arr(2, 3, 4), index)


def _mask_samples() -> Iterator[Call]:
    yield call(arr(2, 3, 4), mask(2, 3, 4))
    yield call(arr(2, 3, 4), mask(2, 3))
    yield call(arr(2, 3, 4), (slice(None), mask(3)))
    yield call(arr(2, 3, 4), (mask(2), 1))
    yield call(arr(3), np.array([False] * 3))
    yield call(arr(3), True)
    yield call(arr(0), np.zeros((0,), bool))


def _write_samples() -> Iterator[Call]:
    for index in _BASIC:
        yield call(arr(2, 3, 4), index, 2)
        yield call(arr(2, 3, 4, dtype="i4"), index, np.float64(2.5))
    for args, _ in (*_advanced_samples(), *_mask_samples()):
        yield call(*args, arr())
        yield call(*args, 7)
    yield call(arr(2, 3, 4), positions(4, below=2), arr(1))
    yield call(arr(2, 3), slice(None), arr(1, 1, 3))
    yield call(arr(2, 3), (slice(None), 0), arr(2, dtype="i4"))
    yield call(arr(3, 2), slice(None, None, 2), arr(2, 2))
    yield call(arr(), (), 1.0)


def _flat_samples() -> Iterator[Call]:
    for index in (0, -1, np.array(1), positions(4, below=6), np.zeros((0,), np.int64)):
        yield call(arr(2, 3), index)
    yield call(arr(dtype="i4"), 0)


SAMPLES: dict[Op, Samples] = {
    ops.np.getitem: _basic_samples,
    ops.np.index: lambda: (c for part in (_advanced_samples, _mask_samples) for c in part()),
    ops.np.flat_index: _flat_samples,
    ops.np.setitem: _write_samples,
}
