"""Calls of the operators of `ir/ops/np_fields.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call

_POINTS = np.zeros(3, [("p", "f8"), ("q", "i4", (2,))])


def _field_samples() -> Iterator[Call]:
    yield call(_POINTS, "p")
    yield call(_POINTS, "q")
    yield call(_POINTS, ["p", "q"])


SAMPLES: dict[Op, Samples] = {
    ops.np.field: _field_samples,
    ops.np.set_field: lambda: (call(_POINTS, "p", arr(3)), call(_POINTS, "q", arr(3, 2, dtype="i4"))),
}
