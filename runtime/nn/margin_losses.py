"""Losses by margins between scores or distances, under the names, argument order and defaults of
``torch.nn.functional``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.array_types import Array
from npexport.runtime.nn.losses import binary_cross_entropy_with_logits, pairwise_distance, reduced, reduction_of, require_one_shape


def soft_margin_loss(
    input: Array, target: Array, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Array:
    """``log(1 + exp(-target * input))`` for targets 1 and -1.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.functional.soft_margin_loss``.

    >>> soft_margin_loss(np.array([1.0, -1.0]), np.array([1.0, 1.0])).round(3)
    np.float64(0.813)
    """
    return reduced(-ops.log_sigmoid(target * input), reduction, size_average, reduce)


def hinge_embedding_loss(
    input: Array, target: Array, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Array:
    """``input`` where ``target`` is 1, ``max(0, margin - input)`` where it is -1.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.functional.hinge_embedding_loss``.

    >>> hinge_embedding_loss(np.array([0.2, 0.3]), np.array([1, -1]))
    np.float64(0.44999999999999996)
    """
    loss = np.where(target == 1, input, 0) + np.where(target == -1, np.maximum(margin - input, 0), 0)
    return reduced(loss.astype(input.dtype), reduction, size_average, reduce)


def margin_ranking_loss(
    input1: Array,
    input2: Array,
    target: Array,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """``max(0, margin - target * (input1 - input2))`` for targets 1 and -1.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.functional.margin_ranking_loss``.

    >>> margin_ranking_loss(np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array([1, 1]))
    np.float64(1.0)
    """
    if not input1.ndim == input2.ndim == target.ndim:
        raise ValueError(f"margin_ranking_loss: {input1.shape}, {input2.shape} and {target.shape} must have as many dimensions")
    return reduced(np.maximum(-target * (input1 - input2) + margin, 0), reduction, size_average, reduce)


def multi_margin_loss(
    input: Array,
    target: Array,
    p: float = 1,
    margin: float = 1.0,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """The mean over other classes of ``max(0, margin - input[target] + input) ** p`` for scores
    ``(N, C)`` or ``(C,)``.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.multi_margin_loss``.

    >>> multi_margin_loss(np.array([[0.1, 0.2, 0.4]]), np.array([2])).round(3)
    np.float64(0.5)
    """
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p must be 1 or 2, got {p}")
    negated, _ = ops.nll_loss(input, target, None, None)
    others = np.expand_dims(target, -1) != np.arange(input.shape[-1])
    terms = np.where(others, np.maximum(margin + np.expand_dims(negated, -1) + input, 0) ** p, 0).astype(input.dtype)
    loss = np.mean(terms, axis=-1)
    return reduced(loss if weight is None else loss * weight[target], reduction, size_average, reduce)


def multilabel_margin_loss(
    input: Array, target: Array, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Array:
    """``max(0, 1 - input[j] + input[i])`` over the classes ``j`` that ``target`` names before its
    first -1, and all others ``i``.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.functional.multilabel_margin_loss``.

    >>> multilabel_margin_loss(np.array([[0.1, 0.2, 0.4]]), np.array([[2, -1, 0]])).round(3)
    np.float64(0.5)
    """
    require_one_shape("multilabel_margin_loss", input, target)
    named = np.cumprod(target >= 0, axis=-1) > 0
    classes = np.where(named, target, 0)
    is_target = np.any((ops.one_hot(classes, input.shape[-1]) > 0) & named[..., None], axis=-2)
    margins = np.maximum(1 - np.take_along_axis(input, classes, -1)[..., :, None] + input[..., None, :], 0)
    counted = named[..., :, None] & ~is_target[..., None, :]
    loss = np.sum(np.where(counted, margins, 0).astype(input.dtype), axis=(-2, -1)) / input.shape[-1]
    return reduced(loss, reduction, size_average, reduce)


def multilabel_soft_margin_loss(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """The mean over classes of ``binary_cross_entropy_with_logits``.

    ``input``: the array; ``target``: the values to predict; ``weight``: a factor for each
    class or element; ``size_average``, ``reduce``: deprecated, see ``reduction``;
    ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.multilabel_soft_margin_loss``.

    >>> multilabel_soft_margin_loss(np.array([[1.0, -1.0]]), np.array([[1, 0]])).round(3)
    np.float64(0.313)
    """
    loss = binary_cross_entropy_with_logits(input, target, weight, reduction="none")
    return reduced(np.mean(loss, axis=-1), reduction, size_average, reduce)


def cosine_embedding_loss(
    input1: Array,
    input2: Array,
    target: Array,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """``1 - cos`` of the angle where ``target`` is 1, ``max(0, cos - margin)`` where it is -1, for
    ``(N, D)`` or ``(D,)``.

    ``input1``: the first array; ``input2``: the second array; ``size_average``, ``reduce``:
    deprecated, see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.cosine_embedding_loss``.

    >>> cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]), np.array([1])).round(3)
    np.float64(0.293)
    """
    if input1.ndim != target.ndim + 1 or input2.ndim != input1.ndim:
        raise ValueError(
            f"cosine_embedding_loss: {input1.shape} and {input2.shape} must have one dimension more than target {target.shape}"
        )
    squares = np.sum(input1 * input1, axis=-1) + 1e-12, np.sum(input2 * input2, axis=-1) + 1e-12
    cosine = np.sum(input1 * input2, axis=-1) / np.sqrt(squares[0] * squares[1])
    loss = np.where(target == 1, 1 - cosine, 0) + np.where(target == -1, np.maximum(cosine - margin, 0), 0)
    return reduced(loss.astype(input1.dtype), reduction, size_average, reduce)


def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Array:
    """``max(0, |anchor - positive| - |anchor - negative| + margin)`` with ``p``-norms along the
    last axis; see ``swap`` below.

    ``eps``: a small number that keeps divisions finite; ``size_average``, ``reduce``:
    deprecated, see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.triplet_margin_loss``.

    >>> triplet_margin_loss(np.zeros((1, 2)), np.ones((1, 2)), np.full((1, 2), 2.0)).round(3)
    np.float64(0.0)
    """

    def distance(x: Array, y: Array) -> Array:
        return pairwise_distance(x, y, p, eps)

    reduction = reduction_of(size_average, reduce, reduction)
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, margin=margin, swap=swap, reduction=reduction
    )


def triplet_margin_with_distance_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    *,
    distance_function: Callable[[Array, Array], Array] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Array:
    """``max(0, distance to positive - distance to negative + margin)``; ``swap``: from the nearer
    of anchor and positive.

    ``anchor``: the array that is compared; ``distance_function``: called with two arrays; the
    distance by default; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.functional.triplet_margin_with_distance_loss``.

    >>> triplet_margin_with_distance_loss(np.zeros((1, 2)), np.ones((1, 2)), np.full((1, 2), 2.0)).round(3)
    np.float64(0.0)
    """
    distance = pairwise_distance if distance_function is None else distance_function
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    far = distance(anchor, negative)
    if swap:
        far = np.minimum(far, distance(positive, negative))
    return reduced(np.maximum(distance(anchor, positive) - far + margin, 0), reduction)
