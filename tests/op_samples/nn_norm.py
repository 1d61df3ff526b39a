"""Calls of the operators of `ir/ops/nn_norm.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _batch_norm_samples() -> Calls:
    x, mean, var = sample(4, 3, 5), sample(3, seed=1), abs(sample(3, seed=2))
    yield (x, mean, var), {}
    yield (x[:, :, 0], mean, var, sample(3, seed=3), sample(3, seed=4)), {"eps": 1e-3}
    yield (x.astype(np.float64), mean, var), {}


def _batch_norm_train_samples() -> Calls:
    x, mean, var = sample(4, 3, 5), sample(3, seed=1), abs(sample(3, seed=2))
    yield (x, mean, var), {}
    yield (x[:, :, 0], mean, var, sample(3, seed=3), sample(3, seed=4)), {"momentum": 0.5}
    yield (x, mean, var), {"momentum": np.array(0.25)}
    yield (x.astype(np.float64), mean, var), {}


def _layer_norm_samples() -> Calls:
    x = sample(2, 3, 4)
    yield (x, (4,)), {}
    yield (x, (3, 4), sample(3, 4, seed=1), sample(3, 4, seed=2)), {"eps": 1e-3}
    yield (x.astype(np.float64), (4,), sample(4)), {}
    yield (x[:0], (4,)), {}


def _rms_norm_samples() -> Calls:
    x = sample(2, 3, 4)
    yield (x, (4,)), {}
    yield (x, (3, 4), sample(3, 4, seed=1)), {"eps": 1e-3}


def _group_norm_samples() -> Calls:
    x = sample(2, 6, 4, 3)
    yield (x, 3), {}
    yield (x, 6, sample(6, seed=1), sample(6, seed=2)), {"eps": 1e-3}
    yield (x[:, :, 0, 0], 2), {}


SAMPLES: dict[Op, Samples] = {
    ops.nn.batch_norm: _batch_norm_samples,
    ops.nn.batch_norm_train: _batch_norm_train_samples,
    ops.nn.layer_norm: _layer_norm_samples,
    ops.nn.rms_norm: _rms_norm_samples,
    ops.nn.group_norm: _group_norm_samples,
}
