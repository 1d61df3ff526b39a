"""Losses and similarities: plain NumPy over the operators of ``nn``, with torch's names, argument
order and defaults.

``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``; ``size_average`` and ``reduce``, long
deprecated, override it where they are given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.array_types import Array


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that the arguments ask for."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def reduced(loss: Any, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> Any:
    """The loss reduced as the arguments ask for; raises ``ValueError`` for an unknown reduction."""
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean":
        return np.mean(loss)
    if reduction == "sum":
        return np.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction!r} is not a valid value for reduction: 'none', 'mean' or 'sum'")


def require_one_shape(name: str, input: Array, target: Array) -> None:
    """Raise ``ValueError`` where ``target`` has another shape than ``input``."""
    if input.shape != target.shape:
        raise ValueError(f"{name}: target must have the shape {input.shape} of input, not {target.shape}")


# -- distances of numbers


def mse_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Array | None = None,
) -> Array:
    """``(input - target) ** 2``; the mean with ``weight`` is a weighted one.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.functional.mse_loss``.

    >>> mse_loss(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(2.125)
    """
    return _weighted(np.square(input - target), weight, reduction_of(size_average, reduce, reduction))


def l1_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Array | None = None,
) -> Array:
    """``abs(input - target)``; the mean with ``weight`` is a weighted one.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.functional.l1_loss``.

    >>> l1_loss(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(1.25)
    """
    return _weighted(np.abs(input - target), weight, reduction_of(size_average, reduce, reduction))


def _weighted(loss: Array, weight: Array | None, reduction: str) -> Array:
    if weight is None:
        return reduced(loss, reduction)
    if reduction == "mean":
        return np.sum(loss * weight) / np.sum(weight)
    return reduced(loss * weight, reduction)


def smooth_l1_loss(
    input: Array, target: Array, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
) -> Array:
    """Squared below ``beta``, linear above.

    ``input``: the array; ``target``: the values to predict; ``size_average``, ``reduce``:
    deprecated, see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.smooth_l1_loss``; Girshick, arXiv:1504.08083.

    >>> smooth_l1_loss(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(0.8125)
    """
    if beta == 0:
        return l1_loss(input, target, size_average, reduce, reduction)
    error = np.abs(input - target)
    return reduced(np.where(error < beta, 0.5 * error * error / beta, error - 0.5 * beta), reduction, size_average, reduce)


def huber_loss(input: Array, target: Array, reduction: str = "mean", delta: float = 1.0, weight: Array | None = None) -> Array:
    """Squared below ``delta``, linear above, ``delta`` times ``smooth_l1_loss``.

    ``input``: the array; ``target``: the values to predict; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``; ``weight``: a factor for each class or element. As
    ``torch.nn.functional.huber_loss``; Huber, Annals of Mathematical Statistics 35, 1964.

    >>> huber_loss(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(0.8125)
    """
    if delta <= 0:
        raise ValueError(f"huber_loss: delta must be positive, got {delta}")
    error = np.abs(input - target)
    loss = np.where(error <= delta, 0.5 * error * error, delta * (error - 0.5 * delta))
    return reduced(loss if weight is None else loss * weight, reduction)


def poisson_nll_loss(
    input: Array,
    target: Array,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """Minus the log-probability of counts ``target`` where ``input`` is the (logarithm of the)
    rate; ``full`` adds Stirling's term.

    ``log_input``: the input is the logarithm of the rate; ``size_average``, ``reduce``:
    deprecated, see ``reduction``; ``eps``: a small number that keeps divisions finite;
    ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.poisson_nll_loss``.

    >>> poisson_nll_loss(np.array([1.0, 2.0]), np.array([1.5, 4.0])).round(3)
    np.float64(0.304)
    """
    loss = np.exp(input) - target * input if log_input else input - target * np.log(input + eps)
    if full:
        counts = np.where(target > 1, target, 1)
        stirling = counts * np.log(counts) - counts + 0.5 * np.log(2 * math.pi * counts)
        loss = loss + np.where(target > 1, stirling, 0)
    return reduced(loss, reduction, size_average, reduce)


def gaussian_nll_loss(
    input: Array, target: Array, var: Array | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Array:
    """Minus the log-probability of ``target`` under normal distributions of mean ``input`` and
    variance ``var``, at least ``eps``.

    ``var`` has the shape of ``input``, or one without or with 1 as its last size. It must not be
    negative, which is not looked at.

    ``full``: add the constant terms; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.gaussian_nll_loss``.

    >>> gaussian_nll_loss(np.array([1.0, 2.0]), np.array([1.5, 4.0]), np.ones(2)).round(3)
    np.float64(1.062)
    """
    if isinstance(var, float):
        var = np.full_like(input, var)
    if var.shape != input.shape and var.shape == input.shape[:-1]:
        var = np.expand_dims(var, -1)
    if var.ndim != input.ndim or not all(size in (1, whole) for size, whole in zip(var.shape, input.shape, strict=True)):
        raise ValueError(f"gaussian_nll_loss: var of shape {var.shape} does not fit input of shape {input.shape}")
    var = np.maximum(var, eps)
    loss = 0.5 * (np.log(var) + np.square(input - target) / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# -- probabilities of classes


def nll_loss(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """``-input[n, target[n]]`` of log-probabilities ``(N, C, ...)`` or ``(C,)``; targets equal to
    ``ignore_index`` do not count.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.nll_loss``.

    >>> nll_loss(np.log([[0.25, 0.75], [0.5, 0.5]]), np.array([1, 0])).round(3)
    np.float64(0.49)
    """
    loss, factor = ops.nll_loss(input, target, weight, ignore_index)
    reduction = reduction_of(size_average, reduce, reduction)
    return np.sum(loss) / np.sum(factor) if reduction == "mean" else reduced(loss, reduction)


def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """``nll_loss`` of the log-softmax of ``input`` ``(N, C, ...)`` or ``(C,)``; floating targets
    are class probabilities.

    ``target``: the values to predict; ``weight``: a factor for each class or element;
    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``ignore_index``: a class that
    does not count; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``; ``label_smoothing``: the
    share of probability given to all classes alike. As ``torch.nn.functional.cross_entropy``;
    Szegedy et al., arXiv:1512.00567 (label smoothing).

    >>> cross_entropy(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([1, 0])).round(3)
    np.float64(0.22)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    log_probabilities = ops.log_softmax(input, axis)
    classes = input.shape[axis]
    column = None if weight is None else weight.reshape(-1, *(1,) * (input.ndim - axis - 1))
    if target.dtype.kind == "f":
        require_one_shape("cross_entropy", input, target)
        target = target * (1 - label_smoothing) + label_smoothing / classes
        terms = target * log_probabilities
        loss = -np.sum(terms if column is None else terms * column, axis=axis)
        return np.sum(loss) / (loss.size or 1) if reduction == "mean" else reduced(loss, reduction)
    hard, factor = ops.nll_loss(log_probabilities, target, weight, ignore_index)
    if label_smoothing:
        smooth = -np.sum(log_probabilities if column is None else log_probabilities * column, axis=axis) * (target != ignore_index)
        hard = (1 - label_smoothing) * hard + label_smoothing / classes * smooth
    return np.sum(hard) / np.sum(factor) if reduction == "mean" else reduced(hard, reduction)


def binary_cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """``-(target * log(input) + (1 - target) * log(1 - input))``, logarithms not below -100.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.binary_cross_entropy``.

    >>> binary_cross_entropy(np.array([0.5, 0.9]), np.array([0.0, 1.0])).round(3)
    np.float64(0.399)
    """
    require_one_shape("binary_cross_entropy", input, target)
    logs = np.maximum(np.log(input), -100), np.maximum(np.log(1 - input), -100)
    loss = -(target * logs[0] + (1 - target) * logs[1])
    return reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def binary_cross_entropy_with_logits(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Array | None = None,
) -> Array:
    """``binary_cross_entropy`` of ``sigmoid(input)``, without overflow.

    ``target``: the values to predict; ``weight``: the weight; ``size_average``, ``reduce``:
    deprecated, see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``;
    ``pos_weight``: a factor for the positive targets of each class. As
    ``torch.nn.functional.binary_cross_entropy_with_logits``.

    >>> binary_cross_entropy_with_logits(np.array([0.0, 3.0]), np.array([0.0, 1.0])).round(3)
    np.float64(0.371)
    """
    require_one_shape("binary_cross_entropy_with_logits", input, target)
    positive = target if pos_weight is None else target * pos_weight
    loss = -(positive * ops.log_sigmoid(input) + (1 - target) * ops.log_sigmoid(-input))
    return reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


def kl_div(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Array:
    """``target * (log(target) - input)`` for log-probabilities ``input``; ``"batchmean"`` divides
    the sum by the first size.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``; ``log_target``: the target too is a logarithm. As
    ``torch.nn.functional.kl_div``.

    >>> kl_div(np.log([[0.5, 0.5]]), np.array([[0.25, 0.75]]), reduction='batchmean').round(3)
    np.float64(0.131)
    """
    if log_target:
        loss = np.exp(target) * (target - input)
    else:
        positive = target > 0
        loss = np.where(positive, target * (np.log(np.where(positive, target, 1)) - input), 0)
    if reduction == "batchmean":
        return np.sum(loss) / input.shape[0]
    return reduced(loss, reduction, size_average, reduce)


def ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Array:
    """Minus the log-probability of label sequences, of any alignment with the steps of
    ``log_probs`` ``(T, N, C)`` or ``(T, C)``.

    ``targets`` is ``(N, S)``, or the sequences one after the other. The mean is over losses divided
    by the lengths of their targets.

    ``input_lengths``: the number of steps of each sequence; ``target_lengths``: the number of
    labels of each; ``blank``: the class of no label; ``reduction``: ``"mean"``, ``"sum"`` or
    ``"none"``; ``zero_infinity``: make infinite losses 0. As ``torch.nn.functional.ctc_loss``;
    Graves et al., ICML 2006.

    >>> log_probs = np.log(np.full((6, 1, 3), 1 / 3))
    >>> ctc_loss(log_probs, np.array([[1, 2]]), np.array([6]), np.array([2])).round(3)
    np.float64(1.172)
    """
    lengths = np.asarray(target_lengths)
    loss = ops.ctc_loss(log_probs, targets, np.asarray(input_lengths), lengths, blank)
    if zero_infinity:
        loss = np.where(np.isinf(loss), np.zeros((), log_probs.dtype), loss)
    if reduction == "mean":
        return np.mean(loss / np.maximum(lengths, 1).astype(log_probs.dtype))
    return reduced(loss, reduction)


# -- similarities and distances of vectors


def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    """The cosine of the angle between ``x1`` and ``x2`` along ``dim``.

    ``eps``: a small number that keeps divisions finite. As
    ``torch.nn.functional.cosine_similarity``.

    >>> cosine_similarity(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]])).round(3)
    array([0.707])
    """
    norms = np.sqrt(np.sum(x1 * x1, axis=dim)), np.sqrt(np.sum(x2 * x2, axis=dim))
    return np.sum(x1 * x2, axis=dim) / (np.maximum(norms[0], eps) * np.maximum(norms[1], eps))


def pairwise_distance(x1: Array, x2: Array, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Array:
    """The ``p``-norm of ``x1 - x2 + eps`` along the last axis.

    ``keepdim``: keep the last axis, of size 1. As ``torch.nn.functional.pairwise_distance``.

    >>> pairwise_distance(np.zeros((1, 2)), np.array([[3.0, 4.0]])).round(3)
    array([5.])
    """
    return np.linalg.norm(x1 - x2 + eps, p, axis=-1, keepdims=keepdim)


def pdist(input: Array, p: float = 2.0) -> Array:
    """The ``p``-norms of the differences of the rows of ``(N, D)``: of row 0 and the others, then
    of row 1 and those after it, ….

    ``input``: the array. As ``torch.nn.functional.pdist``.

    >>> pdist(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).round(3)
    array([5.   , 1.   , 4.243])
    """
    if input.ndim != 2:
        raise ValueError(f"pdist: input must have 2 dimensions, got shape {input.shape}")
    first, second = np.triu_indices(input.shape[0], 1)
    return np.linalg.norm(input[first] - input[second], p, axis=-1)
