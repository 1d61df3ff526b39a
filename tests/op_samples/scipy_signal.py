"""Calls of the operators of `ir/ops/scipy_signal.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

X, Y = matrix(6, 7), matrix(3, 2)
SECTIONS = np.array([[1.0, 2, 1, 1, -0.5, 0.2], [1, 0, 1, 1, 0.3, 0.1]])

SAMPLES: dict[Op, Samples] = samples(
    "signal",
    {
        "convolve2d": [
            *[call(X, Y, mode, boundary) for mode in ("full", "same", "valid") for boundary in ("fill", "wrap", "symm")],
            call(Y, X, "same"),
            call(Y, X, "valid"),
            call(X.astype("i4"), Y.astype("i4"), fillvalue=2),
            call(X.astype("f4"), Y + 1j),
        ],
        "sosfilt": [
            call(SECTIONS, X),
            call(SECTIONS, X.astype("f4"), axis=0),
            call(SECTIONS.astype("f4"), X.astype("f4")[0]),
            call(SECTIONS, X[0], zi=matrix(2, 2)),
            call(SECTIONS, X, zi=matrix(2, 12).reshape(2, 6, 2) + 1j),
            call(SECTIONS, X.astype("f4"), 0, matrix(2, 14).reshape(2, 2, 7)),
        ],
        "upfirdn": [call(X[0], X), call(X[0, :3], X, 3, 2, axis=0), call(X[0], X[1] + 1j, down=3), call(X[0, :1], X[0, :1], 2)],
        "medfilt2d": [call(X), call(X.astype("f4"), 5), call((X * 9).astype("u1"), (3, 1))],
    },
)
WAVE, TOPS = np.sin(np.arange(30.0) ** 1.4), np.array([2, 10, 20])

SAMPLES |= samples(
    "peaks",
    {
        "local_maxima_1d": [call(WAVE), call(WAVE.round()), call(WAVE[:0]), call(WAVE[:2])],
        "select_by_peak_distance": [call(TOPS, WAVE[TOPS], 9.0)],
        "peak_prominences": [call(WAVE, TOPS, -1), call(WAVE, TOPS, 5)],
        "peak_widths": [call(WAVE, TOPS, 0.5, abs(WAVE[TOPS]), TOPS - 2, TOPS + 2)],
    },
)
