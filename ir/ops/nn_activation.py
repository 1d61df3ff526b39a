"""Element-wise activations, and the normalised exponentials. Results have the dtype of the
input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops import rows
from npexport.ir.ops.nn_base import axis_of, floating, operator, real, show
from npexport.ir.raising import NOTHING


def _elementwise(rule: Callable[..., Any]) -> Op:
    return operator(f"nn_activation.{rule.__name__}", traits={"elementwise"}, raises=NOTHING)(rule)


def _like(meta: TensorMeta) -> TensorMeta:
    return TensorMeta(meta.shape, meta.dtype, scalar=not meta.shape)


@_elementwise
def relu(input: Any) -> TensorMeta:
    """``max(input, 0)``."""
    return _like(real(input, "relu"))


@_elementwise
def relu6(input: Any) -> TensorMeta:
    """``min(max(input, 0), 6)``."""
    return _like(real(input, "relu6"))


@_elementwise
def leaky_relu(input: Any, negative_slope: Any = 0.01) -> TensorMeta:
    """``input`` where it is positive, ``negative_slope * input`` elsewhere."""
    return _like(floating(input, "leaky_relu"))


@_elementwise
def elu(input: Any, alpha: Any = 1.0) -> TensorMeta:
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere."""
    return _like(floating(input, "elu"))


@_elementwise
def selu(input: Any) -> TensorMeta:
    """The self-normalising ``elu``: scaled, with the ``alpha`` that keeps mean 0 and variance 1."""
    return _like(floating(input, "selu"))


@_elementwise
def celu(input: Any, alpha: Any = 1.0) -> TensorMeta:
    """``max(input, 0) + min(0, alpha * (exp(input / alpha) - 1))``."""
    return _like(floating(input, "celu"))


@_elementwise
def gelu(input: Any, approximate: str = "none") -> TensorMeta:
    """``input`` times the normal distribution function; ``approximate="tanh"`` approximates that
    with a hyperbolic tangent."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', not {approximate!r}")
    return _like(floating(input, "gelu"))


@_elementwise
def silu(input: Any) -> TensorMeta:
    """``input * sigmoid(input)``."""
    return _like(floating(input, "silu"))


@_elementwise
def mish(input: Any) -> TensorMeta:
    """``input * tanh(softplus(input))``."""
    return _like(floating(input, "mish"))


@_elementwise
def sigmoid(input: Any) -> TensorMeta:
    """``1 / (1 + exp(-input))``, without overflow."""
    return _like(floating(input, "sigmoid"))


@_elementwise
def log_sigmoid(input: Any) -> TensorMeta:
    """``log(sigmoid(input))``, without underflow."""
    return _like(floating(input, "log_sigmoid"))


@_elementwise
def softplus(input: Any, beta: Any = 1.0, threshold: Any = 20.0) -> TensorMeta:
    """``log(1 + exp(beta * input)) / beta``; ``input`` itself where ``beta * input`` is above
    ``threshold``."""
    return _like(floating(input, "softplus"))


@_elementwise
def softsign(input: Any) -> TensorMeta:
    """``input / (1 + abs(input))``."""
    return _like(floating(input, "softsign"))


@_elementwise
def tanhshrink(input: Any) -> TensorMeta:
    """``input - tanh(input)``."""
    return _like(floating(input, "tanhshrink"))


@_elementwise
def hardshrink(input: Any, lambd: Any = 0.5) -> TensorMeta:
    """``input`` outside ``[-lambd, lambd]``, 0 inside."""
    return _like(floating(input, "hardshrink"))


@_elementwise
def softshrink(input: Any, lambd: Any = 0.5) -> TensorMeta:
    """``input`` moved towards 0 by ``lambd``, not beyond it."""
    return _like(floating(input, "softshrink"))


@_elementwise
def hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0) -> TensorMeta:
    """``input`` clipped to ``[min_val, max_val]``."""
    return _like(floating(input, "hardtanh"))


@_elementwise
def hardsigmoid(input: Any) -> TensorMeta:
    """``min(max(input + 3, 0), 6) / 6``."""
    return _like(floating(input, "hardsigmoid"))


@_elementwise
def hardswish(input: Any) -> TensorMeta:
    """``input * hardsigmoid(input)``."""
    return _like(floating(input, "hardswish"))


@operator("nn_activation.threshold", traits={"elementwise"}, raises=NOTHING)
def threshold(input: Any, threshold: Any, value: Any) -> TensorMeta:
    """``input`` where it is above ``threshold``, ``value`` elsewhere."""
    return _like(floating(input, "threshold"))


@operator("nn_activation.prelu", raises=NOTHING, rows=rows.batch())
def prelu(input: Any, weight: Any) -> TensorMeta:
    """``leaky_relu`` with a learned slope: one for all, or one for each channel (axis 1)."""
    x, w = floating(input, "prelu"), floating(weight, "prelu", "weight")
    channels = x.shape[1] if x.ndim > 1 else 1
    if not (w.ndim == 1 and (w.shape[0] == 1 or w.shape[0] == channels)):
        raise ValueError(f"prelu: weight must have shape (1,) or ({channels},), not {show(w.shape)}")
    return _like(TensorMeta(x.shape, np.result_type(x.dtype, w.dtype)))


@operator("nn_activation.glu", raises=NOTHING, rows=rows.along(axis="dim"))
def glu(input: Any, dim: int = -1) -> TensorMeta:
    """The first half along ``dim`` times the sigmoid of the second."""
    x = floating(input, "glu")
    if x.ndim <= 0:
        raise ValueError("glu: input must have at least one dimension")
    axis = axis_of(dim, x.ndim, "glu")
    if x.shape[axis] % 2 != 0:
        raise ValueError(f"glu: axis {dim} of input of shape {show(x.shape)} must have an even size")
    return TensorMeta((*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :]), x.dtype)


@operator("nn_activation.softmax", traits=("by_row",), raises=NOTHING, rows=rows.along(axis="dim", rounds=True))
def softmax(input: Any, dim: int = -1) -> TensorMeta:
    """Exponentials that sum to 1 along ``dim``."""
    x = floating(input, "softmax")
    axis_of(dim, x.ndim, "softmax")
    return _like(x)


@operator("nn_activation.log_softmax", traits=("by_row",), raises=NOTHING, rows=rows.along(axis="dim", rounds=True))
def log_softmax(input: Any, dim: int = -1) -> TensorMeta:
    """The logarithm of ``softmax``, without underflow."""
    x = floating(input, "log_softmax")
    axis_of(dim, x.ndim, "log_softmax")
    return _like(x)
