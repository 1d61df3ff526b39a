"""Calls of the operators of `ir/ops/np_reductions.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.np_reductions import REDUCTIONS
from tests.op_samples.inputs import Call, Samples, arr, call, mask, unary


def _samples(where: bool = False, **fixed: Any) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        yield from ((args, kwargs) for args, kwargs in unary(**fixed) if args[0].size)
        for dtype in ("f4", "i4"):
            for axis, keepdims in ((0, False), (-1, True), ((0, 2), False), ((), False), (None, True)):
                yield call(arr(2, 3, 4, dtype=dtype), axis=axis, keepdims=keepdims, **fixed)
        yield call(arr(0, 3), axis=1, **fixed)
        if where:
            yield call(arr(2, 3), axis=0, where=mask(2, 3) | True, **fixed)

    return generate


def _single_axis(**fixed: Any) -> Iterator[Call]:
    yield from ((args, kwargs) for args, kwargs in unary("f8", "f4", "i8", "u1", "?", **fixed) if args[0].size)
    for axis, keepdims in ((0, False), (-1, True), (None, True)):
        yield call(arr(2, 3, 4), axis=axis, keepdims=keepdims, **fixed)
    yield call(arr(0, 3), axis=1)


def _cumulative_samples() -> Iterator[Call]:
    yield from unary()
    yield call(arr(2, 3, 4), axis=1)
    yield call(arr(2, 3, dtype="f4"), axis=-1, dtype=np.dtype("f8"))
    yield call(arr(2, 0), axis=0)


def _api_cumulative_samples() -> Iterator[Call]:
    yield call(arr(3))
    yield call(arr(dtype="f4"))
    yield call(arr(2, 3, dtype="i4"), axis=1, include_initial=True)
    yield call(arr(0, dtype="?"), include_initial=True)


SAMPLES: dict[Op, Samples] = {
    ops.np.ptp: lambda: (c for c in _samples()() if c[0][0].dtype != bool),
    ops.np.count_nonzero: _samples(),
}

if hasattr(np, "cumulative_sum"):  # since NumPy 2.1
    SAMPLES |= {op: _api_cumulative_samples for op in (ops.np.cumulative_sum, ops.np.cumulative_prod)}
_MASKED = ("sum", "prod", "mean", "std", "var", "any", "all")
_POSITIONS = ("argmax", "argmin", "nanargmax", "nanargmin")
SAMPLES |= {getattr(ops.np, name): _single_axis if name in _POSITIONS else _samples(where=name in _MASKED) for name in REDUCTIONS}
SAMPLES |= {getattr(ops.np, name): _cumulative_samples for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")}
