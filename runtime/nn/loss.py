"""Losses as modules: each holds the options of its function in `npexport.runtime.nn.losses`."""

from __future__ import annotations

from typing import Any

from npexport.runtime.array_types import Array
from npexport.runtime.nn import losses, margin_losses
from npexport.runtime.nn.module import Module


class Loss(Module):
    """``_function`` of what ``forward`` is called with, the module's options and ``reduction``."""

    _function: Any = None

    def __init__(self, size_average: bool | None, reduce: bool | None, reduction: str, **options: Any) -> None:
        super().__init__()
        self.reduction = losses.reduction_of(size_average, reduce, reduction)
        self._options = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def _of(self, *args: Array) -> Array:
        options = {name: getattr(self, name) for name in self._options}
        return type(self)._function(*args, reduction=self.reduction, **options)


class LossOfTarget(Loss):
    def forward(self, input: Array, target: Array) -> Array:
        return self._of(input, target)


class PlainLoss(LossOfTarget):
    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)


class MSELoss(PlainLoss):
    """``(input - target) ** 2``.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.MSELoss``.

    >>> import numpy as np
    >>> MSELoss()(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(2.125)
    """

    _function = staticmethod(losses.mse_loss)


class L1Loss(PlainLoss):
    """``abs(input - target)``.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.L1Loss``.

    >>> import numpy as np
    >>> L1Loss()(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(1.25)
    """

    _function = staticmethod(losses.l1_loss)


class SmoothL1Loss(LossOfTarget):
    """``0.5 * d ** 2 / beta`` where ``d = abs(input - target)`` is below ``beta``, else
    ``d - 0.5 * beta``.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.SmoothL1Loss``; Girshick, arXiv:1504.08083.

    >>> import numpy as np
    >>> SmoothL1Loss()(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(0.8125)
    """

    _function = staticmethod(losses.smooth_l1_loss)

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction, beta=beta)


class HuberLoss(LossOfTarget):
    """``0.5 * d ** 2`` where ``d = abs(input - target)`` is at most ``delta``, else
    ``delta * (d - 0.5 * delta)``.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As ``torch.nn.HuberLoss``; Huber, Annals
    of Mathematical Statistics 35, 1964.

    >>> import numpy as np
    >>> HuberLoss()(np.array([1.0, 2.0]), np.array([1.5, 4.0]))
    np.float64(0.8125)
    """

    _function = staticmethod(losses.huber_loss)

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(None, None, reduction, delta=delta)


class KLDivLoss(LossOfTarget):
    """``target * (log(target) - input)``.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``; ``log_target``: the target too is a logarithm. As
    ``torch.nn.KLDivLoss``.

    >>> import numpy as np
    >>> KLDivLoss(reduction='batchmean')(np.log([[0.5, 0.5]]), np.array([[0.25, 0.75]])).round(3)
    np.float64(0.131)
    """

    _function = staticmethod(losses.kl_div)

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", log_target: bool = False
    ) -> None:
        super().__init__(size_average, reduce, reduction, log_target=log_target)


class PoissonNLLLoss(Loss):
    """Minus the log-probability of counts, given their rates.

    ``log_input``: the input is the logarithm of the rate; ``full``: add the constant terms;
    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``eps``: a small number that
    keeps divisions finite; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.PoissonNLLLoss``.

    >>> import numpy as np
    >>> PoissonNLLLoss()(np.array([1.0, 2.0]), np.array([1.5, 4.0])).round(3)
    np.float64(0.304)
    """

    _function = staticmethod(losses.poisson_nll_loss)

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction, log_input=log_input, full=full, eps=eps)

    def forward(self, log_input: Array, target: Array) -> Array:
        return self._of(log_input, target)


class GaussianNLLLoss(Loss):
    """Minus the log-probability under normal distributions: called with mean, target and variance.

    Without reduction it is ``0.5 * (log(var) + (input - target) ** 2 / var)``, of the shape of
    ``input``; else it is a scalar.

    ``full``: add the constant terms; ``eps``: a small number that keeps divisions finite;
    ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As ``torch.nn.GaussianNLLLoss``.

    >>> import numpy as np
    >>> GaussianNLLLoss()(np.array([1.0, 2.0]), np.array([1.5, 4.0]), np.ones(2)).round(3)
    np.float64(1.062)
    """

    _function = staticmethod(losses.gaussian_nll_loss)

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction, full=full, eps=eps)

    def forward(self, input: Array, target: Array, var: Array) -> Array:
        return self._of(input, target, var)


class CTCLoss(Loss):
    """Minus the log-probability of label sequences, of any alignment: called with the arguments of
    ``F.ctc_loss`` before ``blank``.

    ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``; ``zero_infinity``: make infinite losses
    0. As ``torch.nn.CTCLoss``; Graves et al., ICML 2006.

    >>> import numpy as np
    >>> log_probs = np.log(np.full((6, 1, 3), 1 / 3))
    >>> CTCLoss()(log_probs, np.array([[1, 2]]), np.array([6]), np.array([2])).round(3)
    np.float64(1.172)
    """

    _function = staticmethod(losses.ctc_loss)

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(None, None, reduction, blank=blank, zero_infinity=zero_infinity)

    def forward(self, log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array) -> Array:
        return self._of(log_probs, targets, input_lengths, target_lengths)


class SoftMarginLoss(PlainLoss):
    """``log(1 + exp(-target * input))``; targets are 1 or -1.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``size_average``, ``reduce``: deprecated, see ``reduction``; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.SoftMarginLoss``.

    >>> import numpy as np
    >>> SoftMarginLoss()(np.array([1.0, -1.0]), np.array([1.0, 1.0])).round(3)
    np.float64(0.813)
    """

    _function = staticmethod(margin_losses.soft_margin_loss)


class WeightedLoss(LossOfTarget):
    """A loss with the buffer ``weight``."""

    def __init__(
        self,
        weight: Array | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        **options: Any,
    ) -> None:
        super().__init__(size_average, reduce, reduction, **options)
        self.register_buffer("weight", weight)
        self._options = ("weight", *self._options)


class PlainWeightedLoss(WeightedLoss):
    def __init__(
        self, weight: Array | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)


class NLLLoss(WeightedLoss):
    """The negated log-probability of the target class: ``-weight[target] * input[target]``.

    ``input`` is ``([N,] C, ...)``, ``target`` ``([N,] ...)`` of classes; the result is a scalar, or
    ``([N,] ...)`` without reduction.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``ignore_index``: a class that does not count; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``. As ``torch.nn.NLLLoss``.

    >>> import numpy as np
    >>> NLLLoss()(np.log([[0.25, 0.75], [0.5, 0.5]]), np.array([1, 0])).round(3)
    np.float64(0.49)
    """

    _function = staticmethod(losses.nll_loss)

    def __init__(
        self,
        weight: Array | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction, ignore_index=ignore_index)


class CrossEntropyLoss(WeightedLoss):
    """The negated log-softmax of the target class.

    ``input`` is ``([N,] C, ...)``; ``target`` is ``([N,] ...)`` of classes, or probabilities of the
    shape of ``input``. The result is a scalar, or ``([N,] ...)`` without reduction.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``ignore_index``: a class that does not count; ``reduction``: ``"mean"``,
    ``"sum"`` or ``"none"``; ``label_smoothing``: the share of probability given to all classes
    alike. As ``torch.nn.CrossEntropyLoss``; Szegedy et al., arXiv:1512.00567 (label smoothing).

    >>> import numpy as np
    >>> CrossEntropyLoss()(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([1, 0])).round(3)
    np.float64(0.22)
    """

    _function = staticmethod(losses.cross_entropy)

    def __init__(
        self,
        weight: Array | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)


class BCELoss(PlainWeightedLoss):
    """Binary cross-entropy of probabilities:
    ``-(target * log(input) + (1 - target) * log(1 - input))``.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As ``torch.nn.BCELoss``.

    >>> import numpy as np
    >>> BCELoss()(np.array([0.5, 0.9]), np.array([0.0, 1.0])).round(3)
    np.float64(0.399)
    """

    _function = staticmethod(losses.binary_cross_entropy)


class MultiLabelSoftMarginLoss(PlainWeightedLoss):
    """The mean over classes of binary cross-entropy of logits.

    ``input`` and ``target`` are ``([N,] C)``; the result is a scalar, or ``([N])`` without
    reduction.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``. As
    ``torch.nn.MultiLabelSoftMarginLoss``.

    >>> import numpy as np
    >>> MultiLabelSoftMarginLoss()(np.array([[1.0, -1.0]]), np.array([[1, 0]])).round(3)
    np.float64(0.313)
    """

    _function = staticmethod(margin_losses.multilabel_soft_margin_loss)


class BCEWithLogitsLoss(WeightedLoss):
    """Binary cross-entropy of logits: `BCELoss` of ``sigmoid(input)``, without overflow.

    ``input`` and ``target`` are ``(*)``; the result is a scalar, or ``(*)``
    without reduction.

    ``weight``: a factor for each class or element; ``size_average``, ``reduce``: deprecated,
    see ``reduction``; ``reduction``: ``"mean"``, ``"sum"`` or ``"none"``; ``pos_weight``: a
    factor for the positive targets of each class. As ``torch.nn.BCEWithLogitsLoss``.

    >>> import numpy as np
    >>> BCEWithLogitsLoss()(np.array([0.0, 3.0]), np.array([0.0, 1.0])).round(3)
    np.float64(0.371)
    """

    _function = staticmethod(losses.binary_cross_entropy_with_logits)

    def __init__(
        self,
        weight: Array | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Array | None = None,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)
        self._options = (*self._options, "pos_weight")
