"""Calls of the operators of `ir/ops/scipy_fft.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops import np_fft
from npexport.ir.ops.scipy_fft import _REAL
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples(name: str) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        several = name.endswith(("n", "2"))
        for dtype in ("f8", "f4", "i4") if name in _REAL else ("f8", "f4", "c8", "i4"):
            yield call(arr(4, 6, dtype=dtype))
            yield call(arr(4, 6, dtype=dtype), norm="ortho", **({"s": (3, 5)} if several else {"n": 4, "axis": 0}))
        yield call(arr(3, 4, 5), **({"axes": (0, 1)} if several else {"axis": 1}))

    return generate


SAMPLES: dict[Op, Samples] = {
    getattr(ops.scipy, name): _samples(name)
    for name in (*np_fft.ONE_AXIS, *np_fft.SEVERAL_AXES, "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn")
}
SAMPLES[ops.scipy.next_fast_len] = lambda: iter([call(11), call(22, True)])
