"""Losses that are more than a short sequence of other operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.nn_base import floating, integral, operator, optional, show
from npexport.ir.ops.rules import same_sizes
from npexport.ir.raising import LOOKED_UP


@operator("nn_loss.nll_loss", raises=LOOKED_UP, rows=rows.likelihood)
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


@operator("nn_loss.ctc_loss", raises=LOOKED_UP)
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
