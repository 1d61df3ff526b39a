"""Calls of the operators of `ir/ops/np_elementwise.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.np_elementwise import UFUNCS
from tests.op_samples.inputs import Call, Samples, arr

_UNARY_OPERANDS = (
    *(arr(2, 3, dtype=dtype) for dtype in ("?", "u1", "i4", "i8", "f2", "f4", "f8", "c8", "c16")),
    np.array([1, 2], "m8[s]"),
    arr(dtype="f4"),
    arr(0, 3, dtype="f8"),
    arr(dtype="i8")[()],
    2,
)

_BINARY_OPERANDS = (
    *product(
        (arr(2, 3, dtype="f4"), arr(3, dtype="i4"), arr(2, 1, dtype="u1"), arr(3, dtype="?"), arr(1, dtype="c8"), arr(dtype="f8")), repeat=2
    ),
    *product((arr(3, dtype="f4"), arr(dtype="i4")), (2, 2.5, True, 1j, np.float64(2), np.int8(3))),
    (7, arr(3, dtype="i2")),
    (arr(2, 0, 3, dtype="f8"), arr(1, 3, dtype="f8")),
    (arr(0, dtype="i4"), arr(1, dtype="f4")),
)


def _samples(ufunc: np.ufunc) -> Callable[[], Iterator[Call]]:
    """Those of the operands above that the ufunc has a loop for."""

    def generate() -> Iterator[Call]:
        for operands in _BINARY_OPERANDS if ufunc.nin == 2 else ((x,) for x in _UNARY_OPERANDS):
            try:
                with np.errstate(all="ignore"):
                    ufunc(*operands)
            except (TypeError, ValueError):  # no loop, or an integer to a negative power
                continue
            yield tuple(operands), {}
        if "d" * ufunc.nin + "->d" in ufunc.types:
            yield tuple(arr(3, dtype="f4") for _ in range(ufunc.nin)), {"dtype": np.dtype("f8")}

    return generate


SAMPLES: dict[Op, Samples] = {getattr(ops.np, name): _samples(getattr(np, name)) for name in UFUNCS}
SAMPLES[ops.np.power_of] = lambda: iter([((arr(2, 3, dtype=dtype), number), {}) for dtype in ("f8", "c16") for number in (2, -1, 0.5, 3)])
