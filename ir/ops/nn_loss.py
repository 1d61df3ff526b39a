"""Losses that are no short sequence of other operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.nn_base import Samples, floating, integral, operator, optional, sample, show
from npexport.ir.ops.rules import same_sizes
from npexport.ir.raising import LOOKED_UP


def _nll_samples() -> Samples:
    x, weight = sample(4, 3, 2), abs(sample(3, seed=1))
    target = np.array([[0, 2], [1, 1], [-100, 2], [0, 0]])
    yield (x, target), {}
    yield (x, target, weight), {}
    yield (x[:, :, 0].astype(np.float64), np.array([0, 1, 2, 1])), {"ignore_index": 1}
    yield (x[0, :, 0], np.array(2), weight), {}
    yield (x[:0], target[:0]), {}


@operator("nn_loss.nll_loss", _nll_samples, raises=LOOKED_UP)
def nll_loss(input: Any, target: Any, weight: Any = None, ignore_index: Any = -100) -> tuple[TensorMeta, TensorMeta]:
    """``-input[n, target[n]] * weight[target[n]]`` for ``(N, C, ...)`` or ``(C,)``, and the
    weights: 0 at ``ignore_index``.

    Running it raises ``IndexError`` for any other target that is not in ``range(C)``.
    """
    x, t = floating(input, "nll_loss"), integral(target, "nll_loss", "target")
    if x.ndim < 1:
        raise ValueError("nll_loss: input must have at least one dimension")
    axis = 0 if x.ndim == 1 else 1
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    if not same_sizes(t.shape, shape):
        raise ValueError(f"nll_loss: input of shape {show(x.shape)} needs a target of shape {show(shape)}, not {show(t.shape)}")
    dtype = np.result_type(x.dtype, *optional(weight, (x.shape[axis],), "nll_loss", "weight"))
    result = TensorMeta(shape, dtype, scalar=not shape)
    return result, result


def _ctc_samples() -> Samples:
    scores = sample(7, 2, 4)
    log_probs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    lengths, counts = np.array([7, 5]), np.array([3, 2])
    yield (log_probs, np.array([[1, 1, 3], [2, 1, 1]]), lengths, counts), {}
    yield (log_probs.astype(np.float64), np.array([1, 1, 3, 2, 1]), lengths, counts), {}
    yield (log_probs[:, 0], np.array([0, 2]), np.array(7), np.array(2)), {"blank": 1}
    yield (log_probs, np.array([[1, 1, 3], [2, 1, 1]]), lengths, np.array([0, 3])), {}


@operator("nn_loss.ctc_loss", _ctc_samples, raises=LOOKED_UP)
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0) -> TensorMeta:
    """Minus the log-probability of each target sequence, summed over its alignments with the steps.

    ``log_probs`` is ``(T, N, C)``, ``targets`` ``(N, S)`` or all of them one after the other, the
    lengths ``(N,)``; ``N`` may be left out.
    """
    x, _ = floating(log_probs, "ctc_loss", "log_probs"), integral(targets, "ctc_loss", "targets")
    if x.ndim not in (2, 3):
        raise ValueError(f"ctc_loss: log_probs must have 3 dimensions, or 2 without a batch, got shape {show(x.shape)}")
    if not 0 <= blank < x.shape[-1]:
        raise ValueError(f"ctc_loss: blank must be in range({x.shape[-1]}), got {blank}")
    for name, value in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        lengths = integral(value, "ctc_loss", name)
        if x.ndim == 3 and not (lengths.ndim == 1 and lengths.shape[0] == x.shape[1]):
            raise ValueError(f"ctc_loss: {name} must have shape ({x.shape[1]},), not {show(lengths.shape)}")
    return TensorMeta(x.shape[1:-1], x.dtype, scalar=x.ndim == 2)
