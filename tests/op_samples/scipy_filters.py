"""Calls of the operators of `ir/ops/scipy_filters.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, arr, call

_F8, _F4, _I8 = (np.dtype(name) for name in ("f8", "f4", "i8"))
_SHAPE = (4, 6)
_CALLS = {
    "correlate1d": [(arr(*_SHAPE), arr(3), 1, 2, 0.0, 0, _SHAPE, _F8), (arr(*_SHAPE, dtype="i8"), arr(3), 0, 3, 1.5, 0, _SHAPE, _F4)],
    "correlate": [
        (arr(*_SHAPE), arr(3, 3), 2, 0.0, (0, 0), _SHAPE, _F8),
        (arr(*_SHAPE, dtype="f4"), arr(2, 3), 0, 0.5, (0, 1), _SHAPE, _I8),
    ],
    "uniform_filter1d": [(arr(*_SHAPE), 3, 1, 2, 0.0, 0, _SHAPE, _F8)],
    "min_or_max_filter1d": [(arr(*_SHAPE), 3, 0, 2, 0.0, 0, 1, _SHAPE, _F8), (arr(*_SHAPE), 3, 1, 2, 0.0, 1, 0, _SHAPE, _F4)],
    "min_or_max_filter": [(arr(*_SHAPE), np.ones((3, 3), bool), None, 2, 0.0, (0, 0), 1, _SHAPE, _F8)],
    "rank_filter": [(arr(*_SHAPE), 4, np.ones((3, 3), bool), 2, 0.0, (0, 0), _SHAPE, _F8)],
    "spline_filter1d": [(arr(*_SHAPE), 3, 1, 3, _SHAPE, _F8)],
    "geometric_transform": [
        (arr(*_SHAPE), None, arr(2, 5), None, None, 1, 2, 0.0, 0, None, None, (5,), _F8),
        (arr(*_SHAPE), None, None, np.eye(2) * 0.5, np.ones(2), 1, 3, 0.0, 0, None, None, _SHAPE, _F8),
    ],
    "zoom_shift": [(arr(*_SHAPE), np.array([0.5, 0.7]), None, 1, 2, 0.0, 0, False, (3, 4), _F8)],
    "rank_filter1d": [(arr(7), 1, 3, 2, np.float64(0), 0, (7,), _F8)],
    "correlate_nd": [(arr(*_SHAPE), arr(2, 3), 1, (3, 4), _F8)],
    "ppoly_evaluate": [
        (arr(4, 5, 2), np.arange(6.0), arr(7) * 9, 0, True, (7, 2), _F8),
        (arr(4, 5, 2), np.arange(6.0), arr(7) * 9, 1, False, (7, 2), _F8),
    ],
    "ppoly_integrate": [(arr(4, 5, 2), np.arange(6.0), 0.5, 7.0, True, (2,), _F8)],
    "grid_evaluate_linear": [
        (arr(3, 4), np.array([[0, 1], [2, 0]]), arr(2, 2), (np.arange(3.0), np.arange(4.0)), (2,), _F8),
    ],
    "linear_filter": [(arr(3), arr(2) + 1, arr(*_SHAPE), 1), (arr(2), arr(3) + 1, arr(*_SHAPE), 0, arr(2, 6))],
}
SAMPLES: dict[Op, Samples] = {
    getattr(ops.scipy, name): (lambda calls=calls: iter([call(*given) for given in calls])) for name, calls in _CALLS.items()
}
