"""Calls of the operators of `ir/ops/np_series.py`."""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.np_series import BASES
from tests.op_samples.inputs import Call, Samples, arr, call


def _series_samples() -> Iterator[Call]:
    for module in ("polynomial", "hermite_e"):
        for form in ("add", "sub", "mul", "div"):
            yield call((arr(4), arr(2) + 1), module, BASES[module] + form)
        for form in ("mulx", "fromroots", "companion"):
            yield call((arr(3) + 1,), module, BASES[module] + form)
        yield call((arr(3),), module, f"{BASES[module]}pow", 2)
    yield call((arr(3, dtype="f4"), arr(4, dtype="c8")), "chebyshev", "chebmul")
    yield call((arr(3, dtype="c16") + 1,), "legendre", "legroots")
    yield call((arr(4, dtype="i4"),), "laguerre", "poly2lag")
    yield call((arr(4) + 1, arr(2) + 1), "numpy", "polydiv")
    yield call((arr(4, dtype="c16") + 1,), "numpy", "roots")


SAMPLES: dict[Op, Samples] = {
    ops.np.series: _series_samples,
}
