"""Calls of the operators of `ir/ops/nn_resample.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _interpolate_samples() -> Calls:
    x = sample(2, 3, 5, 7)
    for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        yield (x, (8, 4), mode), {}
        yield (x.astype(np.float64), (8, 4), mode), {"scales": (1.7, None)}
    yield (x, (8, 4), "bilinear", True), {}
    yield (x, (3, 14), "bicubic", True), {}
    yield (x, (3, 14), "bilinear"), {"antialias": True}
    yield (x, (3, 14), "lanczos"), {"antialias": True}
    yield (x[0], 4, "linear"), {}
    yield (x[:, :, None], (2, 5, 3), "trilinear"), {}
    yield ((x * 9).astype(np.uint8), (5, 7)), {}


def _grid_samples() -> Calls:
    x, grid = sample(2, 3, 5, 7), sample(2, 4, 6, 2, seed=1)
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding_mode in ("zeros", "border", "reflection"):
            yield (x, grid, mode, padding_mode), {}
    yield (x, grid), {"align_corners": True}
    yield (sample(2, 3, 4, 5, 6).astype(np.float64), sample(2, 2, 3, 4, 3).astype(np.float64)), {}


SAMPLES: dict[Op, Samples] = {
    ops.nn.interpolate: _interpolate_samples,
    ops.nn.grid_sample: _grid_samples,
}
