"""Calls of the operators of `ir/ops/nn_conv.py`."""

from __future__ import annotations

from functools import partial

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _conv_samples(rank: int) -> Calls:
    x, w = sample(2, 4, *(9, 8, 7)[:rank]), sample(6, 4, *(3, 2, 3)[:rank], seed=1)
    yield (x, w), {}
    yield (x, w, sample(6, seed=2)), {"stride": 2, "padding": 1}
    yield (x, w), {"padding": "same", "dilation": 2}
    yield (x[0], w), {"padding": (1, 0, 2)[:rank], "stride": (2, 1, 3)[:rank]}
    yield (x, w[:, :2]), {"groups": 2, "padding": "valid"}
    yield (x, sample(4, 1, *(3,) * rank)), {"groups": 4}
    yield (x, sample(8, 1, *(3,) * rank), sample(8)), {"groups": 4, "stride": 2, "padding": 1}
    yield (x.astype(np.float64), w[:, :, :1]), {}
    yield (x[:0], w), {}
    yield (x[:, :0], w[:, :0], sample(6)), {}


def _transpose_samples(rank: int) -> Calls:
    x, w = sample(2, 4, *(5, 4, 3)[:rank]), sample(4, 6, *(3, 2, 3)[:rank], seed=1)
    yield (x, w), {}
    yield (x, w, sample(6)), {"stride": 2, "padding": 1, "output_padding": 1}
    yield (x[0], w), {"dilation": 2}
    yield (x, w, sample(12)), {"groups": 2, "stride": 3}


def _unfold_samples() -> Calls:
    yield (sample(2, 3, 7, 6), 3), {}
    yield (sample(2, 3, 7, 6), (2, 3), 2, (1, 0), (2, 1)), {}
    yield (sample(3, 7, 6).astype(np.float64), 2), {"stride": 2}


def _fold_samples() -> Calls:
    yield (sample(2, 12, 20), (5, 6), 2), {}
    yield (sample(6, 8), (4, 5), (3, 2)), {"dilation": 1, "padding": (1, 0), "stride": (2, 1)}
    yield (sample(2, 8, 6), (4, 5), 2, 2, 1, 2), {}


SAMPLES: dict[Op, Samples] = {
    ops.nn.conv1d: partial(_conv_samples, 1),
    ops.nn.conv2d: partial(_conv_samples, 2),
    ops.nn.conv3d: partial(_conv_samples, 3),
    ops.nn.conv_transpose1d: partial(_transpose_samples, 1),
    ops.nn.conv_transpose2d: partial(_transpose_samples, 2),
    ops.nn.conv_transpose3d: partial(_transpose_samples, 3),
    ops.nn.unfold: _unfold_samples,
    ops.nn.fold: _fold_samples,
}
