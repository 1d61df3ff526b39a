"""Losses and similarities: plain NumPy over the operators of ``nn``, with torch's names, argument order and defaults.

``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce``, long deprecated, override it where they are given.
"""

from __future__ import annotations

import math

import numpy as np

from npexport.ir.ops import nn as ops


def reduction_of(size_average, reduce, reduction):
    """The reduction that the arguments ask for."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _reduced(loss, reduction, size_average=None, reduce=None):
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean":
        return np.mean(loss)
    if reduction == "sum":
        return np.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction!r} is not a valid value for reduction: 'none', 'mean' or 'sum'")


def _of_one_shape(name, input, target):
    if input.shape != target.shape:
        raise ValueError(f"{name}: target must have the shape {input.shape} of input, not {target.shape}")


# -- distances of numbers


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """``(input - target) ** 2``; the mean with ``weight`` is a weighted one."""
    return _weighted(np.square(input - target), weight, reduction_of(size_average, reduce, reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """``abs(input - target)``; the mean with ``weight`` is a weighted one."""
    return _weighted(np.abs(input - target), weight, reduction_of(size_average, reduce, reduction))


def _weighted(loss, weight, reduction):
    if weight is None:
        return _reduced(loss, reduction)
    if reduction == "mean":
        return np.sum(loss * weight) / np.sum(weight)
    return _reduced(loss * weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Squared below ``beta``, linear above."""
    if beta == 0:
        return l1_loss(input, target, size_average, reduce, reduction)
    error = np.abs(input - target)
    return _reduced(np.where(error < beta, 0.5 * error * error / beta, error - 0.5 * beta), reduction, size_average, reduce)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Squared below ``delta``, linear above, ``delta`` times ``smooth_l1_loss``."""
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be positive, got {delta}")
    error = np.abs(input - target)
    loss = np.where(error <= delta, 0.5 * error * error, delta * (error - 0.5 * delta))
    return _reduced(loss if weight is None else loss * weight, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
    """Minus the log-probability of counts ``target`` where ``input`` is the (logarithm of the) rate; ``full`` adds Stirling's term."""
    loss = np.exp(input) - target * input if log_input else input - target * np.log(input + eps)
    if full:
        counts = np.where(target > 1, target, 1)
        stirling = counts * np.log(counts) - counts + 0.5 * np.log(2 * math.pi * counts)
        loss = loss + np.where(target > 1, stirling, 0)
    return _reduced(loss, reduction, size_average, reduce)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Minus the log-probability of ``target`` under normal distributions of mean ``input`` and variance ``var``, at least ``eps``.

    ``var`` has the shape of ``input``, or one without or with 1 as its last size. It must not be negative, which is not looked at.
    """
    if isinstance(var, float):
        var = np.full_like(input, var)
    if var.shape != input.shape and var.shape == input.shape[:-1]:
        var = np.expand_dims(var, -1)
    if var.ndim != input.ndim or not all(size in (1, whole) for size, whole in zip(var.shape, input.shape, strict=True)):
        raise ValueError(f"gaussian_nll_loss: var of shape {var.shape} does not fit input of shape {input.shape}")
    var = np.maximum(var, eps)
    loss = 0.5 * (np.log(var) + np.square(input - target) / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# -- probabilities of classes


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """``-input[n, target[n]]`` of log-probabilities ``(N, C, ...)`` or ``(C,)``; targets equal to ``ignore_index`` do not count."""
    loss, factor = ops.nll_loss(input, target, weight, ignore_index)
    reduction = reduction_of(size_average, reduce, reduction)
    return np.sum(loss) / np.sum(factor) if reduction == "mean" else _reduced(loss, reduction)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """``nll_loss`` of the log-softmax of ``input`` ``(N, C, ...)`` or ``(C,)``; floating targets are class probabilities."""
    reduction = reduction_of(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    log_probabilities = ops.log_softmax(input, axis)
    classes = input.shape[axis]
    column = None if weight is None else weight.reshape(-1, *(1,) * (input.ndim - axis - 1))
    if target.dtype.kind == "f":
        _of_one_shape("cross_entropy", input, target)
        target = target * (1 - label_smoothing) + label_smoothing / classes
        terms = target * log_probabilities
        loss = -np.sum(terms if column is None else terms * column, axis=axis)
        return np.sum(loss) / (loss.size or 1) if reduction == "mean" else _reduced(loss, reduction)
    hard, factor = ops.nll_loss(log_probabilities, target, weight, ignore_index)
    if label_smoothing:
        smooth = -np.sum(log_probabilities if column is None else log_probabilities * column, axis=axis) * (target != ignore_index)
        hard = (1 - label_smoothing) * hard + label_smoothing / classes * smooth
    return np.sum(hard) / np.sum(factor) if reduction == "mean" else _reduced(hard, reduction)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """``-(target * log(input) + (1 - target) * log(1 - input))``, logarithms not below -100."""
    _of_one_shape("binary_cross_entropy", input, target)
    logs = np.maximum(np.log(input), -100), np.maximum(np.log(1 - input), -100)
    loss = -(target * logs[0] + (1 - target) * logs[1])
    return _reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    """``binary_cross_entropy`` of ``sigmoid(input)``, without overflow."""
    _of_one_shape("binary_cross_entropy_with_logits", input, target)
    positive = target if pos_weight is None else target * pos_weight
    loss = -(positive * ops.log_sigmoid(input) + (1 - target) * ops.log_sigmoid(-input))
    return _reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """``target * (log(target) - input)`` for log-probabilities ``input``; ``"batchmean"`` divides the sum by the first size."""
    if log_target:
        loss = np.exp(target) * (target - input)
    else:
        positive = target > 0
        loss = np.where(positive, target * (np.log(np.where(positive, target, 1)) - input), 0)
    if reduction == "batchmean":
        return np.sum(loss) / input.shape[0]
    return _reduced(loss, reduction, size_average, reduce)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Minus the log-probability of label sequences, of any alignment with the steps of ``log_probs`` ``(T, N, C)`` or ``(T, C)``.

    ``targets`` is ``(N, S)``, or the sequences one after the other. The mean is over losses divided by the lengths of their targets.
    """
    lengths = np.asarray(target_lengths)
    loss = ops.ctc_loss(log_probs, targets, np.asarray(input_lengths), lengths, blank)
    if zero_infinity:
        loss = np.where(np.isinf(loss), np.zeros((), log_probs.dtype), loss)
    if reduction == "mean":
        return np.mean(loss / np.maximum(lengths, 1).astype(log_probs.dtype))
    return _reduced(loss, reduction)


# -- margins


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """``log(1 + exp(-target * input))`` for targets 1 and -1."""
    return _reduced(-ops.log_sigmoid(target * input), reduction, size_average, reduce)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """``input`` where ``target`` is 1, ``max(0, margin - input)`` where it is -1."""
    loss = np.where(target == 1, input, 0) + np.where(target == -1, np.maximum(margin - input, 0), 0)
    return _reduced(loss.astype(input.dtype), reduction, size_average, reduce)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``max(0, margin - target * (input1 - input2))`` for targets 1 and -1."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise ValueError(f"margin_ranking_loss: {input1.shape}, {input2.shape} and {target.shape} must have as many dimensions")
    return _reduced(np.maximum(-target * (input1 - input2) + margin, 0), reduction, size_average, reduce)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over other classes of ``max(0, margin - input[target] + input) ** p`` for scores ``(N, C)`` or ``(C,)``."""
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p must be 1 or 2, got {p}")
    negated, _ = ops.nll_loss(input, target, None, None)
    others = np.expand_dims(target, -1) != np.arange(input.shape[-1])
    terms = np.where(others, np.maximum(margin + np.expand_dims(negated, -1) + input, 0) ** p, 0).astype(input.dtype)
    loss = np.mean(terms, axis=-1)
    return _reduced(loss if weight is None else loss * weight[target], reduction, size_average, reduce)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """``max(0, 1 - input[j] + input[i])`` over the classes ``j`` that ``target`` names before its first -1, and all others ``i``."""
    _of_one_shape("multilabel_margin_loss", input, target)
    named = np.cumprod(target >= 0, axis=-1) > 0
    classes = np.where(named, target, 0)
    is_target = np.any((ops.one_hot(classes, input.shape[-1]) > 0) & named[..., None], axis=-2)
    margins = np.maximum(1 - np.take_along_axis(input, classes, -1)[..., :, None] + input[..., None, :], 0)
    counted = named[..., :, None] & ~is_target[..., None, :]
    loss = np.sum(np.where(counted, margins, 0).astype(input.dtype), axis=(-2, -1)) / input.shape[-1]
    return _reduced(loss, reduction, size_average, reduce)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over classes of ``binary_cross_entropy_with_logits``."""
    loss = binary_cross_entropy_with_logits(input, target, weight, reduction="none")
    return _reduced(np.mean(loss, axis=-1), reduction, size_average, reduce)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``1 - cos`` of the angle where ``target`` is 1, ``max(0, cos - margin)`` where it is -1, for ``(N, D)`` or ``(D,)``."""
    if input1.ndim != target.ndim + 1 or input2.ndim != input1.ndim:
        raise ValueError(
            f"cosine_embedding_loss: {input1.shape} and {input2.shape} must have one dimension more than target {target.shape}"
        )
    squares = np.sum(input1 * input1, axis=-1) + 1e-12, np.sum(input2 * input2, axis=-1) + 1e-12
    cosine = np.sum(input1 * input2, axis=-1) / np.sqrt(squares[0] * squares[1])
    loss = np.where(target == 1, 1 - cosine, 0) + np.where(target == -1, np.maximum(cosine - margin, 0), 0)
    return _reduced(loss.astype(input1.dtype), reduction, size_average, reduce)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):
    """``max(0, |anchor - positive| - |anchor - negative| + margin)`` with ``p``-norms along the last axis; see ``swap`` below."""

    def distance(x, y):
        return pairwise_distance(x, y, p, eps)

    reduction = reduction_of(size_average, reduce, reduction)
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, margin=margin, swap=swap, reduction=reduction
    )


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
    """``max(0, distance to positive - distance to negative + margin)``; ``swap``: from the nearer of anchor and positive."""
    distance = pairwise_distance if distance_function is None else distance_function
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    far = distance(anchor, negative)
    if swap:
        far = np.minimum(far, distance(positive, negative))
    return _reduced(np.maximum(distance(anchor, positive) - far + margin, 0), reduction)


# -- similarities and distances of vectors


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between ``x1`` and ``x2`` along ``dim``."""
    norms = np.sqrt(np.sum(x1 * x1, axis=dim)), np.sqrt(np.sum(x2 * x2, axis=dim))
    return np.sum(x1 * x2, axis=dim) / (np.maximum(norms[0], eps) * np.maximum(norms[1], eps))


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The ``p``-norm of ``x1 - x2 + eps`` along the last axis."""
    return np.linalg.norm(x1 - x2 + eps, p, axis=-1, keepdims=keepdim)


def pdist(input, p=2.0):
    """The ``p``-norms of the differences of the rows of ``(N, D)``: of row 0 and the others, then of row 1 and those after it, …."""
    if input.ndim != 2:
        raise ValueError(f"pdist: input must have 2 dimensions, got shape {input.shape}")
    first, second = np.triu_indices(input.shape[0], 1)
    return np.linalg.norm(input[first] - input[second], p, axis=-1)
