"""Calls of the operators of `ir/ops/assertions.py`."""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.assertions import FUNCTIONS
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples() -> Iterator[Call]:
    yield call(arr(3), arr(3))


def _less() -> Iterator[Call]:
    yield call(arr(3) - 20, arr(3))


def _scalars() -> Iterator[Call]:
    yield call(2.5, 2.5)


_OTHERS = {"assert_array_less": _less, "assert_approx_equal": _scalars}
SAMPLES: dict[Op, Samples] = {getattr(ops.control, name): _OTHERS.get(name, _samples) for name in FUNCTIONS}
