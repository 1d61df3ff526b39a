"""Calls of the operators of `ir/ops/np_products.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _matmul_samples() -> Iterator[Call]:
    yield call(arr(2, 3), arr(3, 4))
    yield call(arr(3), arr(3))
    yield call(arr(3), arr(3, 2, dtype="f4"))
    yield call(arr(2, 3, dtype="i4"), arr(3, dtype="i8"))
    yield call(arr(5, 1, 2, 3), arr(4, 3, 2, dtype="f4"))
    yield call(arr(3), arr(2, 3, 4))
    yield call(arr(2, 4, 3, dtype="c8"), arr(3))
    yield call(arr(0, 3), arr(3, 2))
    yield call(arr(2, 0), arr(0, 2))
    yield call(arr(2, 2, dtype="?"), arr(2, 2, dtype="?"))
    yield call(arr(2, 2, dtype="f4"), arr(2, 2, dtype="f4"), dtype=np.dtype("f8"))


def _vecdot_samples() -> Iterator[Call]:
    yield call(arr(3), arr(3, dtype="i4"))
    yield call(arr(2, 3), arr(3, dtype="c8"))
    yield call(arr(2, 1, 3), arr(4, 3))
    yield call(arr(2, 0), arr(0))


def _matvec_samples() -> Iterator[Call]:
    yield call(arr(2, 3), arr(3, dtype="i4"))
    yield call(arr(4, 2, 3, dtype="f4"), arr(4, 3, dtype="f4"))
    yield call(arr(2, 0), arr(5, 0))


def _vecmat_samples() -> Iterator[Call]:
    yield call(arr(2), arr(2, 3, dtype="i4"))
    yield call(arr(4, 2, dtype="f4"), arr(4, 2, 3, dtype="c8"))
    yield call(arr(5, 0), arr(0, 2))


def _vecdot_axis_samples() -> Iterator[Call]:
    yield from _vecdot_samples()
    yield call(arr(3, 2), arr(3, 2), axis=0)
    yield call(arr(4, 3, 2, dtype="c8"), arr(3, 2), axis=-2)


def _dot_samples() -> Iterator[Call]:
    yield call(arr(3), arr(3, dtype="f4"))
    yield call(arr(2, 3), arr(3, dtype="i4"))
    yield call(arr(2, 3), arr(3, 4))
    yield call(arr(2, 3, 4), arr(5, 4, 2))
    yield call(arr(2, 3, dtype="f4"), 2.0)
    yield call(2, arr(2, 3, dtype="i4"))
    yield call(arr(), arr(3))
    yield call(arr(), arr(dtype="i4"))
    yield call(arr(0), arr(0))
    yield call(arr(3, dtype="?"), arr(3, dtype="?"))


def _inner_samples() -> Iterator[Call]:
    yield call(arr(3), arr(3, dtype="f4"))
    yield call(arr(2, 3), arr(3))
    yield call(arr(2, 3), arr(4, 5, 3, dtype="c8"))
    yield call(arr(2, 3, dtype="f4"), 2)
    yield call(arr(2, 0), arr(3, 0))


def _vdot_samples() -> Iterator[Call]:
    yield call(arr(3), arr(3))
    yield call(arr(2, 3, dtype="c8"), arr(3, 2))
    yield call(arr(), arr(1))
    yield call(arr(0), arr(0))


def _tensordot_samples() -> Iterator[Call]:
    yield call(arr(2, 3, 4), arr(3, 4, 5))
    yield call(arr(2, 3), arr(4, 5, dtype="f4"), 0)
    yield call(arr(2, 3), arr(3, 4), 1)
    yield call(arr(2, 3, 4), arr(4, 2, 5), ((0, -1), (1, 0)))
    yield call(arr(2, 3), arr(3, 4), axes=([1], [0]))
    yield call(arr(2, 3), arr(2, 3))
    yield call(arr(0, 3), arr(3, 2), 1)


def _kron_samples() -> Iterator[Call]:
    yield call(arr(2), arr(3, dtype="f4"))
    yield call(arr(2, 2), arr(3))
    yield call(arr(2, 3), arr(2, 2, 2))
    yield call(arr(), arr(2))


def _cross_samples() -> Iterator[Call]:
    yield call(arr(3), arr(3, dtype="i4"))
    yield call(arr(2, 3), arr(3, dtype="f4"))
    yield call(arr(3, 2), arr(2, 3), axisa=0)
    yield call(arr(4, 1, 3), arr(5, 3), axisc=0)
    yield call(arr(3, 4), arr(3, 4), axis=0)
    yield call(arr(0, 3), arr(3))


def _einsum_samples() -> Iterator[Call]:
    yield call("ij,jk->ik", arr(2, 3), arr(3, 4, dtype="f4"))
    yield call("ij,jk", arr(2, 3), arr(3, 4))
    yield call("i,i", arr(3), arr(3))
    yield call("i,i->", arr(3, dtype="i4"), arr(3, dtype="i4"))
    yield call("...ij,...jk->...ik", arr(5, 2, 3), arr(1, 3, 2))
    yield call("b...i,i->b...", arr(2, 4, 5, 3), arr(3))
    yield call("ba", arr(2, 3))
    yield call("ij,ij,j->i", arr(2, 3), arr(2, 3), arr(3), optimize=True)
    yield call("i j -> j i", arr(2, 3))
    yield call("ij,j", arr(0, 3), arr(3))
    yield call("i,j->ij", arr(1), arr(3, dtype="c8"))
    yield call("ij,ij->ij", arr(1, 3), arr(2, 1))
    yield call(arr(2, 3), [0, 1], arr(3, 4), [1, 2], [0, 2])
    yield call(arr(2, 3), [0, 1], arr(3, 4), [1, 2])
    yield call(arr(2, 3), [Ellipsis, 1], [1, Ellipsis])
    yield call("ij,jk->", arr(2, 3), arr(3, 4, dtype="i4"), dtype="f4", casting="same_kind")
    yield call("iij,j->ij", arr(2, 2, 3), arr(3))


SAMPLES: dict[Op, Samples] = {
    ops.np.vecdot: _vecdot_axis_samples,
    ops.np.dot: _dot_samples,
    ops.np.inner: _inner_samples,
    ops.np.vdot: _vdot_samples,
    ops.np.outer: lambda: (call(arr(3), arr(2, dtype="f4")), call(arr(2, 2), arr(3)), call(arr(), 2.0), call(arr(0), arr(2))),
    ops.np.tensordot: _tensordot_samples,
    ops.np.kron: _kron_samples,
    ops.np.cross: _cross_samples,
    ops.np.einsum: _einsum_samples,
}

_GUFUNCS = {"matmul": _matmul_samples, "matvec": _matvec_samples, "vecmat": _vecmat_samples}
SAMPLES |= {getattr(ops.np, name): samples for name, samples in _GUFUNCS.items() if hasattr(np, name)}
