"""Calls of the operators of `ir/ops/sklearn_checks.py`."""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples() -> Iterator[Call]:
    yield call(arr(3))


SAMPLES: dict[Op, Samples] = {ops.sklearn.assert_all_finite: _samples}
