"""Calls of the operators of `ir/ops/nn_pool.py`."""

from __future__ import annotations

from functools import partial

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _max_samples(rank: int) -> Calls:
    x = sample(2, 3, *(11, 8, 7)[:rank])
    yield (x, 3), {}
    yield (x, 2), {"stride": 1}
    yield (x, 3, 2, 1), {}
    yield (x[0], 3), {"stride": 2, "ceil_mode": True}
    yield (x, (2, 3, 2)[:rank]), {"stride": (2, 2, 1)[:rank], "padding": 1, "ceil_mode": True}
    yield (x, 2), {"dilation": 2}
    yield ((x * 10).astype(np.int32), 3), {"padding": 1}


def _avg_samples(rank: int) -> Calls:
    x = sample(2, 3, *(11, 8, 7)[:rank])
    yield (x, 3), {}
    yield (x, 3, 2, 1), {}
    yield (x, 3, 2, 1, False, False), {}
    yield (x[0].astype(np.float64), 3), {"stride": 2, "ceil_mode": True}
    yield (x, (2, 3, 2)[:rank]), {"stride": (2, 2, 1)[:rank], "padding": 1, "ceil_mode": True}
    yield (x, (2, 3, 2)[:rank]), {"stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False}


def _adaptive_samples(rank: int) -> Calls:
    x = sample(2, 3, *(11, 8, 7)[:rank])
    yield (x, 1), {}
    yield (x, (4, 3, 9)[:rank]), {}
    yield (x[0], (None, 3, 2)[:rank]), {}


SAMPLES: dict[Op, Samples] = {
    ops.nn.max_pool1d: partial(_max_samples, 1),
    ops.nn.max_pool2d: partial(_max_samples, 2),
    ops.nn.max_pool3d: partial(_max_samples, 3),
    ops.nn.max_pool1d_with_indices: partial(_max_samples, 1),
    ops.nn.max_pool2d_with_indices: partial(_max_samples, 2),
    ops.nn.max_pool3d_with_indices: partial(_max_samples, 3),
    ops.nn.avg_pool1d: partial(_avg_samples, 1),
    ops.nn.avg_pool2d: partial(_avg_samples, 2),
    ops.nn.avg_pool3d: partial(_avg_samples, 3),
    ops.nn.adaptive_avg_pool1d: partial(_adaptive_samples, 1),
    ops.nn.adaptive_avg_pool2d: partial(_adaptive_samples, 2),
    ops.nn.adaptive_avg_pool3d: partial(_adaptive_samples, 3),
    ops.nn.adaptive_max_pool1d: partial(_adaptive_samples, 1),
    ops.nn.adaptive_max_pool2d: partial(_adaptive_samples, 2),
    ops.nn.adaptive_max_pool3d: partial(_adaptive_samples, 3),
    ops.nn.adaptive_max_pool1d_with_indices: partial(_adaptive_samples, 1),
    ops.nn.adaptive_max_pool2d_with_indices: partial(_adaptive_samples, 2),
    ops.nn.adaptive_max_pool3d_with_indices: partial(_adaptive_samples, 3),
}
