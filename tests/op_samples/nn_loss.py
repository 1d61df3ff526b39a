"""Calls of the operators of `ir/ops/nn_loss.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _nll_samples() -> Calls:
    x, weight = sample(4, 3, 2), abs(sample(3, seed=1))
    target = np.array([[0, 2], [1, 1], [-100, 2], [0, 0]])
    yield (x, target), {}
    yield (x, target, weight), {}
    yield (x[:, :, 0].astype(np.float64), np.array([0, 1, 2, 1])), {"ignore_index": 1}
    yield (x[0, :, 0], np.array(2), weight), {}
    yield (x[:0], target[:0]), {}


def _ctc_samples() -> Calls:
    scores = sample(7, 2, 4)
    log_probs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    lengths, counts = np.array([7, 5]), np.array([3, 2])
    yield (log_probs, np.array([[1, 1, 3], [2, 1, 1]]), lengths, counts), {}
    yield (log_probs.astype(np.float64), np.array([1, 1, 3, 2, 1]), lengths, counts), {}
    yield (log_probs[:, 0], np.array([0, 2]), np.array(7), np.array(2)), {"blank": 1}
    yield (log_probs, np.array([[1, 1, 3], [2, 1, 1]]), lengths, np.array([0, 3])), {}


SAMPLES: dict[Op, Samples] = {
    ops.nn.nll_loss: _nll_samples,
    ops.nn.ctc_loss: _ctc_samples,
}
