"""Calls of the operators of `ir/ops/scipy_ndimage.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

BITS, CROSS = matrix(6, 7) > 0, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
_EACH = [call(BITS), call(BITS.astype("i4")), call(BITS, np.ones((2, 3), bool)), call(BITS[0])]

SAMPLES: dict[Op, Samples] = samples(
    "ndimage",
    {
        "binary_erosion": [*_EACH, call(BITS, CROSS, 2, border_value=1), call(BITS, mask=~BITS, origin=(0, 1))],
        "binary_dilation": [*_EACH, call(BITS, iterations=-1, mask=BITS)],
        "binary_opening": _EACH,
        "binary_closing": [*_EACH, call(BITS, CROSS, 2)],
        "binary_propagation": [*_EACH, call(BITS, mask=BITS)],
        "binary_fill_holes": _EACH,
        "binary_hit_or_miss": [call(BITS), call(BITS, CROSS, ~CROSS)],
    },
)
