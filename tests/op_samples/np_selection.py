"""Calls of the operators of `ir/ops/np_selection.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NUMPY
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, mask, positions, unary


def _where_samples() -> Iterator[Call]:
    yield call(mask(3), arr(3), arr(3, dtype="f4"))
    yield call(mask(2, 1), arr(3, dtype="f4"), 0.0)
    yield call(mask(2, 3), 1, 2)
    yield call(arr(2, 3), np.float64(1), arr(3, dtype="f4"))
    yield call(arr(), arr(), arr())
    yield call(mask(0), 1.0, arr(0, dtype="i4"))
    yield call(mask(2), arr(2, dtype="u1"), 3)


def _select_samples() -> Iterator[Call]:
    yield call([mask(3), ~mask(3)], [arr(3), arr(3, dtype="i4")])
    yield call([mask(2, 1)], [arr(3, dtype="f4")], 7)
    yield call((mask(2), mask(2)), (arr(2, dtype="c8"), 1), arr(2))
    yield call([mask(1)[0]], [1.0], 2)


def _clip_samples() -> Iterator[Call]:
    yield call(arr(5, dtype="i8"), 0, 3)
    yield call(arr(3), 0, 1)
    yield call(arr(2, 3, dtype="i4"), 0.5, None)
    yield call(arr(2, 3, dtype="f4"), None, arr(3))
    yield call(arr(), 0.0, 1.0)
    yield call(arr(2, 1), arr(3), 5)
    if NUMPY >= "2.1.0":
        yield call(arr(3, dtype="f4"))
        yield call(arr(3, dtype="u1"), min=1, max=np.int16(5))


def _isclose_samples() -> Iterator[Call]:
    yield call(arr(3), arr(3, dtype="f4"))
    yield call(arr(2, 1, dtype="i4"), 1.0, equal_nan=True)
    yield call(arr(), arr())
    yield call(arr(3), arr(3), 1e-3, atol=arr(3))


def _round_samples() -> Iterator[Call]:
    yield from unary("f8", "f4", "i4", "c8", "?")
    yield call(arr(3), 2)
    yield call(arr(2, 3, dtype="i4"), decimals=-1)


def _floats() -> Iterator[Call]:
    yield from unary("f8", "f4", "i4")


def _take_samples() -> Iterator[Call]:
    yield call(arr(4), positions(3, below=4))
    yield call(arr(2, 3), positions(2, 2, below=3), 1)
    yield call(arr(2, 3, dtype="i4"), np.array(1), axis=0)
    yield call(arr(4), 2)
    yield call(arr(4), arr(dtype="i8") * 0)
    yield call(arr(2, 3), positions(5, below=6), mode="wrap")
    yield call(arr(2, 3), np.zeros((0,), np.int64), 0)
    yield call(arr(), 0)


def _along_samples() -> Iterator[Call]:
    yield call(arr(4), positions(3, below=4), 0)
    yield call(arr(2, 3), positions(2, 2, below=3), axis=1)
    yield call(arr(2, 3, dtype="i4"), positions(1, 3, below=2), axis=0)
    yield call(arr(2, 3), positions(4, below=6), axis=None)
    yield call(arr(2, 3), np.zeros((2, 0), np.int64), -1)


def _choose_samples() -> Iterator[Call]:
    yield call(positions(3, below=2) % 2, [arr(3), arr(3, dtype="i4")])
    yield call(positions(2, 1, below=2) % 2, (arr(3), 1.5), mode="clip")
    yield call(np.array(0), [arr(2), arr(2)], mode="wrap")


def _compress_samples() -> Iterator[Call]:
    yield call(mask(3), arr(3))
    yield call(mask(2), arr(2, 3), 0)
    yield call(mask(3), arr(2, 3, dtype="i4"), axis=-1)
    yield call(mask(2), arr(2, 3))


def _positions_samples() -> Iterator[Call]:
    for dtype in ("f8", "?", "i4"):
        yield call(arr(3, dtype=dtype))
        yield call(arr(2, 3, dtype=dtype))
        yield call(arr(0, 2, dtype=dtype))


def _unravel_samples() -> Iterator[Call]:
    yield call(positions(3, below=2) % 6, (2, 3))
    yield call(positions(3, below=2) % 6, [2, 3])
    yield call(positions(2, 2, below=2) % 4, 4)
    yield call(np.array(5), (2, 3))
    yield call(5, (2, 3), order="F")


def _ravel_multi_samples() -> Iterator[Call]:
    yield call((positions(3, below=2) % 2, positions(3, below=3) % 3), (2, 3))
    yield call((positions(3, 1, below=2) % 2, positions(2, below=3) % 3), (2, 3), order="F")
    yield call((positions(3, below=9), 1), (2, 3), mode=("wrap", "clip"))


SAMPLES: dict[Op, Samples] = {
    ops.np.where: _where_samples,
    ops.np.select: _select_samples,
    ops.np.clip: _clip_samples,
    ops.np.isclose: _isclose_samples,
    ops.np.round: _round_samples,
    ops.np.nan_to_num: lambda: unary("f8", "f4", "c8", "i4", "?"),
    ops.np.i0: _floats,
    ops.np.sinc: _floats,
    ops.np.take: _take_samples,
    ops.np.take_along_axis: _along_samples,
    ops.np.choose: _choose_samples,
    ops.np.compress: _compress_samples,
    ops.np.extract: lambda: (call(mask(3), arr(3)), call(mask(2, 3), arr(2, 3, dtype="i4"))),
    ops.np.nonzero: _positions_samples,
    ops.np.argwhere: _positions_samples,
    ops.np.flatnonzero: _positions_samples,
    ops.np.unravel_index: _unravel_samples,
    ops.np.ravel_multi_index: _ravel_multi_samples,
}
