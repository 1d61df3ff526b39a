"""Calls of the operators of `ir/ops/scipy_special.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops import scipy_special  # noqa: F401  registers them
from tests.op_samples.inputs import Call, Samples, arr


def _samples(ufunc: np.ufunc) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        real = [types for types in ufunc.types if not {*"FDG"} & {*types}]
        dtypes = (real or ufunc.types)[-1].partition("->")[0].replace("D", "d")
        for shape in ((3,), (), (0, 2), (2, 1)):
            yield tuple(arr(*shape, dtype=dtype) for dtype in dtypes), {}

    return generate


SAMPLES: dict[Op, Samples] = {op: _samples(op.kernel) for op in ops.REGISTRY if op.namespace == "scipy" and isinstance(op.kernel, np.ufunc)}
