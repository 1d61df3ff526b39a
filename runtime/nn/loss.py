"""Losses, similarities and distances as modules."""

from __future__ import annotations

from typing import Any

from npexport.runtime.nn import losses
from npexport.runtime.nn.module import Module


class _Loss(Module):
    _function: Any = None

    def __init__(self, reduction, **options):
        super().__init__()
        self.reduction = reduction
        self._options = options

    def forward(self, input, target):
        return type(self)._function(input, target, reduction=self.reduction, **self._options)


class MSELoss(_Loss):
    """``(input - target) ** 2``."""

    _function = staticmethod(losses.mse_loss)

    def __init__(self, *, reduction="mean"):
        super().__init__(reduction)


class L1Loss(_Loss):
    """``abs(input - target)``."""

    _function = staticmethod(losses.l1_loss)

    def __init__(self, *, reduction="mean"):
        super().__init__(reduction)


class SmoothL1Loss(_Loss):
    """Squared below ``beta``, linear above."""

    _function = staticmethod(losses.smooth_l1_loss)

    def __init__(self, *, reduction="mean", beta=1.0):
        super().__init__(reduction, beta=beta)


class HuberLoss(_Loss):
    """Squared below ``delta``, linear above."""

    _function = staticmethod(losses.huber_loss)

    def __init__(self, *, reduction="mean", delta=1.0):
        super().__init__(reduction, delta=delta)


class KLDivLoss(_Loss):
    """``target * (log(target) - input)``."""

    _function = staticmethod(losses.kl_div)

    def __init__(self, *, reduction="mean", log_target=False):
        super().__init__(reduction, log_target=log_target)


class _WeightedLoss(_Loss):
    def __init__(self, weight, reduction, **options):
        super().__init__(reduction, **options)
        self.register_buffer("weight", weight)

    def forward(self, input, target):
        return type(self)._function(input, target, self.weight, reduction=self.reduction, **self._options)


class NLLLoss(_WeightedLoss):
    """The negated log-probability of the target class."""

    _function = staticmethod(losses.nll_loss)

    def __init__(self, weight=None, *, ignore_index=-100, reduction="mean"):
        super().__init__(weight, reduction, ignore_index=ignore_index)


class CrossEntropyLoss(_WeightedLoss):
    """The negated log-softmax of the target class."""

    _function = staticmethod(losses.cross_entropy)

    def __init__(self, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)


class BCELoss(_WeightedLoss):
    """Binary cross-entropy of probabilities."""

    _function = staticmethod(losses.binary_cross_entropy)

    def __init__(self, weight=None, *, reduction="mean"):
        super().__init__(weight, reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    """Binary cross-entropy of logits."""

    _function = staticmethod(losses.binary_cross_entropy_with_logits)

    def __init__(self, weight=None, *, reduction="mean", pos_weight=None):
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return losses.binary_cross_entropy_with_logits(input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight)


class CosineSimilarity(Module):
    """``F.cosine_similarity``."""

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return losses.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """``F.pairwise_distance``."""

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        return losses.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
