"""Calls of the operators of `ir/ops/number_kinds.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.number_kinds import KINDS
from tests.op_samples.inputs import Call, Samples, call


def _pairs() -> Iterator[Call]:
    for python in (True, False):
        for name in ("add", "sub", "mul", "truediv", "lt", "eq"):
            yield call(name, (python, True), (np.float64(2.5), -1.5))
        yield call("neg", (python,), (np.float64(2.5),))


def _numbers() -> Iterator[Call]:
    for kind, dtype in KINDS.items():
        yield call(kind.__name__, False, np.dtype(dtype).type(1))


SAMPLES: dict[Op, Samples] = {
    ops.py.mixed_operator: _pairs,
    ops.py.mixed_number: _numbers,
}
