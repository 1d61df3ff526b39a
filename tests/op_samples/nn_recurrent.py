"""Calls of the operators of `ir/ops/nn_recurrent.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _samples(gates: int, states: int) -> Calls:
    x, h = sample(5, 2, 3), [sample(2, 4, seed=seed) for seed in range(1, states + 1)]
    w_ih, w_hh, b_ih, b_hh = sample(4 * gates, 3), sample(4 * gates, 4), sample(4 * gates), sample(4 * gates, seed=3)
    yield (x, *h, w_ih, w_hh, b_ih, b_hh), {}
    yield (x, *h, w_ih.astype(np.float64), w_hh), {}
    yield (x[:, 0], *[state[0] for state in h], w_ih, w_hh, b_ih, b_hh), {}
    yield (x[:0], *h, w_ih, w_hh), {}


def _rnn_samples() -> Calls:
    yield from _samples(1, 1)
    yield next(iter(_samples(1, 1)))[0], {"nonlinearity": "relu"}


def _lstm_samples() -> Calls:
    yield from _samples(4, 2)
    projected = sample(2, 3, seed=7)
    yield (sample(5, 2, 3), projected, sample(2, 4), sample(16, 3), sample(16, 3, seed=1)), {"weight_hr": sample(3, 4)}


SAMPLES: dict[Op, Samples] = {
    ops.nn.rnn: _rnn_samples,
    ops.nn.gru: lambda: _samples(3, 1),
    ops.nn.lstm: _lstm_samples,
}
