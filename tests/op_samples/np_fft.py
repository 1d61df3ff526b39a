"""Calls of the operators of `ir/ops/np_fft.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.np_fft import ONE_AXIS, SEVERAL_AXES
from tests.op_samples.inputs import Call, Samples, arr, call


def _dtypes(name: str) -> tuple[str, ...]:
    return ("f8", "f4", "i4") if name.startswith(("rfft", "ihfft")) else ("f8", "f4", "c8", "i4")


def _one_axis_samples(name: str) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        for dtype in _dtypes(name):
            yield call(arr(6, dtype=dtype))
            yield call(arr(2, 5, dtype=dtype), 4)
            yield call(arr(4, 3, dtype=dtype), axis=0, norm="ortho")
        yield call(arr(2), 7)

    return generate


def _several_samples(name: str) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        for dtype in _dtypes(name):
            yield call(arr(4, 6, dtype=dtype))
            yield call(arr(3, 4, 5, dtype=dtype), axes=(0, 1))
            yield call(arr(3, 4, 5, dtype=dtype), (2, 6), (1, 2), norm="forward")
        yield call(arr(2, 3, 4), axes=(-1,))

    return generate


SAMPLES: dict[Op, Samples] = {
    **{getattr(ops.np, name): _one_axis_samples(name) for name in ONE_AXIS},
    **{getattr(ops.np, name): _several_samples(name) for name in SEVERAL_AXES},
}
