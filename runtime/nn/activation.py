"""Activations as modules: one row each names the function, its parameters and their defaults."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module, Parameter


class _Activation(Module):
    """A module whose parameters are the attributes ``_names``, passed to ``_function`` in that order."""

    _function: Any = None
    _names: tuple[str, ...] = ()
    _printed: tuple[str, ...] = ()

    def forward(self, input):
        return type(self)._function(input, *[getattr(self, name) for name in self._names])

    def extra_repr(self):
        inplace = ["inplace=True"] if self.__dict__.get("inplace") else []
        return ", ".join([*[f"{name}={getattr(self, name)!r}" for name in self._printed], *inplace])


class _InplaceActivation(_Activation):
    """An activation with no parameters but ``inplace``."""

    _names = ("inplace",)

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class ReLU(_InplaceActivation):
    """``max(input, 0)``."""

    _function = staticmethod(F.relu)


class ReLU6(_InplaceActivation):
    """``min(max(input, 0), 6)``."""

    _function = staticmethod(F.relu6)


class SELU(_InplaceActivation):
    """The self-normalising ``ELU``."""

    _function = staticmethod(F.selu)


class SiLU(_InplaceActivation):
    """``input * sigmoid(input)``."""

    _function = staticmethod(F.silu)


class Mish(_InplaceActivation):
    """``input * tanh(softplus(input))``."""

    _function = staticmethod(F.mish)


class _QuietActivation(_InplaceActivation):
    def extra_repr(self):
        return ""


class Hardsigmoid(_QuietActivation):
    """``min(max(input + 3, 0), 6) / 6``."""

    _function = staticmethod(F.hardsigmoid)


class Hardswish(_QuietActivation):
    """``input * hardsigmoid(input)``."""

    _function = staticmethod(F.hardswish)


class Sigmoid(_Activation):
    """``1 / (1 + exp(-input))``."""

    _function = staticmethod(F.sigmoid)


class Tanh(_Activation):
    """The hyperbolic tangent."""

    _function = staticmethod(F.tanh)


class LogSigmoid(_Activation):
    """``log(sigmoid(input))``."""

    _function = staticmethod(F.logsigmoid)


class Softsign(_Activation):
    """``input / (1 + abs(input))``."""

    _function = staticmethod(F.softsign)


class Tanhshrink(_Activation):
    """``input - tanh(input)``."""

    _function = staticmethod(F.tanhshrink)


class LeakyReLU(_Activation):
    """``input`` where it is positive, ``negative_slope * input`` elsewhere."""

    _function = staticmethod(F.leaky_relu)
    _names = ("negative_slope", "inplace")
    _printed = ("negative_slope",)

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace


class ELU(_Activation):
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere."""

    _function = staticmethod(F.elu)
    _names = ("alpha", "inplace")
    _printed = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class CELU(ELU):
    """The continuously differentiable ``ELU``."""

    _function = staticmethod(F.celu)


class GELU(_Activation):
    """``input`` times the normal distribution function, or its ``"tanh"`` approximation."""

    _function = staticmethod(F.gelu)
    _names = _printed = ("approximate",)

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate


class Softplus(_Activation):
    """``log(1 + exp(beta * input)) / beta``."""

    _function = staticmethod(F.softplus)
    _names = _printed = ("beta", "threshold")

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class Hardshrink(_Activation):
    """``input`` outside ``[-lambd, lambd]``, 0 inside."""

    _function = staticmethod(F.hardshrink)
    _names = ("lambd",)

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def extra_repr(self):
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """``input`` moved towards 0 by ``lambd``."""

    _function = staticmethod(F.softshrink)


class Hardtanh(_Activation):
    """``input`` clipped to ``[min_val, max_val]``."""

    _function = staticmethod(F.hardtanh)
    _names = ("min_val", "max_val", "inplace")
    _printed = ("min_val", "max_val")

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace


class Threshold(_Activation):
    """``input`` where it is above ``threshold``, ``value`` elsewhere."""

    _function = staticmethod(F.threshold)
    _names = ("threshold", "value", "inplace")
    _printed = ("threshold", "value")

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace


class RReLU(_Activation):
    """``LeakyReLU`` with slopes drawn from ``[lower, upper)`` in training, which needs ``generator``; with their mean after ``eval()``."""

    _printed = ("lower", "upper")

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False, *, generator=None):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace
        self.generator = generator

    def forward(self, input, generator=None):
        generator = self.generator if generator is None else generator
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace, generator=generator)


class Softmax2d(Module):
    """``Softmax`` over the channels of ``([N,] C, H, W)``."""

    def forward(self, input):
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got shape {input.shape}")
        return F.softmax(input, -3)


class _AlongDim(_Activation):
    _names = _printed = ("dim",)

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim


class Softmax(_AlongDim):
    """Exponentials that sum to 1 along ``dim``."""

    _function = staticmethod(F.softmax)


class Softmin(_AlongDim):
    """``softmax(-input)``."""

    _function = staticmethod(F.softmin)


class LogSoftmax(_AlongDim):
    """The logarithm of ``Softmax``."""

    _function = staticmethod(F.log_softmax)


class GLU(_AlongDim):
    """The first half along ``dim`` times the sigmoid of the second."""

    _function = staticmethod(F.glu)

    def __init__(self, dim=-1):
        super().__init__(dim)


class PReLU(_Activation):
    """``LeakyReLU`` with a learned slope for all channels or for each."""

    _function = staticmethod(F.prelu)
    _names = ("weight",)
    _printed = ("num_parameters",)

    def __init__(self, num_parameters=1, init=0.25, *, dtype=np.float32):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(np.full(num_parameters, init, dtype))
