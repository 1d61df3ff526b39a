"""Calls of the operators of `ir/ops/nn_linear.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _linear_samples() -> Calls:
    x, w, b = sample(2, 3, 4), sample(5, 4, seed=1), sample(5, seed=2)
    yield (x, w, b), {}
    yield (x[0, 0], w), {}
    yield (x.astype(np.float64), w, b), {}
    yield (x[:, :0], w), {"bias": b}


def _embedding_samples() -> Calls:
    yield (np.array([[0, 2], [1, 1]]), sample(3, 4)), {}
    yield (np.array(2, np.int32), sample(3, 4)), {}
    yield (np.zeros((0, 2), np.int64), sample(3, 4)), {}


def _bag_samples() -> Calls:
    table, indices, starts = sample(5, 3), np.array([0, 2, 4, 4, 1, 0]), np.array([0, 2, 2, 5])
    for mode in ("sum", "mean", "max"):
        yield (indices, table, starts, mode), {}
        yield (indices.reshape(2, 3), table, None, mode), {"padding_idx": 4}
        yield (indices, table, np.append(starts, 6), mode), {"include_last_offset": True, "padding_idx": 0}
    yield (indices, table, starts.astype(np.int32), "sum", sample(6)), {}
    yield (indices.reshape(2, 3), table.astype(np.float64), None, "sum", sample(2, 3).astype(np.float64)), {}


def _one_hot_samples() -> Calls:
    yield (np.array([[0, 2], [1, 1]]), 3), {}
    yield (np.array(1),), {"num_classes": 2}


def _attention_samples() -> Calls:
    q, k, v = sample(2, 4, 5, 8), sample(2, 4, 6, 8, seed=1), sample(2, 4, 6, 3, seed=2)
    yield (q, k, v), {}
    yield (q, k, v), {"is_causal": True}
    yield (q, k, v, sample(5, 6) > 0), {}
    yield (q, k, v, sample(2, 1, 5, 6)), {"scale": 0.5}
    yield (q, k[:, :2], v[:, :2]), {"enable_gqa": True}
    yield (q[0, 0], k[0, 0], v[0, 0]), {}


SAMPLES: dict[Op, Samples] = {
    ops.nn.linear: _linear_samples,
    ops.nn.embedding: _embedding_samples,
    ops.nn.embedding_bag: _bag_samples,
    ops.nn.one_hot: _one_hot_samples,
    ops.nn.scaled_dot_product_attention: _attention_samples,
}
