"""Calls of the operators of `ir/ops/np_trapped.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples() -> Iterator[Call]:
    yield call("np.multiply", ("over",), arr(3), 2.0)
    yield call("np.divide", ("divide", "invalid"), arr(2, 3) + 10, arr(3) + 10)
    yield call("np.sum", ("over",), arr(2, 3), axis=0)


def _left() -> Iterator[Call]:
    yield call("np.put", arr(3), np.array([0, 2]), 2.0)
    yield call("np.put", arr(3), np.array([0, 9, 1]), arr(2))
    yield call("np.set_flat", arr(2, 3), np.array([0, 4]), arr(2))
    yield call("np.ufunc_where", "power", np.array([2, 3, 4]), True, np.array([2, 3, 4]), np.array([2, -1, 2]), casting="same_kind")


SAMPLES: dict[Op, Samples] = {
    ops.np.trapped: _samples,
    ops.np.left: _left,
}
