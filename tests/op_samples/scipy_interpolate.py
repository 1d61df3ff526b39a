"""Calls of the operators of `ir/ops/scipy_interpolate.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

AXES = np.arange(4.0), np.linspace(0, 1, 3), np.arange(7.0)

SAMPLES: dict[Op, Samples] = samples("grid", {"find_indices": [call(AXES, abs(matrix(3, 5))), call(AXES[:1], matrix(1, 5))]})
