"""Calls of the operators of `ir/ops/np_strided.py`."""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples() -> Iterator[Call]:
    yield call(arr(6), (3, 2), (2, 1))
    yield call(arr(6), (4, 3), (1, 1), 0)
    yield call(arr(2, 3, dtype="i4"), (3, 2), (1, 3))
    yield call(arr(6), (3,), (-2,), 5)
    yield call(arr(6), (2, 0, 3), (100, 1, 1))
    yield call(arr(6), (), (), 4)


SAMPLES: dict[Op, Samples] = {
    ops.np.as_strided: _samples,
}
