"""Calls of the operators of `ir/ops/ufuncs.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, mask


def _reduce_samples() -> Iterator[Call]:
    for name in ("add", "multiply", "maximum", "logical_and", "bitwise_or"):
        yield call(name, arr(2, 3, dtype="i4"))
        yield call(name, arr(2, 3, dtype="?"), None)
        yield call(name, arr(2, 3, 4, dtype="u1"), (0, 2), keepdims=True)
    yield call("maximum", arr(0), initial=1.0)
    yield call("add", arr(2, 3), 1, where=mask(2, 3))
    yield call("add", arr(3, dtype="f4"), 0, np.dtype("f8"))
    yield call("subtract", arr(3), axis=-1)
    yield call("hypot", arr(3))


def _accumulate_samples() -> Iterator[Call]:
    yield call("add", arr(2, 3, dtype="i4"))
    yield call("maximum", arr(2, 3, dtype="f4"), 1)
    yield call("multiply", arr(3, dtype="?"), dtype=np.dtype("f8"))
    yield call("subtract", arr(0))


def _reduceat_samples() -> Iterator[Call]:
    yield call("add", arr(5), np.array([0, 2, 1]))
    yield call("maximum", arr(2, 5, dtype="f4"), np.array([0, 3]), 1)
    yield call("add", arr(5, dtype="i4"), (0, 4))


def _outer_samples() -> Iterator[Call]:
    yield call("add", arr(2), arr(3, dtype="i4"))
    yield call("multiply", arr(2, 2, dtype="f4"), 2.0)
    yield call("less", arr(), arr(3))
    yield call("divmod", arr(2), arr(0, 2))


SAMPLES: dict[Op, Samples] = {
    ops.np.ufunc_reduce: _reduce_samples,
    ops.np.ufunc_accumulate: _accumulate_samples,
    ops.np.ufunc_reduceat: _reduceat_samples,
    ops.np.ufunc_outer: _outer_samples,
}
