"""Calls of the operators of `ir/ops/scipy_optimize.py`."""

from __future__ import annotations

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples, vector

A, T = matrix(4, 4), matrix(5, 3)

SAMPLES: dict[Op, Samples] = samples(
    "optimize",
    {
        "linear_sum_assignment": [call(A), call(T), call(T.T, maximize=True), call(A.astype("f4")), call((A * 9).astype(int))],
        "nnls": [call(A, vector(4)), call(T, vector(5)), call(T.T, vector(3))],
    },
)
