"""Calls of the operators of `ir/ops/scipy_interpolate.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples, vector

AXES = np.arange(4.0), np.linspace(0, 1, 3), np.arange(7.0)

TIMES, KNOTS = np.linspace(0, 1, 9), np.concatenate([np.zeros(4), np.linspace(0.2, 0.8, 5), np.ones(4)])
BANDS = np.asfortranarray(np.ones((4, 5)) + 9 * (np.arange(4) == 2)[:, None])
_SPLINES = {
    "splev": [call(vector(6), (KNOTS, vector(13), 3)), call(matrix(2, 3), (KNOTS, vector(13), 3), der=1, ext=1)],
    "splrep": [call(TIMES, vector(9)), call(TIMES, vector(9), abs(vector(9)) + 1, k=2), call(TIMES, vector(9), xb=np.float64(-1.0), s=0.5)],
    "splint": [call(np.float64(-1.0), np.float64(0.7), KNOTS, vector(13), 3), call(0.1, np.float64(0.7), KNOTS, vector(13), 2)],
    "evaluate": [call(KNOTS, matrix(9, 2), 3, vector(6), 0, True), call(KNOTS, matrix(9, 1), 3, vector(6), 2, False)],
    "collocation": [call(TIMES, KNOTS, 3, np.zeros((9, 10)), 0)],
}
SAMPLES: dict[Op, Samples] = {
    **samples("grid", {"find_indices": [call(AXES, abs(matrix(3, 5))), call(AXES[:1], matrix(1, 5))]}),
    **samples("spline", _SPLINES),
    **samples(
        "lapack",
        {
            "gbsv": [call(1, 1, BANDS, matrix(5, 2)), call(1, 1, BANDS, matrix(5, 1).astype(complex))],
            "nrm2": [call(matrix(5, 2)[:, 0].astype(dtype)) for dtype in "fdFD"],
        },
    ),
    **samples("stats", {"kernel_estimate": [call(matrix(5, 2), matrix(5, 1), matrix(4, 2), np.eye(2), log) for log in (False, True)]}),
}
