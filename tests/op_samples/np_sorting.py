"""Calls of the operators of `ir/ops/np_sorting.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, unary


def _people() -> Any:
    return np.array([(b"b", 3), (b"a", 3), (b"c", 1), (b"a", 2)], [("name", "S1"), ("age", "i8")])


def _sort_samples() -> Iterator[Call]:
    yield from ((args, kwargs) for args, kwargs in unary() if args[0].ndim)
    yield call(arr(2, 3), axis=0)
    yield call(arr(2, 3, dtype="i4"), None, kind="stable")
    yield call(arr(), axis=None)
    yield call(arr(3), stable=True)
    yield call(_people(), order="age")
    yield call(_people(), 0, "stable", order=("name", "age"))


def _argsort_samples() -> Iterator[Call]:
    yield from _sort_samples()
    yield call(arr())


def _partition_samples() -> Iterator[Call]:
    yield call(arr(5), 2)
    yield call(arr(2, 3, dtype="i4"), (0, -1), axis=1)
    yield call(arr(2, 3), 0, None)
    yield call(arr(4), [1, 2], kind="introselect")
    yield call(_people(), 1, order=["age"])


def _lexsort_samples() -> Iterator[Call]:
    yield call((arr(3), arr(3, dtype="i4")))
    yield call([arr(2, 3), arr(2, 3)], axis=0)
    yield call(arr(2, 3))
    yield call(arr(2, 3, 4), 0)


def _searchsorted_samples() -> Iterator[Call]:
    yield call(np.arange(4.0), 2)
    yield call(np.arange(4.0), arr(2, 3, dtype="i4"), side="right")
    yield call(np.arange(4), arr())
    yield call(np.arange(4.0), arr(0), "left", np.arange(4))


def _digitize_samples() -> Iterator[Call]:
    yield call(arr(2, 3), np.arange(4.0))
    yield call(arr(), np.arange(3)[::-1], right=True)
    for right in (False, True):
        yield call(arr(2, 3), np.array([7.0, 3.0, 3.0, -1.0]), right=right)
        yield call(arr(2, 3), np.array([-1.0, 3.0, 3.0, 7.0]), right=right)
    yield call(1, np.arange(3))


def _isin_samples() -> Iterator[Call]:
    yield call(arr(2, 3), arr(4))
    yield call(arr(dtype="i4"), arr(2, 2, dtype="i4"), invert=True)
    yield call(arr(3, dtype="i8"), arr(30, dtype="i8"), kind="sort")
    yield call(arr(0), 2)


def _bincount_samples() -> Iterator[Call]:
    yield call(np.array([0, 2, 2]))
    yield call(np.array([0, 2], dtype="u1"), np.array([0.5, 1]), 5)
    yield call(np.array([], dtype=int), minlength=4)
    yield call(arr(5, dtype="u1"), minlength=256)


def _histogram_samples() -> Iterator[Call]:
    yield call(arr(7))
    yield call(arr(2, 3, dtype="i4"), 4, (0.0, 5.0))
    yield call(arr(7, dtype="f4"), bins=np.arange(4.0), density=True)
    yield call(arr(7), 3, weights=arr(7, dtype="f4"))
    yield call(arr(7), [0, 1, 5])
    yield call(arr(0), 2)


def _histogramdd_samples() -> Iterator[Call]:
    yield call(arr(7, 2), 3)
    yield call(arr(7, 2, dtype="f4"), [2, np.arange(4.0)], density=True)
    yield call(arr(7, 1), (2,), ((0.0, 1.0),), weights=arr(7))
    yield call((arr(7), arr(7, dtype="f4")), 2)
    yield call(arr(7, dtype="f4"), 2, ((0.0, 1.0),))


def _histogram2d_samples() -> Iterator[Call]:
    yield call(arr(7), arr(7), 3)
    yield call(arr(7), arr(7, dtype="f4"), (2, np.arange(4.0)))
    yield call(arr(7), arr(7), np.arange(3.0), weights=arr(7))


def _unique_samples() -> Iterator[Call]:
    yield call(arr(7))
    yield call(arr(2, 3, dtype="i4"))
    yield call(arr(2, 3), True, return_counts=True)
    yield call(arr(2, 3), return_inverse=True)
    yield call(arr(3, 2), axis=0)
    yield call(arr(3, 2), return_inverse=True, axis=1)
    yield call(arr())
    yield call(arr(0), return_index=True)


def _two_sets() -> Iterator[Call]:
    yield call(arr(5), arr(3, dtype="i4"))
    yield call(arr(2, 2, dtype="i4"), arr(4, dtype="i8"))
    yield call(arr(0), arr(2))


def _vector_samples() -> Iterator[Call]:
    yield call(arr(7))
    yield call(arr(2, 3, dtype="i4"))
    yield call(arr(0))


SAMPLES: dict[Op, Samples] = {
    ops.np.sort: _sort_samples,
    ops.np.argsort: _argsort_samples,
    ops.np.partition: _partition_samples,
    ops.np.argpartition: _partition_samples,
    ops.np.lexsort: _lexsort_samples,
    ops.np.searchsorted: _searchsorted_samples,
    ops.np.digitize: _digitize_samples,
    ops.np.isin: _isin_samples,
    ops.np.bincount: _bincount_samples,
    ops.np.histogram: _histogram_samples,
    ops.np.histogram_bin_edges: lambda: (c for c in _histogram_samples() if "density" not in c[1] and "weights" not in c[1]),
    ops.np.histogramdd: _histogramdd_samples,
    ops.np.histogram2d: _histogram2d_samples,
    ops.np.unique: _unique_samples,
    ops.np.setdiff1d: _two_sets,
    ops.np.setxor1d: _two_sets,
    ops.np.unique_values: _vector_samples,
    ops.np.unique_counts: _vector_samples,
    ops.np.unique_inverse: _vector_samples,
    ops.np.unique_all: _vector_samples,
}
