"""Activations as modules: one row each names the function, its parameters and their defaults."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import Parameter


class _Activation(Module):
    """A module whose parameters are the attributes ``_names``, passed to ``_function`` in that
    order.
    """

    _function: Any = None
    _names: tuple[str, ...] = ()
    _printed: tuple[str, ...] = ()

    def forward(self, input: Array) -> Array:
        return type(self)._function(input, *[getattr(self, name) for name in self._names])

    def extra_repr(self) -> str:
        inplace = ["inplace=True"] if self.__dict__.get("inplace") else []
        return ", ".join([*[f"{name}={getattr(self, name)!r}" for name in self._printed], *inplace])


class _InplaceActivation(_Activation):
    """An activation with no parameters but ``inplace``."""

    _names = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ReLU(_InplaceActivation):
    """``max(input, 0)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.ReLU``.

    >>> ReLU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0. , 0. , 0.5, 4. ])
    """

    _function = staticmethod(F.relu)


class ReLU6(_InplaceActivation):
    """``min(max(input, 0), 6)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.ReLU6``; Krizhevsky, 2010.

    >>> ReLU6()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0. , 0. , 0.5, 4. ])
    """

    _function = staticmethod(F.relu6)


class SELU(_InplaceActivation):
    """``scale * input`` where it is positive, ``scale * alpha * (exp(input) - 1)`` elsewhere.

    ``scale`` is 1.0507009873554805 and ``alpha`` 1.6732632423543772.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.SELU``; Klambauer et al., arXiv:1706.02515.

    >>> SELU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1.52 , -0.692,  0.525,  4.203])
    """

    _function = staticmethod(F.selu)


class SiLU(_InplaceActivation):
    """``input * sigmoid(input)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.SiLU``; Elfwing et al., arXiv:1702.03118.

    >>> SiLU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.238, -0.189,  0.311,  3.928])
    """

    _function = staticmethod(F.silu)


class Mish(_InplaceActivation):
    """``input * tanh(softplus(input))``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.Mish``; Misra, arXiv:1908.08681.

    >>> Mish()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.253, -0.221,  0.375,  3.997])
    """

    _function = staticmethod(F.mish)


class _QuietActivation(_InplaceActivation):
    def extra_repr(self) -> str:
        return ""


class Hardsigmoid(_QuietActivation):
    """``min(max(input + 3, 0), 6) / 6``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.Hardsigmoid``.

    >>> Hardsigmoid()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0.167, 0.417, 0.583, 1.   ])
    """

    _function = staticmethod(F.hardsigmoid)


class Hardswish(_QuietActivation):
    """``input * hardsigmoid(input)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.Hardswish``; Howard et al., arXiv:1905.02244.

    >>> Hardswish()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.333, -0.208,  0.292,  4.   ])
    """

    _function = staticmethod(F.hardswish)


class Sigmoid(_Activation):
    """``1 / (1 + exp(-input))``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Sigmoid``.

    >>> Sigmoid()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0.119, 0.378, 0.622, 0.982])
    """

    _function = staticmethod(F.sigmoid)


class Tanh(_Activation):
    """``tanh(input)``, the hyperbolic tangent.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Tanh``.

    >>> Tanh()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.964, -0.462,  0.462,  0.999])
    """

    _function = staticmethod(F.tanh)


class LogSigmoid(_Activation):
    """``log(sigmoid(input))``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.LogSigmoid``.

    >>> LogSigmoid()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-2.127, -0.974, -0.474, -0.018])
    """

    _function = staticmethod(F.logsigmoid)


class Softsign(_Activation):
    """``input / (1 + abs(input))``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Softsign``.

    >>> Softsign()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.667, -0.333,  0.333,  0.8  ])
    """

    _function = staticmethod(F.softsign)


class Tanhshrink(_Activation):
    """``input - tanh(input)``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Tanhshrink``.

    >>> Tanhshrink()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1.036, -0.038,  0.038,  3.001])
    """

    _function = staticmethod(F.tanhshrink)


class LeakyReLU(_Activation):
    """``input`` where it is positive, ``negative_slope * input`` elsewhere.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.LeakyReLU``.

    >>> LeakyReLU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.02 , -0.005,  0.5  ,  4.   ])
    """

    _function = staticmethod(F.leaky_relu)
    _names = ("negative_slope", "inplace")
    _printed = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace


class ELU(_Activation):
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.ELU``; Clevert et al., arXiv:1511.07289.

    >>> ELU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.865, -0.393,  0.5  ,  4.   ])
    """

    _function = staticmethod(F.elu)
    _names = ("alpha", "inplace")
    _printed = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class CELU(ELU):
    """``max(input, 0) + min(alpha * (exp(input / alpha) - 1), 0)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.CELU``; Barron, arXiv:1704.07483.

    >>> CELU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.865, -0.393,  0.5  ,  4.   ])
    """

    _function = staticmethod(F.celu)


class GELU(_Activation):
    """``input`` times the normal distribution function, or its ``"tanh"`` approximation.

    ``input`` may have any shape; the result has the same. ``approximate``: ``"none"`` or
    ``"tanh"``. As ``torch.nn.GELU``; Hendrycks and Gimpel, arXiv:1606.08415.

    >>> GELU()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.046, -0.154,  0.346,  4.   ])
    """

    _function = staticmethod(F.gelu)
    _names = _printed = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate


class Softplus(_Activation):
    """``log(1 + exp(beta * input)) / beta``.

    ``input`` may have any shape; the result has the same. ``threshold``: linear where ``beta *
    input`` is above it. As ``torch.nn.Softplus``.

    >>> Softplus()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0.127, 0.474, 0.974, 4.018])
    """

    _function = staticmethod(F.softplus)
    _names = _printed = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class Hardshrink(_Activation):
    """``input`` outside ``[-lambd, lambd]``, 0 inside.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Hardshrink``.

    >>> Hardshrink()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-2.,  0.,  0.,  4.])
    """

    _function = staticmethod(F.hardshrink)
    _names = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """``input`` moved towards 0 by ``lambd``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Softshrink``.

    >>> Softshrink()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1.5,  0. ,  0. ,  3.5])
    """

    _function = staticmethod(F.softshrink)


class Hardtanh(_Activation):
    """``input`` clipped to ``[min_val, max_val]``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.Hardtanh``.

    >>> Hardtanh()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1. , -0.5,  0.5,  1. ])
    """

    _function = staticmethod(F.hardtanh)
    _names = ("min_val", "max_val", "inplace")
    _printed = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace


class Threshold(_Activation):
    """``input`` where it is above ``threshold``, ``value`` elsewhere.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.Threshold``.

    >>> Threshold(1.0, -1.0)(np.array([-2.0, -0.5, 0.5, 4.0]))
    array([-1., -1., -1.,  4.])
    """

    _function = staticmethod(F.threshold)
    _names = ("threshold", "value", "inplace")
    _printed = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace


class RReLU(_Activation):
    """``LeakyReLU`` with slopes drawn from ``[lower, upper)`` in training, which needs
    ``generator``; with their mean after ``eval()``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.RReLU``; Xu et al., arXiv:1505.00853.

    >>> RReLU().eval()(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.458, -0.115,  0.5  ,  4.   ])
    """

    _printed = ("lower", "upper")

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False, *, generator: np.random.Generator | None = None
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace
        self.generator = generator

    def forward(self, input: Array, generator: np.random.Generator | None = None) -> Array:
        generator = self.generator if generator is None else generator
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace, generator=generator)


class Softmax2d(Module):
    """``Softmax`` over the channels of ``([N,] C, H, W)``.

    As ``torch.nn.Softmax2d``.

    >>> Softmax2d()(np.zeros((2, 4, 3, 3)))[0, :, 0, 0]
    array([0.25, 0.25, 0.25, 0.25])
    """

    def forward(self, input: Array) -> Array:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got shape {input.shape}")
        return F.softmax(input, -3)


class _AlongDim(_Activation):
    _names = _printed = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class Softmax(_AlongDim):
    """``exp(input) / sum(exp(input))`` along ``dim``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.Softmax``.

    >>> Softmax(dim=-1)(np.array([[0.0, 0.0], [0.0, 5.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.007, 0.993]])
    """

    _function = staticmethod(F.softmax)


class Softmin(_AlongDim):
    """``softmax(-input)``.

    ``input`` may have any shape; the result has the same. ``dim``: the axis. As
    ``torch.nn.Softmin``.

    >>> Softmin(dim=-1)(np.array([[0.0, 0.0], [0.0, 5.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.993, 0.007]])
    """

    _function = staticmethod(F.softmin)


class LogSoftmax(_AlongDim):
    """The logarithm of ``Softmax``.

    ``input`` may have any shape; the result has the same. ``dim``: the axis. As
    ``torch.nn.LogSoftmax``.

    >>> LogSoftmax(dim=-1)(np.array([[0.0, 0.0], [0.0, 5.0]])).round(3)
    array([[-0.693, -0.693],
           [-5.007, -0.007]])
    """

    _function = staticmethod(F.log_softmax)


class GLU(_AlongDim):
    """The first half along ``dim`` times the sigmoid of the second.

    As ``torch.nn.GLU``; Dauphin et al., arXiv:1612.08083.

    >>> GLU()(np.ones((3, 8))).shape
    (3, 4)
    """

    _function = staticmethod(F.glu)

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim)


class PReLU(_Activation):
    """``LeakyReLU`` with a learned slope for all channels or for each.

    ``input`` may have any shape; the result has the same. ``num_parameters``: 1, or the number of
    channels; ``init``: the first slope; ``dtype``: the dtype of the weights. As
    ``torch.nn.PReLU``; He et al., arXiv:1502.01852.

    >>> PReLU()(np.array([-2.0, 4.0], np.float32))
    array([-0.5,  4. ], dtype=float32)
    """

    _function = staticmethod(F.prelu)
    _names = ("weight",)
    _printed = ("num_parameters",)

    def __init__(self, num_parameters: int = 1, init: float = 0.25, *, dtype: DTypeLike = np.float32) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(np.full(num_parameters, init, dtype))
