"""Calls of the operators of `ir/ops/scipy_ndimage.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

BITS, CROSS = matrix(6, 7) > 0, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
_EACH = [call(BITS), call(BITS.astype("i4")), call(BITS, np.ones((2, 3), bool)), call(BITS[0])]

_DISTANCES = [call(BITS), call(BITS.astype("i4")), call(BITS, return_indices=True), call(BITS, return_distances=False, return_indices=True)]
SPECTRUM = matrix(4, 6)

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
        "label": [call(BITS), call(BITS.astype("f4"), np.ones((3, 3))), call(BITS[0])],
        "distance_transform_edt": [*_DISTANCES, call(BITS, sampling=(0.5, 2.0)), call(BITS, 2.0)],
        "distance_transform_cdt": [*_DISTANCES, call(BITS, "taxicab")],
        "distance_transform_bf": [*_DISTANCES, call(BITS, "taxicab"), call(BITS, sampling=(0.5, 2.0))],
        "fourier_gaussian": [call(SPECTRUM, 1.5), call(SPECTRUM.astype("c16"), (1.0, 2.0)), call(SPECTRUM.astype("f4"), 1.0, 9)],
        "fourier_uniform": [call(SPECTRUM, 3), call(SPECTRUM.astype("c16"), 2)],
        "fourier_ellipsoid": [call(SPECTRUM, 3), call(SPECTRUM.astype("c16"), 2)],
        "fourier_shift": [call(SPECTRUM, 0.5), call(SPECTRUM.astype("c16"), (1.0, 2.0))],
    },
)
