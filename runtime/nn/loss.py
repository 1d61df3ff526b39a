"""Losses, similarities and distances as modules: each holds the options of its function in :mod:`npexport.runtime.nn.losses`."""

from __future__ import annotations

from typing import Any

from npexport.runtime.nn import losses
from npexport.runtime.nn.module import Module


class _Loss(Module):
    """``_function`` of what the module is called with, the module's options and ``reduction``."""

    _function: Any = None

    def __init__(self, size_average, reduce, reduction, **options):
        super().__init__()
        self.reduction = losses.reduction_of(size_average, reduce, reduction)
        self._options = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, *args):
        options = {name: getattr(self, name) for name in self._options}
        return type(self)._function(*args, reduction=self.reduction, **options)


class _PlainLoss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)


class MSELoss(_PlainLoss):
    """``(input - target) ** 2``."""

    _function = staticmethod(losses.mse_loss)


class L1Loss(_PlainLoss):
    """``abs(input - target)``."""

    _function = staticmethod(losses.l1_loss)


class SmoothL1Loss(_Loss):
    """Squared below ``beta``, linear above."""

    _function = staticmethod(losses.smooth_l1_loss)

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction, beta=beta)


class HuberLoss(_Loss):
    """Squared below ``delta``, linear above."""

    _function = staticmethod(losses.huber_loss)

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(None, None, reduction, delta=delta)


class KLDivLoss(_Loss):
    """``target * (log(target) - input)``."""

    _function = staticmethod(losses.kl_div)

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction, log_target=log_target)


class PoissonNLLLoss(_Loss):
    """Minus the log-probability of counts, given their rates."""

    _function = staticmethod(losses.poisson_nll_loss)

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction, log_input=log_input, full=full, eps=eps)


class GaussianNLLLoss(_Loss):
    """Minus the log-probability under normal distributions: called with mean, target and variance."""

    _function = staticmethod(losses.gaussian_nll_loss)

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(None, None, reduction, full=full, eps=eps)


class CTCLoss(_Loss):
    """Minus the log-probability of label sequences, of any alignment: called with the arguments of ``F.ctc_loss`` before ``blank``."""

    _function = staticmethod(losses.ctc_loss)

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(None, None, reduction, blank=blank, zero_infinity=zero_infinity)


class SoftMarginLoss(_PlainLoss):
    """``log(1 + exp(-target * input))``."""

    _function = staticmethod(losses.soft_margin_loss)


class MultiLabelMarginLoss(_PlainLoss):
    """Margins between the classes that the target names and all others."""

    _function = staticmethod(losses.multilabel_margin_loss)


class _MarginLoss(_Loss):
    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction, margin=margin)


class HingeEmbeddingLoss(_MarginLoss):
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1."""

    _function = staticmethod(losses.hinge_embedding_loss)

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(margin, size_average, reduce, reduction)


class MarginRankingLoss(_MarginLoss):
    """``max(0, margin - target * (input1 - input2))``."""

    _function = staticmethod(losses.margin_ranking_loss)


class CosineEmbeddingLoss(_MarginLoss):
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1."""

    _function = staticmethod(losses.cosine_embedding_loss)


class TripletMarginLoss(_Loss):
    """``max(0, |anchor - positive| - |anchor - negative| + margin)``."""

    _function = staticmethod(losses.triplet_margin_loss)

    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        super().__init__(size_average, reduce, reduction, margin=margin, p=p, eps=eps, swap=swap)


class TripletMarginWithDistanceLoss(_Loss):
    """``TripletMarginLoss`` with a distance of one's own."""

    _function = staticmethod(losses.triplet_margin_with_distance_loss)

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        distance = PairwiseDistance() if distance_function is None else distance_function
        super().__init__(None, None, reduction, distance_function=distance, margin=margin, swap=swap)


class _WeightedLoss(_Loss):
    """A loss with the buffer ``weight``."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", **options):
        super().__init__(size_average, reduce, reduction, **options)
        self.register_buffer("weight", weight)
        self._options = ("weight", *self._options)


class NLLLoss(_WeightedLoss):
    """The negated log-probability of the target class."""

    _function = staticmethod(losses.nll_loss)

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction, ignore_index=ignore_index)


class CrossEntropyLoss(_WeightedLoss):
    """The negated log-softmax of the target class."""

    _function = staticmethod(losses.cross_entropy)

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)


class BCELoss(_WeightedLoss):
    """Binary cross-entropy of probabilities."""

    _function = staticmethod(losses.binary_cross_entropy)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of binary cross-entropy of logits."""

    _function = staticmethod(losses.multilabel_soft_margin_loss)


class BCEWithLogitsLoss(_WeightedLoss):
    """Binary cross-entropy of logits."""

    _function = staticmethod(losses.binary_cross_entropy_with_logits)

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)
        self._options = (*self._options, "pos_weight")


class MultiMarginLoss(_WeightedLoss):
    """The mean over other classes of ``max(0, margin - input[target] + input) ** p``."""

    _function = staticmethod(losses.multi_margin_loss)

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction, p=p, margin=margin)


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
