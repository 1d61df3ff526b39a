"""Calls of the operators of `ir/ops/np_creation.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, unary


def _shape_samples() -> Iterator[Call]:
    for shape in (3, (), (2, 3), [2, 0], (1,)):
        yield call(shape)
        yield call(shape, np.dtype("i4"))


def _full_samples() -> Iterator[Call]:
    for fill in (1, 2.5, True, 1j, np.float32(2), np.int8(1)):
        yield call((2, 3), fill)
        yield call(3, fill, np.dtype("c16"))
    yield call((2, 3), arr(3, dtype="f4"))
    yield call((), arr())


def _like_samples() -> Iterator[Call]:
    yield from unary("f8", "i4", "?")
    yield call(arr(2, 3), dtype=np.dtype("f4"))
    yield call(arr(2, 3), shape=(4,))
    yield call(arr(2, 3), shape=5)


def _arange_samples() -> Iterator[Call]:
    for args in ((5,), (0,), (-3,), (2, 7), (2, 7, 2), (7, 2, -2), (7, 2), (0.5,), (0, 1, 0.1), (1, 2, 0.3), (5.0,)):
        yield call(*args)
    yield call(5, dtype=np.dtype("f4"))
    yield call(1, 6, 2, dtype=np.dtype("i2"))
    yield call(np.int32(4))
    yield call(0, np.float32(1), np.float32(0.25))


def _linspace_samples() -> Iterator[Call]:
    yield call(0, 1)
    yield call(0.0, 2.0, 5)
    yield call(0, 4, 5, dtype=np.dtype("i4"))
    yield call(0, 1, 0)
    yield call(1j, 2, 3, endpoint=False)
    yield call(np.float32(0), np.float32(1), 4)
    yield call(arr(3, dtype="f4"), 1, 4)
    yield call(arr(2, 1), arr(3), 4, axis=-1)


def _matrix_samples() -> Iterator[Call]:
    yield call(3)
    yield call(2, 4, 1)
    yield call(3, 2, k=-1, dtype=np.dtype("i4"))
    yield call(0)
    yield call(2, 2, k=9)


def _triangle_samples() -> Iterator[Call]:
    yield call(arr(3, 4))
    yield call(arr(2, 3, 3, dtype="i4"), 1)
    yield call(arr(3, dtype="?"), k=-1)
    yield call(arr(0, 2))


def _diag_samples() -> Iterator[Call]:
    for k in (0, 1, -2, 7):
        yield call(arr(3), k)
        yield call(arr(3, 4, dtype="i4"), k)
    yield call(arr(0))


def _cast_samples() -> Iterator[Call]:
    for dtype in ("f4", "i8", "?", "c16"):
        for args, _ in unary("f8", "i4", "?"):
            yield call(*args, np.dtype(dtype))


def _asarray_samples() -> Iterator[Call]:
    yield from unary("f8", "i4")
    yield call(2)
    yield call(2.5, np.dtype("f4"))
    yield call(arr(3), np.dtype("i4"))


SAMPLES: dict[Op, Samples] = {
    ops.np.zeros: _shape_samples,
    ops.np.ones: _shape_samples,
    ops.np.empty: _shape_samples,
    ops.np.full: _full_samples,
    ops.np.zeros_like: _like_samples,
    ops.np.ones_like: _like_samples,
    ops.np.empty_like: _like_samples,
    ops.np.full_like: lambda: (((args[0], 2), kwargs) for args, kwargs in _like_samples()),
    ops.np.arange: _arange_samples,
    ops.np.linspace: _linspace_samples,
    ops.np.eye: _matrix_samples,
    ops.np.identity: lambda: (call(3), call(0), call(2, np.dtype("i4"))),
    ops.np.tri: _matrix_samples,
    ops.np.tril: _triangle_samples,
    ops.np.triu: _triangle_samples,
    ops.np.diag: _diag_samples,
    ops.np.diagflat: lambda: (call(arr(2, 2)), call(arr(3, dtype="i4"), -1), call(arr(), 1), call(arr(0))),
    ops.np.indices: lambda: (call((2, 3)), call((2, 0), np.dtype("f4")), call(()), call((2, 3), sparse=True)),
    ops.np.astype: _cast_samples,
    ops.np.copy: lambda: unary("f8", "i4", "c8"),
    ops.np.array: _asarray_samples,
    ops.np.scalar: lambda: (call(arr()), call(arr(dtype="i4")), call(arr(dtype="?"))),
}
