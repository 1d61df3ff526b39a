"""Calls of the operators of `ir/ops/np_linalg.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, arr, call


def _invertible(*stack: int, n: int = 3, dtype: str = "f8") -> Any:
    return (arr(*stack, n, n) % 3 + 5 * np.eye(n)).astype(dtype)


def _symmetric(*stack: int, n: int = 3, dtype: str = "f8") -> Any:
    a = _invertible(*stack, n=n)
    return (a + np.swapaxes(a, -1, -2)).astype(dtype)


def _square_samples(**options: Any) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        for stack, n, dtype in (((), 3, "f8"), ((2,), 3, "f4"), ((), 1, "i4"), ((2, 0), 2, "f8"), ((), 2, "c8"), ((), 0, "f8")):
            yield call(_symmetric(*stack, n=n, dtype=dtype), **options)

    return generate


def _tall_samples() -> Iterator[Call]:
    for shape, dtype in (((3, 2), "f8"), ((2, 3), "f4"), ((4, 2, 2), "i4"), ((2, 3, 2), "c8")):
        yield call(arr(*shape, dtype=dtype))


def _qr_samples() -> Iterator[Call]:
    for args, _ in _tall_samples():
        for mode in ("reduced", "complete", "r", "raw"):
            yield call(*args, mode)


def _svd_samples() -> Iterator[Call]:
    for args, _ in _tall_samples():
        yield call(*args)
        yield call(*args, full_matrices=False)
        yield call(*args, compute_uv=False)
    yield call(_symmetric(), hermitian=True)
    yield call(_symmetric(), compute_uv=False, hermitian=True)


def _complex_samples() -> Iterator[Call]:
    yield call(_invertible(dtype="c16"))
    yield call(_invertible(2, n=2, dtype="c8"))


def _solve_samples() -> Iterator[Call]:
    yield call(_invertible(), arr(3))
    yield call(_invertible(), arr(3, 2, dtype="f4"))
    yield call(_invertible(2, dtype="f4"), arr(3, 4, dtype="f4"))
    yield call(_invertible(2), arr(5, 1, 3, 1))
    yield call(_invertible(dtype="i4"), arr(3, dtype="c8"))
    yield call(np.zeros((0, 0)), arr(0, 2))


def _lstsq_samples() -> Iterator[Call]:
    yield call(arr(4, 2), arr(4))
    yield call(arr(4, 2, dtype="f4"), arr(4, 3, dtype="f4"), None)
    yield call(arr(2, 3), arr(2), rcond=1e-6)


def _trace_samples() -> Iterator[Call]:
    yield call(arr(2, 3))
    yield call(arr(2, 3, 4, dtype="u1"), 1, 0, 2)
    yield call(arr(2, 3, dtype="?"), offset=-9)
    yield call(arr(2, 2), dtype=np.dtype("f4"))


def _power_samples() -> Iterator[Call]:
    for n in (0, 1, 3, -1):
        yield call(_invertible(), n)
        yield call(_invertible(2, dtype="f4"), n)
    yield call(_invertible(dtype="i4"), 2)


def _cond_samples() -> Iterator[Call]:
    for p in (None, 2, -2, 1, np.inf, "fro"):
        yield call(_invertible(), p)
        yield call(_invertible(2, n=2, dtype="f4"), p)
    yield call(_invertible(dtype="c8"))
    yield call(arr(4, 2))


def _polyfit_samples() -> Iterator[Call]:
    yield call(arr(6), arr(6, dtype="f4"), 2)
    yield call(arr(6), arr(6, 3), 1, w=arr(6) + 4)
    yield call(arr(6, dtype="f4"), arr(6, dtype="c8"), 0)
    yield call(arr(6), arr(6, dtype="f4"), 2, cov=True)
    yield call(arr(6), arr(6), 1, cov="unscaled")


SAMPLES: dict[Op, Samples] = {
    ops.np.inv: _square_samples(),
    ops.np.det: _square_samples(),
    ops.np.slogdet: _square_samples(),
    ops.np.cholesky: _square_samples(),
    ops.np.qr: _qr_samples,
    ops.np.svd: _svd_samples,
    ops.np.svdvals: _tall_samples,
    ops.np.eigh: _square_samples(),
    ops.np.eigvalsh: _square_samples(),
    ops.np.eigvals: _complex_samples,
    ops.np.eig: _complex_samples,
    ops.np.solve: _solve_samples,
    ops.np.lstsq: _lstsq_samples,
    ops.np.trace: _trace_samples,
    ops.np.matrix_power: _power_samples,
    ops.np.pinv: _tall_samples,
    ops.np.cond: _cond_samples,
    ops.np.polyfit: _polyfit_samples,
}
