"""Calls of the operators of `ir/ops/np_trapped.py`."""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples() -> Iterator[Call]:
    yield call("np.multiply", ("over",), arr(3), 2.0)
    yield call("np.divide", ("divide", "invalid"), arr(2, 3) + 10, arr(3) + 10)
    yield call("np.sum", ("over",), arr(2, 3), axis=0)


SAMPLES: dict[Op, Samples] = {
    ops.np.trapped: _samples,
}
