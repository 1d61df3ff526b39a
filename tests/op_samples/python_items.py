"""Calls of the operators of `ir/ops/python_items.py`."""

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


def _places() -> Iterator[Call]:
    for index in (0, 2, -1, -3, True):
        yield call(index, 3, "list index out of range")


def _repetitions() -> Iterator[Call]:
    for count in (0, 3, -2, 2**62):
        yield call(count)


def _of_keys() -> Iterator[Call]:
    yield call((3, 1, 2), 1, False)
    yield call((True, False), 0, False)
    yield call((3, 1), 7, True)
    yield call((3, 1), np.uint8(1), False)


def _items() -> Iterator[Call]:
    for items in _ITEMS:
        yield call(items, len(items) - 1)
    yield call((1, 2), False)


def _of_rows() -> Iterator[Call]:
    for number, count in ((3, 4), (3, 1), (7, 4), (2.0, 0)):
        yield call((np.array([1, 3, 3, 2]),), (number,), count)
    yield call((np.array([1, 3, 3]), np.array([0.5, 1.5, 2.5])), (3, np.float64(2.5)), 3)


def _rows_with() -> Iterator[Call]:
    for count, place in ((3, 1), (3, 3), (0, 0)):
        yield call(count, place)


def _rows_of_lists() -> Iterator[Call]:
    for numbers, lengths in (((0, 1), (3, 2)), ((1, 0), (2, 3)), ((0, 1), (2, 1)), ((1, 1), (1, 2)), ((), ())):
        yield call(np.array([0, 10, 1, 2, 11]), np.array(numbers, np.int64), 10, np.array(lengths, np.int64))
    yield call(np.array([3, 1, 3, 1, 2]), np.array([1, 3]), 1, np.array([2, 2]))
    yield call(np.array([2, 1]), np.array([1]), 1, np.array([2]))


def _rows_moved() -> Iterator[Call]:
    for place, to in ((0, 3), (3, 1), (2, 2), (4, 0), (1, -1)):
        yield call(np.arange(8.0).reshape(4, 2), place, to)
    yield call(np.arange(3, dtype=np.int8), 1, 2)


SAMPLES: dict[Op, Samples] = {
    ops.py.place: _places,
    ops.py.repetitions: _repetitions,
    ops.py.key_place: _of_keys,
    ops.py.item: _items,
    ops.py.row_place: _of_rows,
    ops.py.rows_with: _rows_with,
    ops.py.list_rows: _rows_of_lists,
    ops.py.row_moved: _rows_moved,
}
