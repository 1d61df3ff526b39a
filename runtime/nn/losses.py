"""Losses and similarities: plain NumPy over the operators of ``nn``, with torch's names, argument order and defaults."""

from __future__ import annotations

import numpy as np

from npexport.ir.ops import nn as ops


def _reduced(loss, reduction):
    if reduction == "mean":
        return np.mean(loss)
    if reduction == "sum":
        return np.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction!r} is not a valid value for reduction: 'none', 'mean' or 'sum'")


def mse_loss(input, target, *, reduction="mean"):
    """``(input - target) ** 2``."""
    return _reduced(np.square(input - target), reduction)


def l1_loss(input, target, *, reduction="mean"):
    """``abs(input - target)``."""
    return _reduced(np.abs(input - target), reduction)


def smooth_l1_loss(input, target, *, reduction="mean", beta=1.0):
    """Squared below ``beta``, linear above."""
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    error = np.abs(input - target)
    return _reduced(np.where(error < beta, 0.5 * error * error / beta, error - 0.5 * beta), reduction)


def huber_loss(input, target, *, reduction="mean", delta=1.0):
    """Squared below ``delta``, linear above, ``delta`` times ``smooth_l1_loss``."""
    error = np.abs(input - target)
    return _reduced(np.where(error <= delta, 0.5 * error * error, delta * (error - 0.5 * delta)), reduction)


def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """``-input[n, target[n]]`` of log-probabilities ``(N, C, ...)`` or ``(C,)``; targets equal to ``ignore_index`` do not count."""
    axis = 0 if input.ndim == 1 else 1
    counted = target != ignore_index
    classes = np.where(counted, target, 0)
    picked = np.squeeze(np.take_along_axis(input, np.expand_dims(classes, axis), axis), axis)
    factor = counted.astype(input.dtype)
    if weight is not None:
        factor = factor * weight[classes]
    loss = np.where(counted, -picked * factor, np.zeros((), input.dtype))
    if reduction == "mean":
        return np.sum(loss) / np.sum(factor)
    return _reduced(loss, reduction)


def cross_entropy(input, target, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """``nll_loss`` of the log-softmax of ``input`` ``(N, C, ...)`` or ``(C,)``; floating targets are class probabilities."""
    axis = 0 if input.ndim == 1 else 1
    log_probabilities = ops.log_softmax(input, axis)
    classes = input.shape[axis]
    column = None if weight is None else weight.reshape(-1, *(1,) * (input.ndim - axis - 1))
    if target.dtype.kind == "f":
        target = target * (1 - label_smoothing) + label_smoothing / classes
        terms = target * log_probabilities
        loss = -np.sum(terms if column is None else terms * column, axis=axis)
        return np.sum(loss) / (loss.size or 1) if reduction == "mean" else _reduced(loss, reduction)
    hard = nll_loss(log_probabilities, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0.0:
        return hard
    counted = target != ignore_index
    smooth = -np.sum(log_probabilities if column is None else log_probabilities * column, axis=axis) * counted
    if reduction == "mean":
        factor = counted.astype(input.dtype) if weight is None else weight[np.where(counted, target, 0)] * counted
        smooth = np.sum(smooth) / np.sum(factor)
    else:
        smooth = _reduced(smooth, reduction)
    return (1 - label_smoothing) * hard + label_smoothing / classes * smooth


def binary_cross_entropy(input, target, weight=None, *, reduction="mean"):
    """``-(target * log(input) + (1 - target) * log(1 - input))``, logarithms not below -100."""
    logs = np.maximum(np.log(input), -100), np.maximum(np.log(1 - input), -100)
    loss = -(target * logs[0] + (1 - target) * logs[1])
    return _reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, *, reduction="mean", pos_weight=None):
    """``binary_cross_entropy`` of ``sigmoid(input)``, without overflow."""
    positive = target if pos_weight is None else target * pos_weight
    loss = -(positive * ops.log_sigmoid(input) + (1 - target) * ops.log_sigmoid(-input))
    return _reduced(loss if weight is None else loss * weight, reduction)


def kl_div(input, target, *, reduction="mean", log_target=False):
    """``target * (log(target) - input)`` for log-probabilities ``input``; ``"batchmean"`` divides the sum by the first size."""
    if log_target:
        loss = np.exp(target) * (target - input)
    else:
        positive = target > 0
        loss = np.where(positive, target * (np.log(np.where(positive, target, 1)) - input), 0)
    if reduction == "batchmean":
        return np.sum(loss) / input.shape[0]
    return _reduced(loss, reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between ``x1`` and ``x2`` along ``dim``."""
    norms = np.sqrt(np.sum(x1 * x1, axis=dim)), np.sqrt(np.sum(x2 * x2, axis=dim))
    return np.sum(x1 * x2, axis=dim) / (np.maximum(norms[0], eps) * np.maximum(norms[1], eps))


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The ``p``-norm of ``x1 - x2 + eps`` along the last axis."""
    return np.linalg.norm(x1 - x2 + eps, p, axis=-1, keepdims=keepdim)
