"""Margin losses as modules: each holds the options of its function in
:mod:`npexport.runtime.nn.margin_losses`.
"""

from __future__ import annotations

from collections.abc import Callable

from npexport.runtime.array_types import Array
from npexport.runtime.nn import margin_losses
from npexport.runtime.nn.distance import PairwiseDistance
from npexport.runtime.nn.loss import Loss, PlainLoss, WeightedLoss


class MultiLabelMarginLoss(PlainLoss):
    """Margins between the classes that the target names and all others.

    ``input`` and ``target`` are ``([N,] C)``; the result is a scalar, or ``([N])`` without
    reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.MultiLabelMarginLoss``.

    >>> import numpy as np
    >>> MultiLabelMarginLoss()(np.array([[0.1, 0.2, 0.4]]), np.array([[2, -1, 0]])).round(3)
    np.float64(0.5)
    """

    _function = staticmethod(margin_losses.multilabel_margin_loss)


class _MarginLoss(Loss):
    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction, margin=margin)


class HingeEmbeddingLoss(_MarginLoss):
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.HingeEmbeddingLoss``.

    >>> import numpy as np
    >>> HingeEmbeddingLoss()(np.array([0.2, 0.3]), np.array([1, -1]))
    np.float64(0.44999999999999996)
    """

    _function = staticmethod(margin_losses.hinge_embedding_loss)

    def __init__(self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Array, target: Array) -> Array:
        return self._of(input, target)


class MarginRankingLoss(_MarginLoss):
    """``max(0, margin - target * (input1 - input2))``; targets are 1 or -1.

    All three are ``(*)``; the result is a scalar, or ``(*)`` without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.MarginRankingLoss``.

    >>> import numpy as np
    >>> MarginRankingLoss()(np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array([1, 1]))
    np.float64(1.0)
    """

    _function = staticmethod(margin_losses.margin_ranking_loss)

    def forward(self, input1: Array, input2: Array, target: Array) -> Array:
        return self._of(input1, input2, target)


class CosineEmbeddingLoss(_MarginLoss):
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1.

    ``input1`` and ``input2`` are ``([N,] D)``, ``target`` is ``([N])``; the result is a scalar, or
    ``([N])`` without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.CosineEmbeddingLoss``.

    >>> import numpy as np
    >>> CosineEmbeddingLoss()(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]), np.array([1])).round(3)
    np.float64(0.293)
    """

    _function = staticmethod(margin_losses.cosine_embedding_loss)

    def forward(self, input1: Array, input2: Array, target: Array) -> Array:
        return self._of(input1, input2, target)


class TripletMarginLoss(Loss):
    """``max(0, |anchor - positive| - |anchor - negative| + margin)``.

    All three are ``([N,] D)``; the result is a scalar, or ``([N])`` without reduction.

    ``p``: the exponent; ``eps``: a small number that keeps divisions finite; ``swap``: take the
    smaller of the distances of the negative to anchor and positive; ``size_average``,
    ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or
    ``"none"``. As ``torch.nn.TripletMarginLoss``.

    >>> import numpy as np
    >>> TripletMarginLoss()(np.zeros((1, 2)), np.ones((1, 2)), np.full((1, 2), 2.0)).round(3)
    np.float64(0.0)
    """

    _function = staticmethod(margin_losses.triplet_margin_loss)

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        super().__init__(size_average, reduce, reduction, margin=margin, p=p, eps=eps, swap=swap)

    def forward(self, anchor: Array, positive: Array, negative: Array) -> Array:
        return self._of(anchor, positive, negative)


class TripletMarginWithDistanceLoss(Loss):
    """``TripletMarginLoss`` with a distance function of your choice.

    ``distance_function``: called with two arrays; the distance by default; ``margin``: the
    margin; ``swap``: take the smaller of the distances of the negative to anchor and positive;
    ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.TripletMarginWithDistanceLoss``.

    >>> import numpy as np
    >>> TripletMarginWithDistanceLoss()(np.zeros((1, 2)), np.ones((1, 2)), np.full((1, 2), 2.0)).round(3)
    np.float64(0.0)
    """

    _function = staticmethod(margin_losses.triplet_margin_with_distance_loss)

    def __init__(
        self,
        *,
        distance_function: Callable[[Array, Array], Array] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        distance = PairwiseDistance() if distance_function is None else distance_function
        super().__init__(None, None, reduction, distance_function=distance, margin=margin, swap=swap)

    def forward(self, anchor: Array, positive: Array, negative: Array) -> Array:
        return self._of(anchor, positive, negative)


class MultiMarginLoss(WeightedLoss):
    """The mean over other classes of ``max(0, margin - input[target] + input) ** p``.

    ``input`` is ``([N,] C)``, ``target`` ``([N])`` of classes; the result is a scalar, or ``([N])``
    without reduction.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.MultiMarginLoss``.

    >>> import numpy as np
    >>> MultiMarginLoss()(np.array([[0.1, 0.2, 0.4]]), np.array([2])).round(3)
    np.float64(0.5)
    """

    _function = staticmethod(margin_losses.multi_margin_loss)

    def __init__(
        self,
        p: float = 1,
        margin: float = 1.0,
        weight: Array | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction, p=p, margin=margin)
