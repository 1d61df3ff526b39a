"""Calls of the operators of `ir/ops/python_orders.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, call

_ITEMS = (
    (np.float64(2.5), np.float64(np.nan), np.float64(-1.0)), (np.int8(3), np.int8(-1)), (np.bool_(True), np.bool_(False)), (2, 1, 3),
    (2.5, float("nan"), -0.0, 0.0), (True, False), (np.float32(1),),
)  # fmt: skip


def _orders() -> Iterator[Call]:
    for keys in _ITEMS:
        yield call(keys)
        yield call(tuple((key, -place) for place, key in enumerate(keys)), True)


def _orders_of_rows() -> Iterator[Call]:
    keys = np.array([2.5, np.nan, -1.0, 2.5]), np.array([3, -1, 3, 3], np.int8), np.array([True, False, True, False])
    for each in (*keys, np.zeros(0), keys[:2], (keys[1], keys[::-1])):
        yield call(each)
        yield call(each, True)


def _ordered() -> Iterator[Call]:
    for items in _ITEMS:
        yield call(np.arange(len(items))[::-1], items)


def _sorted() -> Iterator[Call]:
    for items in _ITEMS:
        yield call(items)
        yield call(items, reverse=True)


SAMPLES: dict[Op, Samples] = {
    ops.py.order: _orders,
    ops.py.order_of_rows: _orders_of_rows,
    ops.py.in_order: _ordered,
    ops.py.sorted: _sorted,
}
