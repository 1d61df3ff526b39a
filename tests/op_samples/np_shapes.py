"""Calls of the operators of `ir/ops/np_shapes.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, unary


def _reshape_samples() -> Iterator[Call]:
    for shape in ((6,), (3, 2), (1, 6, 1), (-1,), (2, -1), (-1, 3), (6, -1)):
        yield call(arr(2, 3), shape)
    yield call(arr(2, 3, dtype="i4"), -1)
    yield call(arr(2, 3, dtype="i4"), (3, 2), order="F")
    yield call(arr(), ())
    yield call(arr(), (1, 1))
    yield call(arr(0, 3), (-1, 3))
    yield call(arr(0, 3), (5, 0))
    yield call(arr(1), ())


def _transpose_samples() -> Iterator[Call]:
    yield from unary("f8", "i4")
    yield call(arr(2, 3, 4), (2, 0, 1))
    yield call(arr(2, 3, 4), [0, -1, 1])
    yield call(arr(3), (0,))


def _squeeze_samples() -> Iterator[Call]:
    yield from unary("f8", "i4")
    yield call(arr(1, 3, 1), 0)
    yield call(arr(1, 3, 1), (0, -1))
    yield call(arr(1, 1))


def _broadcast_samples() -> Iterator[Call]:
    yield call(arr(3), (2, 3))
    yield call(arr(2, 1), (4, 2, 3))
    yield call(arr(), (2,))
    yield call(arr(), ())
    yield call(arr(1, dtype="i4"), (0,))
    yield call(arr(1, dtype="i4"), 3)


def _diagonal_samples() -> Iterator[Call]:
    for offset in (0, 1, -1, 5, -5):
        yield call(arr(2, 3), offset)
    yield call(arr(2, 3, 4), 0, 2, 0)
    yield call(arr(2, 3, 4, dtype="i4"), axis1=-1, axis2=-2)
    yield call(arr(0, 3))


def _window_samples() -> Iterator[Call]:
    yield call(arr(6), 3)
    yield call(arr(4, 5), (2, 3))
    yield call(arr(4, 5), 2, axis=1)
    yield call(arr(4, 5, dtype="i4"), (2, 2), axis=(1, 1))
    yield call(arr(3), 3)
    yield call(arr(0), 0)


def _part_samples() -> Iterator[Call]:
    return unary("f8", "f4", "i4", "c8", "c16")


def _view_samples() -> Iterator[Call]:
    yield call(arr(2, 4), np.dtype("i8"))
    yield call(arr(2, 4), np.dtype("f4"))
    yield call(arr(2, 4, dtype="f4"), np.dtype("f8"))
    yield call(arr(2, 4, dtype="c8"), np.dtype("f4"))
    yield call(arr(dtype="f4"), np.dtype("i4"))
    yield call(arr(0, 4, dtype="u1"), np.dtype("u2"))


SAMPLES: dict[Op, Samples] = {
    ops.np.reshape: _reshape_samples,
    ops.np.ravel: lambda: unary("f8", "i4"),
    ops.np.as_contiguous: lambda: unary("f8", "i4"),
    ops.np.with_flags: lambda: (call(arr(2, 3), True), call(arr(3), False)),
    ops.np.flatten: lambda: unary("f8", "i4"),
    ops.np.transpose: _transpose_samples,
    ops.np.matrix_transpose: lambda: (call(arr(2, 3)), call(arr(2, 0, 3, dtype="i4"))),
    ops.np.swapaxes: lambda: (call(arr(2, 3, 4), 0, 2), call(arr(3), 0, -1), call(arr(2, 0), 1, 0)),
    ops.np.moveaxis: lambda: (call(arr(2, 3, 4), 0, -1), call(arr(2, 3, 4), (0, 1), (1, 2)), call(arr(3), 0, 0)),
    ops.np.squeeze: _squeeze_samples,
    ops.np.expand_dims: lambda: (
        call(arr(2, 3), 0),
        call(arr(2, 3), (0, -1)),
        call(arr(), 0),
        call(arr(0, dtype="i4"), -1),
        call(arr(3), ()),
    ),
    ops.np.broadcast_to: _broadcast_samples,
    ops.np.diagonal: _diagonal_samples,
    ops.np.sliding_window_view: _window_samples,
    ops.np.real: _part_samples,
    ops.np.imag: _part_samples,
    ops.np.view_dtype: _view_samples,
}
