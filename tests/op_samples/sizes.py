"""Calls of the operators of `ir/ops/sizes.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.sizes import BINARY, UNARY
from tests.op_samples.inputs import Call, Samples, arr, call


def _elements() -> Iterator[Call]:
    yield call(np.array(3))
    yield call(np.array([7], "u1"))
    yield call(np.array(-2.7))


def _pairs() -> Iterator[Call]:
    for a, b in ((7, 2), (0, 3), (5, 5), (2, 1)):
        yield call(a, b)


def _numbers() -> Iterator[Call]:
    for a in (1, 3, 16):
        yield call(a)


SAMPLES: dict[Op, Samples] = {
    ops.sym.size: lambda: (call(arr(2, 3), 0), call(arr(2, 0), -1)),
    ops.sym.item: lambda: (call((arr(2), arr(3)), 1),),
    ops.sym.checkpoint: lambda: (call((arr(2), None)),),
    ops.sym.element: _elements,
    ops.sym.floating: lambda: (call(np.array(-2.7)), call(arr(1, 1))),
    ops.sym.truth: lambda: (call(np.array(-2.7)), call(np.zeros((1, 1)))),
}

SAMPLES |= {getattr(ops.sym, name): _pairs for name in BINARY} | {getattr(ops.sym, name): _numbers for name in UNARY}
