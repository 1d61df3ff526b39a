"""Calls of the operators of `ir/ops/np_scatter.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call, mask, positions


def _copyto_samples() -> Iterator[Call]:
    yield call(arr(2, 3), arr(3))
    yield call(arr(2, 3, dtype="f4"), 2, where=mask(2, 3))
    yield call(arr(2, 3, dtype="i4"), arr(2, 1), casting="unsafe", where=mask(3))
    yield call(arr(), arr())


def _put_samples() -> Iterator[Call]:
    yield call(arr(2, 3), positions(3, below=6), arr(3))
    yield call(arr(4, dtype="i4"), positions(4, below=4), 7)
    yield call(arr(4), 9, 1.0, mode="wrap")
    yield call(arr(4), positions(3, below=4), arr(2))


def _masked_samples() -> Iterator[Call]:
    yield call(arr(2, 3), mask(2, 3), arr(4))
    yield call(arr(3, dtype="i4"), mask(3), arr(2, dtype="i2"))
    yield call(arr(3, dtype="f4"), mask(3), 2)


def _along_samples() -> Iterator[Call]:
    yield call(arr(4), positions(3, below=4), arr(3), 0)
    yield call(arr(2, 3), positions(2, 2, below=3), 5, axis=1)
    yield call(arr(2, 3), positions(4, below=6), arr(1), None)


def _fill_diagonal_samples() -> Iterator[Call]:
    yield call(arr(3, 3), 1)
    yield call(arr(4, 2, dtype="i4"), arr(2), wrap=True)
    yield call(arr(2, 2, 2), 7)


def _at_samples() -> Iterator[Call]:
    yield call("add", arr(4), positions(5, below=4), 1)
    yield call("maximum", arr(2, 3), (positions(2, below=2), slice(None)), arr(3))
    yield call("negative", arr(4), positions(2, below=4))
    yield call("add", arr(2, 3), slice(None), arr(2, 3, dtype="f4"))


def _where_samples() -> Iterator[Call]:
    yield call("add", arr(2, 3), mask(2, 3), arr(3), 2)
    yield call("divide", arr(2, 3, dtype="f4"), mask(3), arr(2, 1, dtype="f4"), arr(3, dtype="f4"))
    yield call("sqrt", arr(2, 2), mask(2, 2), arr(2))
    yield call("less", np.zeros((3,), bool), mask(3), arr(3, dtype="i4"), 1.5)
    yield call("multiply", arr(3, dtype="i4"), mask(3), arr(3), 2.5, casting="unsafe")
    yield call("add", arr(), mask(), arr(), 1)


def _set_flat_samples() -> Iterator[Call]:
    yield call(arr(2, 3), 4, 1.5)
    yield call(arr(2, 3), slice(1, None, 2), arr(3))
    yield call(arr(2, 3, dtype="i4"), positions(2, 2, below=6), arr(2, dtype="i4"))
    yield call(arr(2, 3), mask(6), 7)
    yield call(arr(), 0, 2.0)


def _set_part_samples() -> Iterator[Call]:
    for part in ("real", "imag"):
        yield call(arr(2, 3, dtype="c16"), part, arr(2, 3))
        yield call(arr(2, 3, dtype="c8"), part, arr(3, dtype="f4"))
        yield call(arr(dtype="c16"), part, 2.5)
    yield call(arr(2, 3), "real", arr(2, 3))


SAMPLES: dict[Op, Samples] = {
    ops.np.copyto: _copyto_samples,
    ops.np.put: _put_samples,
    ops.np.putmask: _masked_samples,
    ops.np.place: _masked_samples,
    ops.np.put_along_axis: _along_samples,
    ops.np.fill_diagonal: _fill_diagonal_samples,
    ops.np.set_flat: _set_flat_samples,
    ops.np.set_part: _set_part_samples,
    ops.np.ufunc_at: _at_samples,
    ops.np.ufunc_where: _where_samples,
}
