"""Calls of the operators of `ir/ops/np_joining.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, unary


def _concatenate_samples() -> Iterator[Call]:
    yield call([arr(3), arr(2)])
    yield call((arr(2, 3), arr(2, 1, dtype="i4")), 1)
    yield call([arr(2, 3), arr(1, 3), arr(0, 3)], axis=-2)
    yield call([arr(2, 3), arr(4, dtype="f4")], axis=None)
    yield call([arr(), arr(dtype="i4")], axis=None)
    yield call([arr(2, dtype="f4"), arr(2, dtype="i4")], dtype=np.dtype("c8"))
    yield call([arr(2), arr(2)], dtype=np.dtype("i4"), casting="unsafe")


def _stack_samples() -> Iterator[Call]:
    for axis in (0, 1, -1, -3):
        yield call([arr(2, 3), arr(2, 3, dtype="i4")], axis)
    yield call((arr(), arr(dtype="f4"), 2.0))
    yield call([arr(0, dtype="?")], axis=1)
    yield call([arr(2), arr(2)], dtype=np.dtype("f4"))


def _tile_samples() -> Iterator[Call]:
    for reps in (2, (2, 3), (2, 1, 2), (), 0, (1, 0)):
        yield call(arr(2, 3), reps)
        yield call(arr(dtype="i4"), reps)


def _repeat_samples() -> Iterator[Call]:
    yield call(arr(2, 3), 2)
    yield call(arr(2, 3), 3, axis=1)
    yield call(arr(2, 3), (2,), axis=0)
    yield call(arr(2, 3), [1, 0, 2], axis=-1)
    yield call(arr(3), np.array([1, 0, 2]))
    yield call(arr(2, 3), np.array([2]), axis=1)
    yield call(arr(dtype="i4"), 3)
    yield call(arr(0), 2)


def _roll_samples() -> Iterator[Call]:
    yield from (((*args, 2), kwargs) for args, kwargs in unary("f8", "i4"))
    yield call(arr(2, 3), -1, axis=1)
    yield call(arr(2, 3), (1, 2), axis=(0, 1))
    yield call(arr(2, 3), [1, 2], axis=[0, 1])
    yield call(arr(2, 3), 1, axis=(0, 0))
    yield call(arr(2, 3), (1, -1), axis=0)


def _pad_samples() -> Iterator[Call]:
    for width in (1, (1, 2), ((1, 2),), ((0, 1), (2, 0)), [[1, 1], [0, 0]]):
        yield call(arr(2, 3), width)
        yield call(arr(3, 4, dtype="i4"), width, "edge")
    yield call(arr(4), 2, mode="reflect", reflect_type="odd")
    yield call(arr(4), (2, 1), mode="linear_ramp", end_values=5)
    yield call(arr(4), 1, mode="mean", stat_length=2)
    yield call(arr(3), ((1, 2),), "constant", constant_values=(1, 2))
    yield call(arr(2, 2, dtype="u1"), 1, "wrap")
    yield call(arr(0), 2)


SAMPLES: dict[Op, Samples] = {
    ops.np.concatenate: _concatenate_samples,
    ops.np.stack: _stack_samples,
    ops.np.tile: _tile_samples,
    ops.np.repeat: _repeat_samples,
    ops.np.roll: _roll_samples,
    ops.np.pad: _pad_samples,
}
